// SPDX-License-Identifier: Apache-2.0
#include "model/align.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/parallel.h"
#include "data/replace_features.h"
#include "data/scale/scale_doubles.h"
#include "data/scale/scale_rows.h"
#include "dorm/error.h"

namespace dorm {

bool uses(const Model& model, std::size_t feature) {
  if (model.trees) return model.trees->used()[feature];
  if (model.curves && model.weights[feature] == 0) {
    const std::vector<double>& rises = model.curves->features[feature].rises;
    return std::any_of(rises.begin(), rises.end(), [](double rise) { return rise != 0; });
  }
  return !model.linear() || model.weights[feature] != 0;
}

namespace {

bool is_number(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool same_columns(const Model& model, const Dataset& data) {
  if (model.features.size() != data.num_features()) return false;
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (model.features[j] != data.feature_name(j)) return false;
  return true;
}

/// Whether features of trees are the columns of the data in their order.
bool by_number(const Model& model, const Dataset& data) {
  if (!model.trees || !model.trees->trees().by_number) return false;
  if (!data.has_feature_names()) return !is_number(model.features.empty() ? "" : model.features.front());
  std::unordered_set<std::string> present;
  for (std::size_t column = 0; column < data.num_features(); ++column) present.insert(data.feature_name(column));
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (uses(model, j) && !present.contains(model.features[j])) return true;
  return false;
}

}  // namespace

std::vector<std::size_t> features_of_columns(const Model& model, const Dataset& data) {
  const FeatureIndex index(model);
  const bool numbered = by_number(model, data);
  std::vector<std::size_t> features;
  for (std::size_t column = 0; column < data.num_features(); ++column) {
    const std::size_t number = data.feature_number(column);
    if (numbered)
      features.push_back(number < model.features.size() ? number : FeatureIndex::kUnknown);
    else
      features.push_back(index.find(data.feature_name(column)));
  }
  return features;
}

std::vector<std::size_t> columns_of_features(const Model& model, const Dataset& data) {
  const std::vector<std::size_t> feature_of = features_of_columns(model, data);
  std::vector<std::size_t> columns(model.features.size(), FeatureIndex::kUnknown);
  for (std::size_t column = 0; column < feature_of.size(); ++column)
    if (feature_of[column] != FeatureIndex::kUnknown) columns[feature_of[column]] = column;
  return columns;
}

FeatureIndex::FeatureIndex(const Model& model) {
  for (std::size_t j = 0; j < model.features.size(); ++j) index_.emplace(model.features[j], j);
}

std::size_t FeatureIndex::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? kUnknown : found->second;
}

Scaling scaling_of_columns(const Model& model, const Dataset& data) {
  Scaling scaling{model.scaling.kind, {}, {}};
  if (model.scaling.shift.empty()) return scaling;
  const FeatureIndex index(model);
  scaling.shift.assign(data.num_features(), 0.0);
  scaling.factor.assign(data.num_features(), 0.0);
  for (std::size_t column = 0; column < data.num_features(); ++column) {
    const std::size_t j = index.find(data.feature_name(column));
    if (j == FeatureIndex::kUnknown) continue;
    scaling.shift[column] = model.scaling.shift[j];
    scaling.factor[column] = model.scaling.factor[j];
  }
  return scaling;
}

void require_features(const Model& model, const Dataset& data) {
  if (by_number(model, data)) {
    if (data.has_feature_names() && data.num_features() != model.features.size())
      throw Error(ErrorCode::bad_input,
                  fmt::format("the model numbers its {} features, {} to {}, and the data has {} columns, {} to {}; "
                              "expected as many, in the order of the training data, or a model that knows their names",
                              model.features.size(), model.features.front(), model.features.back(), data.num_features(),
                              data.feature_name(0), data.feature_name(data.num_features() - 1)));
    return;
  }
  std::unordered_set<std::string> present;
  if (data.has_feature_names())
    for (std::size_t column = 0; column < data.num_features(); ++column) present.insert(data.feature_name(column));
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string& name = model.features[j];
    const bool used = uses(model, j);
    const bool may_be_absent = !data.has_feature_names() && is_number(name);
    if (used && !may_be_absent && !present.contains(name))
      throw Error(ErrorCode::bad_input,
                  fmt::format("the model uses feature \"{}\", which the data does not have", name));
  }
}

std::vector<double> values_of_absent_features(const Model& model) {
  std::vector<double> values(model.features.size(), 0.0);
  if (!model.scaling.shift.empty())
    for (std::size_t j = 0; j < values.size(); ++j) values[j] = -model.scaling.shift[j] * model.scaling.factor[j];
  return values;
}

Dataset align_features(const Model& model, const Dataset& data, std::size_t threads) {
  Dataset scaled = apply_scaling(scaling_of_columns(model, data), data, threads);
  if (same_columns(model, scaled)) return scaled;
  const std::vector<std::size_t> feature_of = features_of_columns(model, scaled);
  std::vector<float> absent(model.features.size());
  const std::vector<double> values = values_of_absent_features(model);
  std::transform(values.begin(), values.end(), absent.begin(), [](double x) { return static_cast<float>(x); });
  for (const std::size_t feature : feature_of)
    if (feature != FeatureIndex::kUnknown) absent[feature] = 0;
  const auto fill = [&](std::size_t q, float* rows, std::size_t stride) {
    const Query query = scaled.query(q);
    std::vector<float> row(feature_of.size());
    for (std::size_t i = 0; i < query.size(); ++i, rows += stride) {
      std::copy(absent.begin(), absent.end(), rows);
      query.rows.load(i, row);
      for (std::size_t column = 0; column < row.size(); ++column)
        if (feature_of[column] != FeatureIndex::kUnknown) rows[feature_of[column]] = row[column];
    }
  };
  return replace_features(scaled, model.features.size(), model.features, threads, fill);
}

std::vector<double> scaled_columns(const Scaling& scaling, const Query& query) {
  const std::size_t columns = query.rows.num_features();
  std::vector<double> out(query.size() * columns, 0.0);
  if (query.rows.dense()) {
    scale_columns(scaling, dense_rows(query), 0, columns, out.data());
    return out;
  }
  ScaledStored stored;
  scale_stored(scaling, query, stored);
  std::size_t place = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    double* const row = out.data() + i * columns;
    for (std::size_t j = 0; j < scaling.shift.size(); ++j) row[j] = scaled_zero(scaling, j);
    for (std::size_t k = 0; k < stored.columns.size(); ++k) row[stored.columns[k]] = stored.zeros[k];
    for (const std::uint32_t j : query.rows.sparse_row(i).columns) row[j] = stored.values[place++];
  }
  return out;
}

std::vector<double> scaled_features(const Model& model, const Dataset& data, std::size_t threads) {
  const Scaling scaling = scaling_of_columns(model, data);
  const std::vector<std::size_t> feature_of = features_of_columns(model, data);
  const std::vector<double> absent = values_of_absent_features(model);
  const std::size_t width = model.features.size();
  std::vector<double> out(data.num_documents() * width);
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const Query query = data.query(q);
    const std::vector<double> columns = scaled_columns(scaling, query);
    for (std::size_t i = 0; i < query.size(); ++i) {
      double* const row = out.data() + (query.first_document + i) * width;
      std::copy(absent.begin(), absent.end(), row);
      for (std::size_t j = 0; j < feature_of.size(); ++j)
        if (feature_of[j] != FeatureIndex::kUnknown) row[feature_of[j]] = columns[i * feature_of.size() + j];
    }
  });
  data.require_intact();
  return out;
}

}  // namespace dorm
