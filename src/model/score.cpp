// SPDX-License-Identifier: Apache-2.0
// Scoring any data set of the model's features: columns are matched by name, then scaled, then multiplied.
#include <fmt/format.h>

#include <cmath>

#include "base/parallel.h"
#include "dorm/error.h"
#include "model/scorer.h"

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

std::vector<double> linear_scores(const LinearFeatures& features, std::span<const double> w, double constant,
                                  std::size_t threads) {
  const Dataset& data = features.data();
  std::vector<double> scores(data.num_documents());
  const std::size_t useful = threads_worth(threads, std::uint64_t{data.num_documents()} * data.num_features());
  parallel_for(data.num_queries(), useful, [&](std::size_t q, std::size_t) {
    const std::span<double> out = std::span(scores).subspan(data.first_document(q), data.query(q).size());
    features.scores(q, w, out);
    for (double& value : out) value += constant;
  });
  return scores;
}

std::vector<double> score_with(const Model& model, const Dataset& data, const Kernel* kernel, std::size_t threads) {
  require_features(model, data);
  std::vector<double> scores =
      model.kernel ? score_expansion(*model.kernel, align_features(model, data, threads), threads, kernel)
                   : LinearScorer(model, data, threads).scores(model.weights, threads);
  data.require_intact();
  require_finite(data, scores);
  return scores;
}

}  // namespace

LinearScorer::LinearScorer(const Model& model, const Dataset& data, std::size_t threads, std::uint64_t kept_bytes)
    : features_(data, scaling_of_columns(model, data), kept_bytes, threads) {
  const FeatureIndex index(model);
  // A feature that never occurs is 0 everywhere; under a fitted scaling that is a constant, not nothing.
  constant_ = values_of_absent_features(model);
  for (std::size_t j = 0; j < features_.dimension(); ++j) {
    weight_of_.push_back(index.find(data.feature_name(j)));
    if (weight_of_.back() != FeatureIndex::kUnknown) constant_[weight_of_.back()] = 0;
  }
}

std::vector<double> LinearScorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  std::vector<double> w(features_.dimension(), 0.0);
  for (std::size_t j = 0; j < w.size(); ++j)
    if (weight_of_[j] != FeatureIndex::kUnknown) w[j] = weights[weight_of_[j]];
  double constant = features_.level(w);
  for (std::size_t j = 0; j < weights.size(); ++j) constant += weights[j] * constant_[j];
  return linear_scores(features_, w, constant, threads);
}

std::vector<double> MappedScorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  return linear_scores(features_, weights, 0, threads);
}

std::vector<double> KernelScorer::scores(const std::vector<double>& weights, std::size_t) const {
  std::vector<double> scores(documents_.size());
  gram_.multiply(std::span(weights).first(gram_.columns()), scores);
  return scores;
}

std::vector<double> score(const Model& model, const Dataset& data, std::size_t threads) {
  return score_with(model, data, nullptr, threads);
}

std::vector<double> score(const Model& model, const Dataset& data, const Kernel& kernel, std::size_t threads) {
  return score_with(model, data, &kernel, threads);
}

}  // namespace dorm
