// SPDX-License-Identifier: Apache-2.0
#include "learning/train/training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "learning/solver/solver_table.h"
#include "learning/train/average.h"
#include "learning/train/describe.h"
#include "learning/train/early_stopping.h"
#include "learning/train/kernel_options.h"

namespace dorm {
namespace {

TrainOptions checked(const TrainOptions& options) {
  options.validate();
  if (!KernelOptions(options).used() && options.approximation != "none")
    throw Error(ErrorCode::bad_option,
                fmt::format("approximation \"{}\" of what? expected a kernel beside it, such as rbf:gamma=median",
                            options.approximation));
  return options;
}

}  // namespace

Training::Training(const TrainOptions& options, const MakeProblem& make, const TrainObserver& observer)
    : options_(checked(options)),
      observer_(observer),
      limit_(options.solve.seconds),
      problem_(make()),
      units_(problem_->units()),
      checkpoint_(options_, problem_->summary().fingerprint, problem_->risk().dimension(), problem_->identity()) {
  problem_->risk().set_trade_off(units_.trade_off(options.C, problem_->risk().num_lists()));
}

void Training::run() {
  if (!options_.bound)
    run_auto();
  else
    for (const InitialModel start : problem_->starts(*options_.bound)) attempt(*options_.bound, start);
  share_out();
  combine();
  if (!unfinished_ && !options_.keep_checkpoint) checkpoint_.remove();
}

// What is tried without validation data is what share_out() can use.
void Training::run_auto() {
  attempt(Bound::best, problem_->starts(Bound::best).front());
  const double explained_risk = candidates_.front().explained_risk;
  if (!problem_->has_validation() && explained_risk >= (averages() ? kConfident : kHealthy)) return;
  const bool one_start = averages() && !problem_->has_validation() && explained_risk >= kDegenerate;
  for (const InitialModel start : problem_->starts(Bound::predicted)) {
    attempt(Bound::predicted, start);
    if (one_start) break;
  }
}

/// Whether the model may be a sum of candidates: asked for by the bound auto, and the weights are those of scores.
bool Training::averages() const { return !options_.bound && problem_->averages(); }

/// Candidates that are degenerate or were cut short are out where there is another. Of the others, all in equal parts,
/// or by how they validate.
void Training::share_out() {
  std::vector<std::size_t> in;
  for (std::size_t k = 0; k < candidates_.size(); ++k)
    if (candidates_[k].explained_risk >= kDegenerate && !fitted_[k].unfinished()) in.push_back(k);
  if (!averages() || in.empty()) in = {best_alone()};
  std::vector<std::span<const double>> judged;
  for (const std::size_t k : in)
    if (problem_->has_validation()) judged.emplace_back(per_query_[k]);
  const std::vector<double> shares = judged.empty()
                                         ? std::vector<double>(in.size(), 1.0 / static_cast<double>(in.size()))
                                         : shares_by_validation(judged);
  for (std::size_t i = 0; i < in.size(); ++i) candidates_[in[i]].share = shares[i];
  const auto more = [](const Candidate& a, const Candidate& b) { return a.share < b.share; };
  leader_ =
      static_cast<std::size_t>(std::max_element(candidates_.begin(), candidates_.end(), more) - candidates_.begin());
}

void Training::combine() {
  const Candidate& leader = candidates_[leader_];
  validation_of_model_ = leader.validation;
  weights_ = fitted_[leader_].w;
  if (leader.share == 1) return;
  AverageOfWeights average;
  for (std::size_t k = 0; k < candidates_.size(); ++k)
    if (candidates_[k].chosen()) average.add(fitted_[k].w, problem_->spread(fitted_[k].w), candidates_[k].share);
  weights_ = average.weights();
  if (problem_->has_validation()) validation_of_model_ = problem_->validate(weights_).mean;
}

void Training::attempt(Bound bound, InitialModel start) {
  if (stopped_) {
    unfinished_ = true;
    return;
  }
  const std::size_t index = candidates_.size();
  if (const Fitted* done = checkpoint_.finished(index)) {
    record(bound, start, *done);
    return;
  }
  validated_ = std::numeric_limits<double>::quiet_NaN();
  RoundsState resume = checkpoint_.resume(index);
  EarlyStopping early(options_.patience);
  const RoundsObserver relay = [&](const RoundsState& state, const Progress& progress) {
    const bool go_on = tell(bound, start, index, state, progress);
    if (progress.evaluated) early.note(validated_, progress);
    return go_on && !early.over();
  };
  const std::vector<double>& first = start_weights(start);  // takes time, of which rounds_options() counts the rest
  const RoundsOptions rounds = rounds_options(bound);
  check_resumed(resume, rounds);
  Fitted fitted = run_rounds(problem_->risk(), rounds, first, relay, std::move(resume));
  early.keep_best(fitted);
  // A solver that is stopped evaluates once more. Converged there, it has not ended where it would have.
  if (stopped_ && !early.over() && fitted.report.status == SolveStatus::converged)
    fitted.report.status = SolveStatus::interrupted;
  record(bound, start, fitted);
  if (!unfinished_) checkpoint_.finish(std::move(fitted));
}

// A state of another problem is the checkpoint's fault, not the solver's.
void Training::check_resumed(const RoundsState& state, const RoundsOptions& rounds) const {
  if (state.solver.empty()) return;
  try {
    check_state(problem_->risk(), rounds.solve, state.solver);
  } catch (const Error& error) {
    checkpoint_.refuse(error.what());
  }
}

const std::vector<double>& Training::start_weights(InitialModel start) {
  const auto [found, unknown] = starts_.try_emplace(start);
  if (unknown) found->second = problem_->start(start, limit_.left());
  return found->second;
}

RoundsOptions Training::rounds_options(Bound bound) const {
  RoundsOptions rounds{.bound = bound,
                       .rounds = options_.rounds,
                       .solve = options_.solve,
                       .compute = {.threads = problem_->solver_threads(), .memory = problem_->plane_bytes()}};
  rounds.solve.evaluate_often = options_.patience > 0;
  rounds.solve.seconds = limit_.left();
  return rounds;
}

bool Training::tell(Bound bound, InitialModel start, std::size_t index, const RoundsState& state,
                    const Progress& progress) {
  stopped_ = !wants_more(bound, start, state, progress) || stopped_;
  checkpoint_.save_if_due(index, state, progress, stopped_ || limit_.over());
  return !stopped_;
}

bool Training::wants_more(Bound bound, InitialModel start, const RoundsState& state, const Progress& progress) {
  if (problem_->has_validation() && progress.evaluated && (observer_ || options_.patience > 0))
    validated_ = problem_->validate({progress.best_w.begin(), progress.best_w.end()}).mean;
  return !observer_ ||
         observer_({bound, start, state.round, units_.objective(progress), validated_, checkpoint_.resumed()});
}

void Training::record(Bound bound, InitialModel start, Fitted fitted) {
  Candidate candidate;
  candidate.bound = bound;
  candidate.start = start;
  candidate.rounds = fitted.objectives.size();
  candidate.explained_risk = fitted.explained_risk();
  candidate.certificate = {units_.objective(fitted.report.primal), units_.objective(fitted.report.dual),
                           fitted.report.gap, std::string(fitted.status())};
  if (problem_->has_validation()) {
    MeasureResult judged = problem_->validate(fitted.w);
    candidate.validation = judged.mean;
    per_query_.push_back(std::move(judged.per_query));
  }
  unfinished_ = fitted.unfinished();
  stopped_ = stopped_ || unfinished_;
  candidates_.push_back(std::move(candidate));
  fitted_.push_back(std::move(fitted));
}

std::size_t Training::best_alone() const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < candidates_.size(); ++k)
    if (better(candidates_[k], candidates_[best])) best = k;
  return best;
}

// One that carries information before one that does not; then by validation where there is any. Otherwise later
// candidates exist only where the first was not healthy, and among bounds of the same kind the lower objective wins.
bool Training::better(const Candidate& candidate, const Candidate& incumbent) const {
  const bool informative = candidate.explained_risk >= kDegenerate;
  if (informative != (incumbent.explained_risk >= kDegenerate)) return informative;
  if (problem_->has_validation() && !(std::isnan(candidate.validation) && std::isnan(incumbent.validation)))
    return std::isnan(incumbent.validation) || candidate.validation > incumbent.validation;
  if (candidate.bound != incumbent.bound) return true;
  return candidate.certificate.primal < incumbent.certificate.primal;
}

Model Training::model(const std::vector<double>& w) const {
  const Candidate& leader = candidates_[leader_];
  Model model = problem_->model(w);
  Origin origin = origin_of(options_);
  origin.measure = problem_->measure_name();
  origin.bound = name_of(leader.bound);
  origin.start = name_of(leader.start);
  origin.rounds = leader.rounds;
  origin.certificate = leader.certificate;
  origin.explained_risk = leader.explained_risk;
  origin.validation = validation_of_model_;
  origin.data = problem_->summary();
  describe(model, origin);
  if (leader.share < 1) model.parts = parts();
  return model;
}

std::vector<ModelPart> Training::parts() const {
  std::vector<ModelPart> parts;
  for (const Candidate& c : candidates_)
    if (c.chosen())
      parts.push_back({c.share, problem_->measure_name(), options_.decay, std::string(name_of(c.bound)),
                       std::string(name_of(c.start)), options_.C, c.rounds, c.certificate, c.explained_risk,
                       c.validation});
  std::stable_sort(parts.begin(), parts.end(),
                   [](const ModelPart& a, const ModelPart& b) { return a.share > b.share; });
  return parts;
}

TrainReport Training::report() const {
  const DataSummary summary = problem_->summary();
  return {.candidates = candidates_,
          .dropped_queries = summary.queries - summary.usable_queries,
          .kernel = problem_->kernel_note(),
          .warnings = warnings(),
          .solve = units_.objective(fitted_[leader_].report),
          .finished = !unfinished_,
          .resumed = checkpoint_.resumed(),
          .seconds = watch_.seconds()};
}

std::vector<std::string> Training::warnings() const {
  std::vector<std::string> out;
  const Candidate& chosen = candidates_[leader_];
  const Fitted& fitted = fitted_[leader_];
  if (fitted.report.status == SolveStatus::numerical_trouble && !fitted.report.trouble.empty())
    out.push_back(fmt::format("numerical trouble: {}", fitted.report.trouble));
  if (fitted.zero_is_optimal(options_.solve.tolerance))
    out.push_back(
        fmt::format("the best model under this bound is w = 0 (bound {}, risk of w = 0 {:.6g}, lower bound {:.6g}): "
                    "the ranking is not to be trusted; try the bound auto",
                    name_of(chosen.bound), units_.objective(fitted.zero_risk), chosen.certificate.dual));
  else if (chosen.explained_risk < kDegenerate)
    out.push_back(
        fmt::format("explained risk {:.4f} is below {}: the bound {} carries hardly any information on this data",
                    chosen.explained_risk, kDegenerate, name_of(chosen.bound)));
  return out;
}

}  // namespace dorm
