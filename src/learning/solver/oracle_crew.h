// SPDX-License-Identifier: Apache-2.0
// Threads that linearise blocks, each with its own workspace; counts calls and seconds.
#pragma once

#include <functional>

#include "base/parallel.h"
#include "dorm/solver.h"

namespace dorm {

class OracleCrew {
 public:
  OracleCrew(const StructuredRisk& risk, std::size_t threads);

  /// The blocks with positive weight, ascending. No other block is ever visited.
  const std::vector<std::size_t>& blocks() const { return blocks_; }
  double total_weight() const { return total_weight_; }

  /// body(index, worker) for index < count on all threads.
  void run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body);

  /// The same in batches of consecutive indices: when a batch is done, serial(first, last) runs alone before
  /// the next begins.
  void run_batches(std::size_t count, std::size_t batch, const std::function<void(std::size_t, std::size_t)>& body,
                   const std::function<void(std::size_t, std::size_t)>& serial);

  /// The plane of a block at w, in memory of the worker that is overwritten by its next call.
  struct Answer {
    double value = 0;
    Plane* plane = nullptr;
  };
  Answer linearize(std::size_t block, std::span<const double> w, std::size_t worker);

  /// sum_q C_q H_q(w), summed in the order of blocks(). visit(chunk, block, answer) is called for every block, in order
  /// within each of `chunks` consecutive parts, the parts in parallel.
  using Visit = std::function<void(std::size_t chunk, std::size_t block, const Answer&)>;
  double evaluate(std::span<const double> w, std::size_t chunks, const Visit& visit);

  std::uint64_t calls() const;
  double threads() const { return static_cast<double>(workers_.size()); }
  double seconds() const;  // inside linearize, summed over threads

 private:
  struct Worker {
    std::unique_ptr<RiskWorkspace> workspace;
    Plane plane;
    std::uint64_t calls = 0;
    double seconds = 0;
  };
  const StructuredRisk& risk_;
  ThreadPool pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::size_t> blocks_;
  std::vector<double> values_;
  double total_weight_ = 0;
};

}  // namespace dorm
