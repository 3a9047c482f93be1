// SPDX-License-Identifier: Apache-2.0
// Scoring any data set of the model's features: columns are matched by name, then scaled, then multiplied.
#include <fmt/format.h>

#include <unordered_map>

#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/model.h"
#include "risk/linear_features.h"

namespace dorm {
namespace {

/// Model features by name.
class FeatureIndex {
 public:
  explicit FeatureIndex(const Model& model) {
    for (std::size_t j = 0; j < model.features.size(); ++j) index_.emplace(model.features[j], j);
  }
  static constexpr std::size_t kAbsent = static_cast<std::size_t>(-1);
  std::size_t find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? kAbsent : found->second;
  }

 private:
  std::unordered_map<std::string, std::size_t> index_;
};

void require_named_features(const Model& model, const Dataset& data) {
  std::unordered_map<std::string, bool> present;
  for (std::size_t column = 0; column < data.num_features(); ++column) present.emplace(data.feature_name(column), true);
  for (std::size_t j = 0; j < model.features.size(); ++j)
    if (model.weights[j] != 0 && !present.contains(model.features[j]))
      throw Error(ErrorCode::bad_input, fmt::format("the model uses feature \"{}\", which the data does not have", model.features[j]));
}

/// The model's scaling in the columns of `data`; columns the model does not know become 0.
Scaling scaling_of_columns(const Model& model, const FeatureIndex& index, const Dataset& data) {
  Scaling scaling{model.scaling.kind, {}, {}};
  if (model.scaling.shift.empty()) return scaling;
  scaling.shift.assign(data.num_features(), 0.0);
  scaling.factor.assign(data.num_features(), 0.0);
  for (std::size_t column = 0; column < data.num_features(); ++column) {
    const std::size_t j = index.find(data.feature_name(column));
    if (j == FeatureIndex::kAbsent) continue;
    scaling.shift[column] = model.scaling.shift[j];
    scaling.factor[column] = model.scaling.factor[j];
  }
  return scaling;
}

}  // namespace

std::vector<double> score(const Model& model, const Dataset& data, std::size_t threads) {
  if (data.has_feature_names()) require_named_features(model, data);
  const FeatureIndex index(model);
  const LinearFeatures features(apply_scaling(scaling_of_columns(model, index, data), data));

  std::vector<double> w(features.dimension(), 0.0);
  std::vector<bool> met(model.features.size(), false);
  for (std::size_t j = 0; j < w.size(); ++j) {
    const std::size_t known = index.find(data.feature_name(features.column(j)));
    if (known == FeatureIndex::kAbsent) continue;
    w[j] = model.weights[known];
    met[known] = true;
  }
  // A feature that never occurs is 0 everywhere; under a fitted scaling that is a constant, not nothing.
  double constant = 0;
  if (!model.scaling.shift.empty())
    for (std::size_t j = 0; j < met.size(); ++j)
      if (!met[j]) constant -= model.weights[j] * model.scaling.shift[j] * model.scaling.factor[j];

  std::vector<double> scores(data.num_documents());
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const std::span<double> out = std::span(scores).subspan(data.first_document(q), data.query(q).size());
    features.scores(q, w, out);
    for (double& value : out) value += constant;
  });
  return scores;
}

}  // namespace dorm
