// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/aggregate_planes.h"

#include <algorithm>
#include <cmath>

#include "base/stopwatch.h"
#include "base/vector/ordered_sum.h"
#include "base/vector/vector_ops.h"
#include "learning/solver/signed_program.h"
#include "learning/solver/simplex_qp.h"

namespace dorm {
namespace {

constexpr std::size_t kChunks = 32;      // partial sums, whatever the number of threads
constexpr std::size_t kMaxPlanes = 400;  // the least used are dropped beyond this

}  // namespace

AggregatePlanes::AggregatePlanes(SolveContext& context) : context_(context), state_(context.state) {
  const std::size_t count = state_.aggregates.size();
  for (std::size_t k = 0; k < count; ++k) append_gram_row(k);
}

double AggregatePlanes::separate(std::span<const double> w) {
  const std::size_t dimension = state_.dimension, chunks = std::min(kChunks, context_.workers.blocks().size());
  PartialSums sums(std::max<std::size_t>(1, chunks), dimension + 1);  // of directions, offsets behind them
  const double risk = context_.workers.evaluate(w, chunks, [&](const BlockResponse& answer) {
    const double share = context_.risk.block_weight(answer.block) / context_.workers.total_weight();
    std::vector<double>& sum = sums[answer.piece];
    sum[dimension] += share * answer.plane.offset;
    context_.geometry.add(share, answer.plane, std::span(sum).first(dimension));
  });
  AggregatePlane plane{0, sums.total()};
  plane.offset = plane.direction.back();
  plane.direction.pop_back();
  if (std::isfinite(risk)) append(std::move(plane));
  ++state_.pass;
  state_.oracle_calls += context_.workers.blocks().size();
  return 0.5 * context_.cone.square(w) + risk;
}

void AggregatePlanes::optimise() {
  const Stopwatch watch;
  const std::size_t count = state_.aggregates.size();
  std::vector<double> offsets(count);
  for (std::size_t k = 0; k < count; ++k) offsets[k] = state_.aggregates[k].offset;
  const double total = context_.workers.total_weight();
  if (context_.cone.whole()) {
    solve_simplex_qp({gram_.data(), count, kMaxPlanes}, offsets, total, state_.aggregate_alpha,
                     {SimplexKind::capped, tolerance(), 200000});
  } else {
    SignedProgram{state_.aggregates, {gram_.data(), count, kMaxPlanes}, offsets, context_.cone, total}.improve(
        state_.aggregate_alpha, tolerance());
  }
  std::fill(state_.w.begin(), state_.w.end(), 0.0);  // in its place: callers may hold a view
  for (std::size_t k = 0; k < count; ++k)
    if (state_.aggregate_alpha[k] > 0) axpy(state_.aggregate_alpha[k], state_.aggregates[k].direction, state_.w);
  context_.stopping.bound(dual());
  seconds_ += watch.seconds();
}

// P is not known at first.
double AggregatePlanes::tolerance() const {
  const double wanted = context_.options.tolerance;
  if (state_.best_w.empty()) return 1e-3 * wanted * std::abs(dual());
  const double primal = context_.stopping.primal(), left = std::max(0.0, primal - context_.stopping.dual());
  return 0.1 * std::min(left, wanted * primal);
}

double AggregatePlanes::dual() const {
  double sum = 0;
  for (std::size_t k = 0; k < state_.aggregates.size(); ++k)
    sum += state_.aggregate_alpha[k] * state_.aggregates[k].offset;
  return sum - 0.5 * context_.cone.square(state_.w);
}

void AggregatePlanes::describe(SolveReport& report) const {
  report.planes = state_.aggregates.size();
  for (const double alpha : state_.aggregate_alpha) report.support_vectors += alpha > 0;
  report.qp_seconds = seconds_;
}

void AggregatePlanes::append(AggregatePlane plane) {
  if (state_.aggregates.size() == kMaxPlanes) make_room();
  state_.aggregates.push_back(std::move(plane));
  state_.aggregate_alpha.push_back(0);
  append_gram_row(state_.aggregates.size() - 1);
}

void AggregatePlanes::append_gram_row(std::size_t last) {
  gram_.resize(kMaxPlanes * kMaxPlanes);
  for (std::size_t k = 0; k <= last; ++k)
    gram_[last * kMaxPlanes + k] = gram_[k * kMaxPlanes + last] =
        context_.geometry.inner(state_.aggregates[last].direction, state_.aggregates[k].direction);
}

// Drops the older half of the planes without weight; if all have weight, the two lightest become one.
void AggregatePlanes::make_room() {
  std::vector<AggregatePlane> kept;
  std::vector<double> alpha;
  const std::size_t count = state_.aggregates.size();
  const auto zeros =
      static_cast<std::size_t>(std::count(state_.aggregate_alpha.begin(), state_.aggregate_alpha.end(), 0.0));
  if (zeros == 0) merge_lightest();
  std::size_t to_drop = zeros == 0 ? 1 : (zeros + 1) / 2;
  for (std::size_t k = 0; k < count; ++k) {
    if (state_.aggregate_alpha[k] == 0 && to_drop > 0) {
      --to_drop;
      continue;
    }
    kept.push_back(std::move(state_.aggregates[k]));
    alpha.push_back(state_.aggregate_alpha[k]);
  }
  state_.aggregates = std::move(kept);
  state_.aggregate_alpha = std::move(alpha);
  for (std::size_t k = 0; k < state_.aggregates.size(); ++k) append_gram_row(k);
}

// A convex combination of lower bounds is one: w and the dual stay as they are.
void AggregatePlanes::merge_lightest() {
  std::vector<double>& alpha = state_.aggregate_alpha;
  const std::size_t first = static_cast<std::size_t>(std::min_element(alpha.begin(), alpha.end()) - alpha.begin());
  std::size_t second = first == 0 ? 1 : 0;
  for (std::size_t k = 0; k < alpha.size(); ++k)
    if (k != first && alpha[k] < alpha[second]) second = k;
  const double sum = alpha[first] + alpha[second], share = alpha[first] / sum;
  AggregatePlane &from = state_.aggregates[first], &into = state_.aggregates[second];
  into.offset = share * from.offset + (1 - share) * into.offset;
  for (double& x : into.direction) x *= 1 - share;
  axpy(share, from.direction, into.direction);
  alpha[second] = sum;
  alpha[first] = 0;
}

}  // namespace dorm
