// SPDX-License-Identifier: Apache-2.0
// Weights of runs from judged queries.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/fusion/fuse.h"
#include "dorm/train.h"

namespace dorm {
namespace {

// clang-format off
constexpr std::array kLearners{
    CatalogEntry{"bound", "bound", "minimise DORM's convex bound on the loss of the measure"},
    CatalogEntry{"sweep", "sweep", "maximise the measure itself: exactly for two runs, run by run for more"},
    CatalogEntry{"equal", "equal", "the same weight for every run"},
};
// clang-format on

/// The queries in which documents differ in what the measure gains from them.
std::vector<std::size_t> usable(const JoinedRuns& runs, std::span<const std::size_t> queries,
                                const FuseOptions& options) {
  const auto measure = make_trainable(options.measure, make_convention(options.convention));
  std::vector<std::size_t> found;
  for (const std::size_t q : queries) {
    const std::vector<double> gains = measure->factor(runs.data.query(q).labels).b;
    const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
    if (*most > *least) found.push_back(q);
  }
  return found;
}

/// As a sum of 1 over the runs, on average over the queries; equal where no run has a positive weight.
std::vector<double> normalised(std::vector<double> weights, const JoinedRuns& runs,
                               std::span<const std::size_t> queries) {
  const FusionInput& input = runs.input;
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (j < input.runs.size() || j >= input.num_lists()) weights[j] = std::max(weights[j], 0.0);
  const std::vector<double> mean = mean_weights(runs, queries, weights);
  const double sum = std::accumulate(mean.begin(), mean.begin() + static_cast<std::ptrdiff_t>(input.runs.size()), 0.0);
  if (!(sum > 0)) return equal_weights(input);
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// The columns that must not count against a document: of runs and of their products.
std::vector<std::string> increasing_columns(const FusionInput& input) {
  std::vector<std::string> names = input.column_names();
  const auto first = names.begin() + static_cast<std::ptrdiff_t>(input.runs.size());
  names.erase(first, first + static_cast<std::ptrdiff_t>(input.features.size()));
  return names;
}

/// The one place where runs are learnt from: in no query does a score fall where that of a run rises. Features may go
/// either way.
TrainResult train_on(const Dataset& data, const FusionInput& input, const FuseOptions& options,
                     const TrainObserver& observer) {
  TrainOptions train_options;
  train_options.measure = options.measure;
  train_options.convention = options.convention;
  train_options.C = options.C;
  train_options.scale = "none";
  train_options.signs.non_negative = input.features.empty();
  if (!input.features.empty())
    train_options.signs.increasing = fmt::format("{}", fmt::join(increasing_columns(input), ","));
  train_options.solve.seed = options.seed;
  train_options.compute.threads = options.threads;
  return train(data, train_options, {}, observer);
}

/// A model for weights that no training gave.
Model plain_model(const JoinedRuns& runs, const FuseOptions& options) {
  Model model;
  model.method = name_of(options.learner);
  model.measure = make_trainable(options.measure, make_convention(options.convention))->name();
  model.convention = options.convention;
  model.bound = model.start = "none";
  model.certificate.status = "none";
  model.data.queries = runs.judged_queries;
  model.data.documents = runs.data.num_documents();
  model.data.features = runs.input.num_columns();
  return model;
}

}  // namespace

FusionLearner parse_fusion_learner(std::string_view name) {
  for (std::size_t i = 0; i < kLearners.size(); ++i)
    if (kLearners[i].name == name) return static_cast<FusionLearner>(i);
  throw_unknown_name("learner", name, kLearners);
}
std::string_view name_of(FusionLearner learner) { return kLearners[static_cast<std::size_t>(learner)].name; }
std::span<const CatalogEntry> fusion_learner_catalog() { return kLearners; }

std::vector<double> equal_weights(const FusionInput& input) {
  std::vector<double> weights(input.num_columns(), 0);
  std::fill_n(weights.begin(), input.runs.size(), 1 / real(input.runs.size()));
  return weights;
}

std::vector<std::size_t> judged_queries(const JoinedRuns& runs) {
  std::vector<std::size_t> all(runs.judged_queries);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<double> mean_weights(const JoinedRuns& runs, std::span<const std::size_t> queries,
                                 std::span<const double> weights) {
  const std::size_t features = runs.input.query_features.size();
  std::vector<double> shares(features, 0);
  for (const std::size_t q : queries)
    for (std::size_t k = 0; k < features; ++k) shares[k] += runs.shares[q * features + k] / real(queries.size());
  return runs.input.weights_at(weights, shares);
}

std::vector<double> fused_scores(const Dataset& data, std::span<const double> weights, std::size_t threads) {
  std::vector<double> scores(data.num_documents());
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const Query query = data.query(q);
    std::vector<float> row(weights.size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      query.rows.load(i, row);
      double score = 0;
      for (std::size_t j = 0; j < row.size(); ++j) score += weights[j] * static_cast<double>(row[j]);
      scores[query.first_document + i] = score;
    }
  });
  return scores;
}

FusedWeights learn_weights(const JoinedRuns& runs, std::span<const std::size_t> queries, const FuseOptions& options,
                           const FuseObserver& observer) {
  const std::vector<std::size_t> learnt_from = usable(runs, queries, options);
  const std::vector<double> equal = equal_weights(runs.input);
  FusedWeights out;
  out.usable_queries = learnt_from.size();
  out.learnt = equal;
  out.model = plain_model(runs, options);
  if (!learnt_from.empty() && options.learner == FusionLearner::bound) {
    const TrainObserver watch = [&](const TrainProgress&) { return !observer || observer(0, 1); };
    out.model = train_on(runs.data.select(learnt_from), runs.input, options, watch).model;
    out.learnt = normalised(out.model.weights, runs, queries);
  } else if (!learnt_from.empty() && options.learner == FusionLearner::sweep) {
    out.learnt = sweep_weights(runs, learnt_from, equal, options).weights;
  }
  const double n = real(out.usable_queries);
  out.share = n > 0 && options.learner != FusionLearner::equal ? n / (n + options.blend) : 0;
  for (std::size_t j = 0; j < equal.size(); ++j)
    out.weights.push_back(out.share * out.learnt[j] + (1 - out.share) * equal[j]);
  out.model.features = runs.input.column_names();
  out.model.weights = out.weights;
  return out;
}

FusedWeights learn_weights(const JoinedRuns& runs, const FuseOptions& options, const FuseObserver& observer) {
  return learn_weights(runs, judged_queries(runs), options, observer);
}

}  // namespace dorm
