// SPDX-License-Identifier: Apache-2.0
// One training: the candidates that the bound asks for are tried, the best is kept or several are averaged,
// all are reported.
#pragma once

#include <map>
#include <optional>

#include "base/stopwatch.h"
#include "learning/train/checkpoint.h"
#include "learning/train/problem.h"
#include "learning/train/rounds.h"

namespace dorm {

class Training {
 public:
  /// The problem is part of what is timed. Borrows the observer. Throws Error as train() does.
  Training(const TrainOptions& options, const MakeProblem& make, const TrainObserver& observer);

  /// To be called once, first.
  void run();

  /// Of the best candidate or the average, in the coordinates of the risk.
  const std::vector<double>& weights() const { return weights_; }
  const ReferencedRisk& risk() const { return problem_->risk(); }

  /// A model of some of the weights (all of them, for a sorted ranking), with how they were found.
  Model model(const std::vector<double>& w) const;
  TrainReport report() const;

 private:
  void run_auto();
  bool averages() const;
  void share_out();
  void combine();
  void attempt(Bound bound, InitialModel start);
  void check_resumed(const RoundsState& state, const RoundsOptions& rounds) const;
  const std::vector<double>& start_weights(InitialModel start);
  RoundsOptions rounds_options(Bound bound) const;
  bool tell(Bound bound, InitialModel start, std::size_t index, const RoundsState& state, const Progress& progress);
  bool wants_more(Bound bound, InitialModel start, const RoundsState& state, const Progress& progress);
  void record(Bound bound, InitialModel start, Fitted fitted);
  bool better(const Candidate& candidate, const Candidate& incumbent) const;
  std::size_t best_alone() const;
  std::vector<ModelPart> parts() const;
  std::vector<std::string> warnings() const;

  TrainOptions options_;
  const TrainObserver& observer_;
  Stopwatch watch_;
  TimeLimit limit_;
  std::unique_ptr<TrainingProblem> problem_;
  UnitsOfC units_;
  std::map<InitialModel, std::vector<double>> starts_;
  Checkpoint checkpoint_;
  std::vector<Candidate> candidates_;
  std::vector<Fitted> fitted_;                  // of the candidates
  std::vector<std::vector<double>> per_query_;  // of the candidates, with validation data
  std::size_t leader_ = 0;                      // the candidate with the largest share
  std::vector<double> weights_;
  double validation_of_model_ = std::numeric_limits<double>::quiet_NaN();
  double validated_ = std::numeric_limits<double>::quiet_NaN();  // of the best w of the last evaluation
  bool stopped_ = false;                                         // no further work is wanted
  bool unfinished_ = false;                                      // and some was left: the checkpoint stays
};

}  // namespace dorm
