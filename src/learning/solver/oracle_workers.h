// SPDX-License-Identifier: Apache-2.0
// The threads of one solver run, each with its own workspace, and the blocks they work on.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/parallel.h"
#include "dorm/solver.h"
#include "learning/solver/cone.h"

namespace dorm {

class BatchRelay;

class OracleWorkers final : public BlockWorkers {
 public:
  OracleWorkers(const StructuredRisk& risk, std::size_t threads);
  ~OracleWorkers() override;

  /// The blocks with positive weight, ascending. No other block is ever visited.
  const std::vector<std::size_t>& blocks() const { return blocks_; }
  double total_weight() const { return total_weight_; }

  std::size_t size() const override { return workspaces_.size(); }
  RiskWorkspace& workspace(std::size_t worker) override { return *workspaces_[worker]; }
  void run(std::size_t count, const std::function<void(std::size_t, std::size_t)>& body) override;

  /// step(first, last) for consecutive batches of [0, count), one after the other on one thread. The other threads stay
  /// awake until the last, so that run() and linearize() cost little however short a batch is.
  void run_batches(std::size_t count, std::size_t batch,
                   const std::function<void(std::size_t first, std::size_t last)>& step);

  /// Linearises some blocks at the w of `v` (cone.h), each a piece of its own; `following` as in BlockBatch.
  void linearize(std::span<const std::size_t> blocks, std::span<const double> v, const BlockVisitor& visit,
                 std::span<const std::size_t> following = {});

  /// sum_q C_q H_q at the w of `v`, summed in the order of blocks(), which are visited in `pieces` pieces (see
  /// BlockBatch).
  double evaluate(std::span<const double> v, std::size_t pieces, const BlockVisitor& visit = {});

  double seconds() const;  // in the oracle, summed over threads

 private:
  const StructuredRisk& risk_;
  const Cone cone_;
  std::vector<double> nearest_;  // memory of the w of the present call
  ThreadPool pool_;
  std::vector<std::unique_ptr<RiskWorkspace>> workspaces_;
  std::vector<std::size_t> blocks_;
  std::vector<double> values_;
  double total_weight_ = 0;
  BatchRelay* relay_ = nullptr;  // while batches run: takes the place of the pool
  std::size_t leader_ = 0;       // the worker that runs them
};

}  // namespace dorm
