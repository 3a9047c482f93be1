// SPDX-License-Identifier: Apache-2.0
// What scores by a model are made of: weights, a kernel, trees, or a sum of rankers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "dorm/error.h"
#include "dorm/model.h"

namespace dorm {
namespace {

constexpr const char* kMeasure = "ndcg@10";  // of models that do not say what they were trained for

}  // namespace

Model::Kind Model::kind() const {
  if (kernel) return Kind::kernel;
  if (curves) return Kind::curves;
  if (trees) return Kind::trees;
  return !parts.empty() && parts.front().ranker ? Kind::sum : Kind::linear;
}

bool Model::by_number() const {
  if (trees) return trees->trees().by_number;
  return std::any_of(parts.begin(), parts.end(),
                     [](const ModelPart& part) { return part.ranker && part.ranker->by_number(); });
}

const char* name_of(Model::Kind kind) {
  constexpr const char* kNames[] = {"linear", "kernel", "trees", "sum", "curves"};
  return kNames[static_cast<std::size_t>(kind)];
}

Model model_of(TreeEnsemble trees) {
  Model model;
  model.features = trees.features;
  model.method = model.start = trees.library;
  model.bound = "none";
  model.measure = kMeasure;
  model.convention = "standard";
  model.data.features = trees.features.size();
  model.data.input.missing = Missing::keep;
  model.trees = std::make_shared<const TreeRanker>(std::move(trees));
  return model;
}

namespace {

/// Those of other columns; a column is encoded in one way.
void add_encodings(std::vector<ColumnEncoding>& all, const std::vector<ColumnEncoding>& more) {
  std::vector<ColumnEncoding> added;
  for (const ColumnEncoding& each : more) {
    if (std::find(all.begin(), all.end(), each) != all.end()) continue;
    if (std::any_of(all.begin(), all.end(), [&](const auto& other) { return other.column == each.column; }))
      throw Error(ErrorCode::bad_input,
                  fmt::format("the models encode the column \"{}\" in two ways; expected one", each.column));
    added.push_back(each);
  }
  all.insert(all.end(), added.begin(), added.end());
}

}  // namespace

Model weighted_sum(std::vector<Model> rankers, std::span<const double> weights) {
  if (rankers.empty() || rankers.size() != weights.size())
    throw Error(ErrorCode::bad_option,
                fmt::format("{} weights for {} models; expected one for each", weights.size(), rankers.size()));
  double total = 0;
  for (const double weight : weights) {
    if (!std::isfinite(weight)) throw Error(ErrorCode::bad_option, "a weight of a sum is not finite");
    total += std::fabs(weight);
  }
  Model sum;
  sum.method = "sum";
  sum.data.input = rankers.front().data.input;
  std::unordered_set<std::string> known;
  for (std::size_t k = 0; k < rankers.size(); ++k) {
    for (const std::string& feature : rankers[k].features)
      if (known.insert(feature).second) sum.features.push_back(feature);
    add_encodings(sum.data.input.encodings, rankers[k].data.input.encodings);
    if (rankers[k].data.input.missing == Missing::keep)
      sum.data.input.missing = Missing::keep, sum.data.input.means.clear();
    ModelPart part;
    part.share = total > 0 ? weights[k] / total : 0;
    part.measure = rankers[k].measure;
    part.bound = "none";
    part.start = name_of(rankers[k].kind());
    part.weight = weights[k];
    part.ranker = std::make_shared<const Model>(std::move(rankers[k]));
    sum.parts.push_back(std::move(part));
  }
  sum.bound = "none";
  sum.start = "sum";
  sum.measure = sum.parts.front().measure;
  sum.convention = sum.parts.front().ranker->convention;
  sum.data.features = sum.features.size();
  return sum;
}

}  // namespace dorm
