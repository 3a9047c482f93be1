// SPDX-License-Identifier: Apache-2.0
// Scoring any data set of the model's features: columns are matched by name, then scaled, then multiplied.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/parallel.h"
#include "dorm/error.h"
#include "model/scorer.h"

namespace dorm {
namespace {

constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);

/// For each column of the data, the model's feature of that name.
class FeatureIndex {
 public:
  explicit FeatureIndex(const Model& model) {
    for (std::size_t j = 0; j < model.features.size(); ++j) index_.emplace(model.features[j], j);
  }
  std::size_t find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? kUnknown : found->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> index_;
};

/// The model's scaling in the columns of `data`; columns the model does not know become 0.
Scaling scaling_of_columns(const Model& model, const Dataset& data) {
  Scaling scaling{model.scaling.kind, {}, {}};
  if (model.scaling.shift.empty()) return scaling;
  const FeatureIndex index(model);
  scaling.shift.assign(data.num_features(), 0.0);
  scaling.factor.assign(data.num_features(), 0.0);
  for (std::size_t column = 0; column < data.num_features(); ++column) {
    const std::size_t j = index.find(data.feature_name(column));
    if (j == kUnknown) continue;
    scaling.shift[column] = model.scaling.shift[j];
    scaling.factor[column] = model.scaling.factor[j];
  }
  return scaling;
}

bool is_number(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void require_finite(const Dataset& data, std::span<const double> scores) {
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (std::size_t i = 0; i < data.query(q).size(); ++i)
      if (!std::isfinite(scores[data.first_document(q) + i]))
        throw Error(ErrorCode::bad_input,
                    fmt::format("the score of document {} of query {} is not finite: features or "
                                "weights are too large",
                                i + 1, data.query(q).id));
}

}  // namespace

void require_features(const Model& model, const Dataset& data) {
  std::unordered_set<std::string> present;
  if (data.has_feature_names())
    for (std::size_t column = 0; column < data.num_features(); ++column)
      present.insert(data.feature_name(column));
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const std::string& name = model.features[j];
    const bool may_be_absent = !data.has_feature_names() && is_number(name);
    if (model.weights[j] != 0 && !may_be_absent && !present.contains(name))
      throw Error(ErrorCode::bad_input,
                  fmt::format("the model uses feature \"{}\", which the data does not have", name));
  }
}

Scorer::Scorer(const Model& model, const Dataset& data, std::size_t threads)
    : features_(apply_scaling(scaling_of_columns(model, data), data, threads)) {
  const FeatureIndex index(model);
  std::vector<bool> met(model.features.size(), false);
  for (std::size_t j = 0; j < features_.dimension(); ++j) {
    weight_of_.push_back(index.find(data.feature_name(features_.column(j))));
    if (weight_of_.back() != kUnknown) met[weight_of_.back()] = true;
  }
  // A feature that never occurs is 0 everywhere; under a fitted scaling that is a constant, not nothing.
  constant_.assign(model.features.size(), 0.0);
  if (!model.scaling.shift.empty())
    for (std::size_t j = 0; j < met.size(); ++j)
      if (!met[j]) constant_[j] = -model.scaling.shift[j] * model.scaling.factor[j];
}

std::vector<double> Scorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  std::vector<double> w(features_.dimension(), 0.0);
  for (std::size_t j = 0; j < w.size(); ++j)
    if (weight_of_[j] != kUnknown) w[j] = weights[weight_of_[j]];
  double constant = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) constant += weights[j] * constant_[j];

  std::vector<double> scores(data().num_documents());
  parallel_for(data().num_queries(), threads, [&](std::size_t q, std::size_t) {
    const std::span<double> out = std::span(scores).subspan(data().first_document(q), data().query(q).size());
    features_.scores(q, w, out);
    for (double& value : out) value += constant;
  });
  return scores;
}

std::vector<double> score(const Model& model, const Dataset& data, std::size_t threads) {
  require_features(model, data);
  std::vector<double> scores = Scorer(model, data, threads).scores(model.weights, threads);
  require_finite(data, scores);
  return scores;
}

}  // namespace dorm
