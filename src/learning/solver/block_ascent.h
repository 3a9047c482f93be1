// SPDX-License-Identifier: Apache-2.0
// Passes of exact dual steps over all blocks, with or without the oracle.
//
// Blocks go in batches. All of a batch propose a step at the same w, in parallel; the steps are then applied one after
// the other in a fixed order, each with an exact line search at the w it meets. The dual never falls, and nothing
// depends on the number of threads.
#pragma once

#include "learning/solver/context.h"
#include "learning/solver/plane_cache.h"

namespace dorm {

struct PassResult {
  double gain = 0;  // rise of the dual
  double gap = 0;   // about P - D: the gaps of the blocks, each just before its step; NaN if a value was not finite
  double cost = 0;  // multiply-adds
  std::size_t new_planes = 0;
  bool whole = true;  // all blocks were visited
};

class BlockAscent {
 public:
  BlockAscent(SolveContext& context, const PlaneLimits& limits);

  /// Linearises each block at the w of its batch and steps on all its planes.
  PassResult oracle_pass();
  /// Steps on the planes at hand: the sweep of this number (1 after an oracle pass or an evaluation), which is
  /// counted on. One sweep in three visits all blocks, the others those that moved in the sweep before. Where sweeps
  /// are seen to crawl, the proximal-point loop begins: from then on four sweeps and a move of the centre, with the
  /// gap of the last sweep.
  PassResult cached_round(std::uint64_t& number);
  /// P at the w of `v` (cone.h); new planes are kept, no step is made.
  double evaluate(std::span<const double> v, PassResult& result);

  PlaneCache& cache() { return cache_; }
  double seconds() const { return seconds_; }

 private:
  PassResult sweep(std::span<const std::size_t> order, bool oracle);
  PassResult cached_pass(std::uint64_t number, bool whole);
  void watch_decay(std::uint64_t number, double gain);

  SolveContext& context_;
  PlaneCache cache_;
  std::vector<Proposal> proposals_;
  std::vector<std::size_t> moved_;  // blocks whose proposal moved in the last sweep
  double seconds_ = 0;              // of sweeps, without the oracle
  double last_gain_ = 0;            // of the last cached sweep
  int slow_ = 0;                    // sweeps in a row whose gain was hardly below that of the one before
};

}  // namespace dorm
