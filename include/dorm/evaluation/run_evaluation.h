// SPDX-License-Identifier: Apache-2.0
// A run evaluated while it is read.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "dorm/data/run_sink.h"
#include "dorm/evaluate.h"

namespace dorm {

/// evaluate_run() of a run that read_run() or hand_on() gives query by query: it needs memory for the judgments, and
/// for one value per judged query and measure. Throws Error(bad_input) for a document that comes twice in a query.
class RunEvaluation final : public RunSink {
 public:
  /// `judgments` must outlive it. `weights` of the queries in order of their first judgment, none: all alike.
  RunEvaluation(std::span<const Judgment> judgments, std::span<const std::string> measures,
                const EvaluateOptions& options = {}, std::span<const double> weights = {});
  ~RunEvaluation() override;
  RunEvaluation(const RunEvaluation&) = delete;
  RunEvaluation& operator=(const RunEvaluation&) = delete;

  void begin(std::size_t workers) override;
  bool add(const RunQuery& query, std::size_t worker) override;

  /// Of the last run that came, once.
  EvaluationTable table();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace dorm
