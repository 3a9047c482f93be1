// SPDX-License-Identifier: Apache-2.0
// Curves of steps as trees of one feature each.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/export/trees.h"

namespace dorm {
namespace {

/// The largest 32-bit number whose scaled value lies before the knot: those up to it go left.
double raw_threshold(const Scaling& scaling, std::size_t feature, double knot) {
  const double raw = unscaled_value(scaling, feature, knot);
  auto threshold = static_cast<float>(raw);
  if (static_cast<double>(threshold) >= raw)
    threshold = std::nextafter(threshold, -std::numeric_limits<float>::infinity());
  return static_cast<double>(threshold);
}

/// The steps [first, last) of a feature, and what the score has of them at the left of all.
struct Steps {
  std::optional<double> gap;  // what stands for a missing value
  const std::vector<double>& thresholds;
  const std::vector<double>& levels;  // one more than there are thresholds
};

std::int32_t add_node(TreeEnsemble& trees, std::size_t feature, const Steps& steps, std::size_t first,
                      std::size_t last) {
  const auto number = static_cast<std::int32_t>(trees.nodes.size());
  trees.nodes.emplace_back();
  if (first == last) {
    trees.nodes.back().value = steps.levels[first];
    return number;
  }
  const std::size_t middle = first + (last - first) / 2;
  TreeNode node{.feature = static_cast<std::uint32_t>(feature), .value = steps.thresholds[middle]};
  if (steps.gap) {
    node.missing = MissingSplit::nan;
    node.default_left = *steps.gap <= node.value;
  }
  node.left = add_node(trees, feature, steps, first, middle);
  node.right = add_node(trees, feature, steps, middle + 1, last);
  trees.nodes[static_cast<std::size_t>(number)] = node;
  return number;
}

/// A missing value goes left here, to a leaf of its own, and every number right, to the node that is added next.
void add_gap(TreeEnsemble& trees, std::size_t feature, double value) {
  const auto number = static_cast<std::int32_t>(trees.nodes.size());
  trees.nodes.push_back({.feature = static_cast<std::uint32_t>(feature),
                         .value = -static_cast<double>(std::numeric_limits<float>::max()),
                         .missing = MissingSplit::nan,
                         .default_left = true});
  trees.nodes.back().left = number + 1;
  trees.nodes.back().right = number + 2;
  trees.nodes.emplace_back();
  trees.nodes.back().value = value;
}

}  // namespace

Model trees_of_curves(const Model& model, std::string_view target) {
  if (model.scaling.per_query())
    throw Error(ErrorCode::unsupported,
                fmt::format("the model scales features by {}, which depends on the other documents of the query; "
                            "expected a model trained for {}",
                            name_of(model.scaling.kind), target));
  TreeEnsemble trees;
  trees.features = model.features;
  trees.library = "dorm";
  for (std::size_t j = 0; j < model.features.size(); ++j) {
    const Curve& curve = model.curves->features[j];
    if (model.weights[j] != 0)
      throw Error(ErrorCode::unsupported,
                  fmt::format("the feature {} has a line, which trees cannot express; expected steps for every feature",
                              in_quotes(model.features[j])));
    if (curve.knots.empty() && !curve.missing) continue;
    std::vector<double> thresholds, levels = {0};
    for (std::size_t k = 0; k < curve.knots.size(); ++k) {
      thresholds.push_back(raw_threshold(model.scaling, j, curve.knots[k]));
      levels.push_back(levels.back() + curve.rises[k]);
    }
    const double at_median = -model.curves->raw_at_median(j);
    for (double& level : levels) level += at_median;  // 0 at the median
    trees.roots.push_back(static_cast<std::uint32_t>(trees.nodes.size()));
    if (curve.missing) add_gap(trees, j, *curve.missing);
    const std::optional<double> gap =
        may_lack(model, j) && !curve.missing ? std::optional(value_where_missing(model, j)) : std::nullopt;
    add_node(trees, j, {gap, thresholds, levels}, 0, thresholds.size());
  }
  Model out = model_of(std::move(trees));
  out.measure = model.measure;
  out.convention = model.convention;
  out.data = model.data;
  return out;
}

}  // namespace dorm
