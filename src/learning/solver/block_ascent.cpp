// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/block_ascent.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/rng.h"
#include "base/stopwatch.h"
#include "learning/solver/proximal_point.h"

namespace dorm {
namespace {

// Measured at C = 10 .. 1e5 on three sets (docs/benchmarks-archive.md): 16 and 64 are within a fifth of
// 32 up to C = 1e4.
constexpr double kKappa = 32;
constexpr int kSweeps = 4;     // per move of the centre
constexpr int kWhole = 3;      // one sweep in kWhole is over all blocks: the first and the last before such a move
constexpr double kSlow = 0.6;  // a gain of this share of the last one is slow
constexpr int kPatience = 3;   // slow sweeps in a row

}  // namespace

std::size_t batch_size(const SolveContext& context, std::size_t blocks) {
  if (context.options.batch > 0) return context.options.batch;
  return std::clamp<std::size_t>(blocks / 50, 1, 16);
}

std::vector<std::size_t> pass_order(const SolveContext& context, std::uint64_t pass, std::vector<std::size_t> blocks) {
  Rng rng(Rng(context.options.seed).next() ^ Rng(pass).next());
  rng.shuffle(std::span(blocks));
  return blocks;
}

std::vector<std::size_t> pass_order(const SolveContext& context, std::uint64_t pass) {
  return pass_order(context, pass, context.workers.blocks());
}

bool evaluation_due(std::uint64_t pass) {
  std::uint64_t due = 1;
  while (due < pass) due = due + std::max<std::uint64_t>(1, due / 2);
  return due == pass;
}

BlockAscent::BlockAscent(SolveContext& context, const PlaneLimits& limits)
    : context_(context),
      cache_(context.risk, context.cone, context.state, limits),
      proposals_(batch_size(context, context.workers.blocks().size())) {}

PassResult BlockAscent::sweep(std::span<const std::size_t> order, bool oracle) {
  PassResult result;
  const Stopwatch watch;
  const double oracle_before = context_.workers.seconds();
  std::vector<char> added(proposals_.size());
  std::vector<double> values(proposals_.size());
  const std::size_t at_once = std::min(proposals_.size(), batch_size(context_, order.size()));
  const std::size_t distance = std::max<std::size_t>(at_once, 4);  // at least to the next batch
  moved_.clear();
  std::span<const std::size_t> batch, rest;  // rest: from the batch on
  std::span<const double> w;                 // of the batch
  std::vector<double> memory;
  const std::function<void(std::size_t, std::size_t)> propose = [&](std::size_t i, std::size_t) {
    cache_.fetch(rest.subspan(i), distance);
    cache_.propose(batch[i], w, proposals_[i]);
  };
  const BlockVisitor look = [&](const BlockResponse& answer) {
    cache_.fetch(rest.subspan(answer.index), distance);
    added[answer.index] = cache_.insert(answer.block, answer.plane);
    values[answer.index] = answer.value;
    cache_.propose(answer.block, w, proposals_[answer.index]);
  };
  context_.workers.run_batches(order.size(), at_once, [&](std::size_t first, std::size_t last) {
    if (context_.stopping.out_of_time()) return;  // a pass may take long, and part of one is good, too
    rest = order.subspan(first);
    batch = rest.first(last - first);
    w = context_.cone.nearest(context_.state.w, memory);
    if (oracle)
      context_.workers.linearize(batch, w, look, order.subspan(last));
    else
      context_.workers.run(batch.size(), propose);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (proposals_[i].moves) moved_.push_back(batch[i]);
      result.gain += cache_.apply(batch[i], proposals_[i]);
      result.gap += std::isfinite(values[i]) ? proposals_[i].gap : NAN;
      result.cost += proposals_[i].cost + (oracle ? context_.risk.linearize_cost(batch[i]) : 0.0);
      result.new_planes += added[i];
    }
  });
  result.gap += proximal_gap(context_.state, context_.geometry, context_.cone);
  const double wall = watch.seconds();
  seconds_ +=
      std::max(0.0, wall - (context_.workers.seconds() - oracle_before) / static_cast<double>(context_.workers.size()));
  return result;
}

PassResult BlockAscent::oracle_pass() {
  if (context_.plane_bytes > 0) cache_.trim(context_.plane_bytes);
  ++context_.state.pass;
  context_.state.oracle_calls += context_.workers.blocks().size();
  return sweep(pass_order(context_, context_.state.pass), true);
}

// A block that did not move is at the best point of its planes. It stays there while w changes little, so it is looked
// at again after a few sweeps only.
PassResult BlockAscent::cached_pass(std::uint64_t number, bool whole) {
  const std::uint64_t pass = (context_.state.pass << 16) + number;
  PassResult result = sweep(whole ? pass_order(context_, pass) : pass_order(context_, pass, std::move(moved_)), false);
  result.whole = whole;
  return result;
}

// Counts afresh after every oracle pass, so that a resumed run decides as an undisturbed one does.
void BlockAscent::watch_decay(std::uint64_t number, double gain) {
  slow_ = number > 1 && gain > kSlow * last_gain_ ? slow_ + 1 : 0;
  last_gain_ = gain;
  if (slow_ >= kPatience && context_.state.stalled == 0) begin_proximal(context_.state, context_.cone, kKappa);
}

PassResult BlockAscent::cached_round(std::uint64_t& number) {
  if (context_.state.kappa == 0) {
    const PassResult pass = cached_pass(number, number % kWhole == 1);
    watch_decay(number++, pass.gain);
    return pass;
  }
  const double before = cache_.dual();
  PassResult round;
  for (int sweeps = 0; sweeps < kSweeps && !context_.stopping.out_of_time(); ++sweeps) {
    const PassResult pass = cached_pass(number++, sweeps % kWhole == 0);
    round.gain += pass.gain;
    round.cost += pass.cost;
    round.gap = pass.gap;
  }
  if (round.gain > 0) {
    move_centre(context_.state, context_.geometry, context_.cone, cache_.dual() < before);
  } else {  // only w still moves, towards v
    end_proximal(context_.state);
    round = cached_pass(number++, true);
  }
  return round;
}

double BlockAscent::evaluate(std::span<const double> v, PassResult& result) {
  if (context_.plane_bytes > 0) cache_.trim(context_.plane_bytes);
  ++context_.state.pass;
  context_.state.oracle_calls += context_.workers.blocks().size();
  const std::size_t count = context_.workers.blocks().size();
  std::atomic<std::size_t> added{0};
  const double risk = context_.workers.evaluate(v, (count + 7) / 8, [&](const BlockResponse& answer) {
    if (cache_.insert(answer.block, answer.plane)) added.fetch_add(1, std::memory_order_relaxed);
  });
  result.new_planes = added.load();
  for (const std::size_t block : context_.workers.blocks()) result.cost += context_.risk.linearize_cost(block);
  return 0.5 * context_.cone.square(v) + risk;
}

}  // namespace dorm
