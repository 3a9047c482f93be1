// SPDX-License-Identifier: Apache-2.0
// Scoring any data set of the model's features: columns are matched by name, then scaled, then multiplied.
#include <fmt/format.h>

#include <cmath>

#include "base/parallel.h"
#include "dorm/error.h"
#include "model/curve_scores.h"
#include "model/scorer.h"
#include "model/tree_scores.h"

namespace dorm {
namespace {

void require_finite(const Dataset& data, std::span<const double> scores) {
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (std::size_t i = 0; i < data.query(q).size(); ++i)
      if (!std::isfinite(scores[data.first_document(q) + i]))
        throw Error(ErrorCode::bad_input, fmt::format("the score of document {} of query {} is not finite: features or "
                                                      "weights are too large",
                                                      i + 1, data.query(q).id));
}

std::vector<double> linear_scores_at(const ComputeOptions& place, const Model& model, const Dataset& data) {
  const LinearScorer scorer(model, data, place.threads);
  return place.on_device() ? scorer.device_scores(model.weights, place) : scorer.scores(model.weights, place.threads);
}

std::vector<double> sum_scores(const Model& model, const Dataset& data, const ComputeOptions& place) {
  std::vector<double> sum(data.num_documents());
  for (const ModelPart& part : model.parts) {
    const std::vector<double> scores = score(*part.ranker, filled_as(*part.ranker, data, place.threads), place);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.weight * scores[i];
  }
  require_finite(data, sum);
  return sum;
}

std::vector<double> score_with(const Model& model, const Dataset& data, const Kernel* kernel,
                               const ComputeOptions& place) {
  if (model.kind() == Model::Kind::sum) return sum_scores(model, data, place);
  require_features(model, data);
  require_values(model, data);
  std::vector<double> scores =
      model.kernel   ? score_expansion(*model.kernel, align_features(model, data, place.threads), place, kernel)
      : model.trees  ? tree_scores(model, data, place)
      : model.curves ? curve_scores(model, data, place)
                     : linear_scores_at(place, model, data);
  data.require_intact();
  require_finite(data, scores);
  return scores;
}

}  // namespace

std::vector<double> KernelScorer::scores(const std::vector<double>& weights, std::size_t) const {
  std::vector<double> scores(documents_.size());
  gram_.multiply(std::span(weights).first(gram_.columns()), scores);
  return scores;
}

std::vector<double> score(const Model& model, const Dataset& data, std::size_t threads) {
  return score(model, data, ComputeOptions{.threads = threads});
}

std::vector<double> score(const Model& model, const Dataset& data, const ComputeOptions& place, const Kernel* kernel) {
  return score_with(model, data, kernel, place);
}

std::vector<double> score(const Model& model, const Dataset& data, const Kernel& kernel, std::size_t threads) {
  return score(model, data, ComputeOptions{.threads = threads}, &kernel);
}

}  // namespace dorm
