// SPDX-License-Identifier: Apache-2.0
#include "model/export/trees.h"

#include <fmt/format.h>

#include <cmath>

#include "dorm/error.h"
#include "model/tree_scores.h"

namespace dorm {
namespace {

std::vector<double> scores_by(const Model& model, const ServedTrees& as, const Dataset& data) {
  const TreeEnsemble& trees = model.trees->trees();
  std::vector<float> rows = raw_features(model, data);
  if (as.missing_is_zero)
    for (float& value : rows)
      if (std::isnan(value)) value = 0;
  std::vector<double> scores(data.num_documents());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const std::span<const float> row = std::span(rows).subspan(i * model.features.size(), model.features.size());
    double sum = trees.base - as.pruned;
    float single = static_cast<float>(sum);
    for (std::size_t t = 0; t < trees.num_trees(); ++t) {
      const double leaf = leaf_of(trees, t, row).value;
      sum += leaf;
      single += static_cast<float>(leaf);
    }
    scores[i] = as.single ? static_cast<double>(single) : sum;
  }
  return scores;
}

}  // namespace

ServedModel served_trees(const Model& model, const ServedTrees& as) {
  ServedModel served;
  served.single = as.single;
  served.pruned = as.pruned;
  served.scores = [model, as](const Dataset& data) { return scores_by(model, as, data); };
  return served;
}

void require_splits(const Model& model, std::string_view target, bool categories, bool zeros) {
  for (const TreeNode& node : model.trees->trees().nodes) {
    if (node.leaf()) continue;
    const char* what = nullptr;
    if (node.categories > 0 && !categories) what = "splits by categories";
    if (node.missing == MissingSplit::zero && !zeros) what = "counts zeros as missing";
    if (what != nullptr)
      throw Error(ErrorCode::unsupported, fmt::format("the model {} (feature {}), which {} cannot say", what,
                                                      model.features[node.feature], target));
  }
}

bool missing_goes_left(const TreeNode& node) {
  return node.missing == MissingSplit::none ? 0 <= node.value : node.default_left;
}

float single_threshold(const TreeNode& node) {
  const auto rounded = static_cast<float>(node.value);
  return static_cast<double>(rounded) > node.value ? std::nextafterf(rounded, -HUGE_VALF) : rounded;
}

}  // namespace dorm
