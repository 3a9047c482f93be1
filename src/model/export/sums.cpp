// SPDX-License-Identifier: Apache-2.0
// Weighted sums of rankers: every part over all features of the sum, with its weight in it, so that targets only add
// up.
#include <fmt/format.h>

#include "dorm/error.h"
#include "model/align.h"
#include "model/export/trees.h"
#include "model/tree_scores.h"

namespace dorm {
namespace {

/// At the places of the sum's features, `otherwise` where the part has none.
template <class T>
std::vector<T> spread(const std::vector<T>& values, const std::vector<std::size_t>& place, std::size_t width,
                      const T& otherwise) {
  if (values.empty()) return {};
  std::vector<T> out(width, otherwise);
  for (std::size_t j = 0; j < values.size(); ++j) out[place[j]] = values[j];
  return out;
}

std::vector<std::size_t> places_of(const Model& part, const Model& sum) {
  const FeatureIndex index(sum);
  std::vector<std::size_t> places;
  for (const std::string& feature : part.features) places.push_back(index.find(feature));
  return places;
}

Model weighted(const Model& part, double weight, const Model& sum) {
  const std::vector<std::size_t> place = places_of(part, sum);
  const std::size_t width = sum.features.size();
  Model out = part;
  out.features = sum.features;
  out.parts.clear();
  out.signs.clear();
  out.data.statistics = {};
  out.weights = spread(part.weights, place, width, 0.0);
  for (double& w : out.weights) w *= weight;
  out.scaling.shift = spread(part.scaling.shift, place, width, 0.0);
  out.scaling.factor = spread(part.scaling.factor, place, width, 1.0);
  if (!part.curves) return out;
  out.curves->features = spread(part.curves->features, place, width, Curve{});
  for (Curve& curve : out.curves->features) {
    for (double& rise : curve.rises) rise *= weight;
    if (curve.missing) *curve.missing *= weight;
  }
  return out;
}

/// The trees of a part behind those of `all`.
void add_trees(TreeEnsemble& all, const Model& part, double weight, const Model& sum) {
  const TreeEnsemble& trees = part.trees->trees();
  const std::vector<std::size_t> place = places_of(part, sum);
  const std::size_t nodes = all.nodes.size(), sets = all.category_sets.size();
  all.base += weight * trees.base;
  for (const std::uint32_t root : trees.roots) all.roots.push_back(static_cast<std::uint32_t>(root + nodes));
  for (TreeNode node : trees.nodes) {
    if (node.leaf()) {
      node.value *= weight;
    } else {
      node.left += static_cast<std::int32_t>(nodes);
      node.right += static_cast<std::int32_t>(nodes);
      node.feature = static_cast<std::uint32_t>(place[node.feature]);
      if (node.categories > 0) node.categories += static_cast<std::uint32_t>(sets);
    }
    all.nodes.push_back(node);
  }
  all.category_sets.insert(all.category_sets.end(), trees.category_sets.begin(), trees.category_sets.end());
}

}  // namespace

Model sum_for_export(const Model& sum, std::string_view target) {
  TreeEnsemble trees;
  trees.features = sum.features;
  trees.library = "dorm";
  std::vector<Model> parts;
  const Model* first_trees = nullptr;
  InputDescription input;
  for (const ModelPart& part : sum.parts) {
    const Model& ranker = *part.ranker;
    if (ranker.kernel || ranker.kind() == Model::Kind::sum || ranker.by_number())
      throw Error(ErrorCode::unsupported,
                  fmt::format("a part of the sum {}, which {} cannot evaluate within a sum; expected mlflow, modelcard "
                              "or dorm serve",
                              ranker.kernel        ? "has a kernel"
                              : ranker.by_number() ? "knows its features by number alone"
                                                   : "is a sum itself",
                              target));
    const bool steps = ranker.curves && ranker.curves->shape == CurveShape::steps;
    if (!steps && !ranker.trees) {
      parts.push_back(weighted(ranker, part.weight, sum));
      continue;
    }
    add_trees(trees, steps ? trees_of_curves(ranker, target) : ranker, part.weight, sum);
    if (!first_trees) input = ranker.data.input;
    if (ranker.data.input.missing == Missing::keep) input = ranker.data.input;
    first_trees = &ranker;
  }
  if (first_trees) {
    parts.push_back(model_of(std::move(trees)));
    parts.back().data = sum.data;
    parts.back().data.input = std::move(input);
    parts.back().measure = sum.measure;
    parts.back().convention = sum.convention;
  }
  Model out = sum;
  out.parts.clear();
  for (Model& part : parts) {
    out.parts.emplace_back();
    out.parts.back().weight = 1;
    out.parts.back().ranker = std::make_shared<const Model>(std::move(part));
  }
  return out;
}

ServedModel served_sum(const Model& sum, std::vector<ServedModel> parts) {
  ServedModel served;
  for (const ServedModel& part : parts) served.pruned += part.pruned;
  served.scores = [sum, parts = std::move(parts)](const Dataset& data) {
    std::vector<double> scores(data.num_documents());
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Model& part = *sum.parts[k].ranker;
      const std::vector<double> own = served_scores(parts[k], part, filled_as(part, data, 1));
      for (std::size_t d = 0; d < scores.size(); ++d) scores[d] += own[d];
    }
    return scores;
  };
  return served;
}

}  // namespace dorm
