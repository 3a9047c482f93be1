// SPDX-License-Identifier: Apache-2.0
#include "dorm/objective.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "dorm/ranking/list_problem.h"

namespace dorm {
namespace {

// Pieces of work of at least this many documents are worth handing to a thread.
constexpr std::size_t kDocumentsPerPiece = 2048;

constexpr std::size_t kUnperturbed = static_cast<std::size_t>(-1);

std::string decay_of(const ObjectiveOptions& options) {
  options.validate();
  if (options.decay != "auto") return options.decay;
  return options.reference == "best" ? "discount" : "measure";
}

void fill_normal(Rng& rng, std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto [first, second] = rng.normal_pair();
    out[i] = first;
    if (i + 1 < out.size()) out[i + 1] = second;
  }
}

// A seed of its own for every (round, query, pair).
std::uint64_t mix(std::uint64_t seed, std::uint64_t round, std::uint64_t query, std::uint64_t pair) {
  std::uint64_t state = seed;
  for (const std::uint64_t part : {round, query, pair}) state = Rng(state ^ Rng(part).next()).next();
  return state;
}

}  // namespace

struct Objective::Workspace {
  std::vector<double> noise, scores;
  ScorePlane plane;
  ListWorkspace list;
};

Objective::Objective(Labels labels, std::span<const std::uint64_t> query_end, const ObjectiveOptions& options,
                     std::span<const double> query_weights)
    : Objective(*make_trainable(options.measure, make_convention(options.convention)), labels, query_end, options,
                query_weights) {}

Objective::Objective(const FactoredMeasure& measure, Labels labels, std::span<const std::uint64_t> query_end,
                     const ObjectiveOptions& options, std::span<const double> query_weights)
    : options_(options),
      bound_(options.reference == "predicted" ? Bound::predicted : Bound::best),
      decay_(decay_of(options)),
      num_documents_(labels.size()),
      num_queries_(query_end.size()) {
  prepare_queries(measure, labels, query_end, query_weights);
}

void Objective::prepare_queries(const FactoredMeasure& measure, Labels labels, std::span<const std::uint64_t> query_end,
                                std::span<const double> query_weights) {
  if (!query_weights.empty() && query_weights.size() != query_end.size())
    throw Error(ErrorCode::bad_input, fmt::format("{} query weights for {} queries; expected one per query",
                                                  query_weights.size(), query_end.size()));
  const std::uint64_t total = query_end.empty() ? 0 : query_end.back();
  if (total != labels.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("the queries hold {} documents together, but there are {} labels", total, labels.size()));
  std::uint64_t first = 0;
  for (std::size_t q = 0; q < query_end.size(); first = query_end[q++]) {
    if (query_end[q] < first) throw Error(ErrorCode::bad_input, fmt::format("query {} ends before it begins", q));
    const double weight = query_weights.empty() ? 1 : query_weights[q];
    if (!std::isfinite(weight) || weight < 0)
      throw Error(ErrorCode::bad_input,
                  fmt::format("the weight of query {} is {}; expected a number, 0 or more", q, weight));
    if (query_end[q] == first || weight == 0) continue;
    const Factors factors = measure.factor(labels.subspan(first, query_end[q] - first));
    if (auto list = make_list_problem(factors, decay_, tables_))
      queries_.push_back({q, first, weight, std::move(*list)});
  }
}

void Objective::check(std::span<const double> scores) const {
  if (scores.size() != num_documents_)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} scores for {} documents; expected one per document", scores.size(), num_documents_));
  for (std::size_t i = 0; i < scores.size(); ++i)
    if (!(std::abs(scores[i]) / options_.margin <= ObjectiveOptions::kLargestScore))  // not a number, too
      throw Error(ErrorCode::bad_input,
                  fmt::format("the score of document {} is {}; expected a finite number, at most {:g} times the margin "
                              "(is the learning rate too large?)",
                              i, scores[i], ObjectiveOptions::kLargestScore));
}

std::size_t Objective::perturbations() const { return options_.sigma == 0 ? 1 : 2 * options_.pairs; }

// Leaves (g + noise) / margin in the workspace: margin H(g / margin) has the margin of the header's formula.
void Objective::perturb(const Block& block, std::span<const double> scores, std::uint64_t round, std::size_t m,
                        Workspace& workspace) const {
  const std::size_t l = block.list.size();
  const auto own = scores.subspan(block.first, l);
  workspace.scores.resize(l);
  if (m == kUnperturbed || options_.sigma == 0) {
    for (std::size_t i = 0; i < l; ++i) workspace.scores[i] = own[i] / options_.margin;
    return;
  }
  workspace.noise.resize(l);
  if (m % 2 == 0) {
    Rng rng(mix(options_.seed, round, block.query, m / 2));
    fill_normal(rng, workspace.noise);
  }
  const double scale = m % 2 == 0 ? options_.sigma : -options_.sigma;
  for (std::size_t i = 0; i < l; ++i) workspace.scores[i] = (own[i] + scale * workspace.noise[i]) / options_.margin;
}

// The loss at the scores in the workspace; its gradient is minus the delta of the plane that is left there.
double Objective::linearize(const Block& block, Workspace& workspace) const {
  block.list.linearize_against(bound_, workspace.scores, workspace.plane, workspace.list);
  return options_.margin * workspace.plane.value;
}

std::vector<double> Objective::gradient(std::span<const double> scores, std::uint64_t round, std::span<double> gradient,
                                        std::span<double> curvature) const {
  check(scores);
  if (gradient.size() != num_documents_ || curvature.size() != num_documents_)
    throw Error(ErrorCode::bad_input, fmt::format("room for {} gradients and {} curvatures; expected {} of each",
                                                  gradient.size(), curvature.size(), num_documents_));
  std::vector<double> losses(num_queries_, 0.0);
  std::fill(gradient.begin(), gradient.end(), 0.0);
  std::fill(curvature.begin(), curvature.end(), 0.0);
  const std::size_t threads =
      std::min(thread_count(options_.threads), std::max<std::size_t>(1, num_documents_ / kDocumentsPerPiece));
  std::vector<Workspace> workspaces(threads);
  const std::size_t count = perturbations();
  parallel_for(queries_.size(), threads, [&](std::size_t b, std::size_t worker) {
    const Block& block = queries_[b];
    Workspace& workspace = workspaces[worker];
    const std::size_t l = block.list.size();
    const double share = block.weight / static_cast<double>(count);
    for (std::size_t i = 0; i < l; ++i) curvature[block.first + i] = block.weight * options_.curvature_floor;
    for (std::size_t m = 0; m < count; ++m) {
      perturb(block, scores, round, m, workspace);
      losses[block.query] += share * linearize(block, workspace);
      for (std::size_t i = 0; i < l; ++i) {
        gradient[block.first + i] -= share * workspace.plane.delta[i];
        curvature[block.first + i] += share * std::abs(workspace.plane.delta[i]);
      }
    }
  });
  return losses;
}

std::vector<double> Objective::mean_losses(std::span<const double> scores, std::uint64_t round, std::size_t first,
                                           std::size_t count) const {
  check(scores);
  std::vector<double> result(num_queries_, 0.0);
  const std::size_t threads = thread_count(options_.threads);
  std::vector<Workspace> workspaces(threads);
  parallel_for(queries_.size(), threads, [&](std::size_t b, std::size_t worker) {
    const Block& block = queries_[b];
    Workspace& workspace = workspaces[worker];
    double sum = 0;
    for (std::size_t m = 0; m < count; ++m) {
      perturb(block, scores, round, first + m, workspace);
      sum += linearize(block, workspace);
    }
    result[block.query] = block.weight * sum / static_cast<double>(count);
  });
  return result;
}

std::vector<double> Objective::losses(std::span<const double> scores) const {
  return mean_losses(scores, 0, kUnperturbed, 1);
}

std::vector<double> Objective::losses(std::span<const double> scores, std::uint64_t round) const {
  return mean_losses(scores, round, 0, perturbations());
}

}  // namespace dorm
