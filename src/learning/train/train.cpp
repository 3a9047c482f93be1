// SPDX-License-Identifier: Apache-2.0
// The facade: prepare the data, try the candidates that the bound asks for, keep the best, report all.
#include "dorm/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/stopwatch.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "learning/train/checkpoint.h"
#include "learning/train/early_stopping.h"
#include "learning/train/fit.h"
#include "learning/train/initial.h"
#include "learning/train/training_set.h"
#include "model/scorer.h"

namespace dorm {
namespace {

class Training {
 public:
  Training(const Dataset& data, const TrainOptions& options, const Dataset* validation, const TrainObserver& observer)
      : options_(options),
        validation_(validation),
        observer_(observer),
        convention_(make_convention(options.convention)),
        made_measure_(options.own_measure ? nullptr : make_trainable(options.measure, convention_)),
        measure_(options.own_measure ? *options.own_measure : *made_measure_),
        fingerprint_(data.fingerprint()),
        set_(data, options.scale, options.threads, KernelOptions(options), options.seed),
        risk_(set_.features(), measure_, Decay(options.decay), options.threads, OracleKind::automatic,
              limits_of(set_.features().data(), options)),
        checkpoint_(options, fingerprint_) {
    if (validation) scorer_ = set_.scorer(*validation);
    if (options.initial) initial_w_ = initial_weights(*options.initial, set_);
    risk_.set_trade_off(trade_off(options.C, options.paper_C, set_, risk_));
  }

  TrainResult run() {
    if (options_.bound == "auto")
      run_auto();
    else
      for (const std::string& start : starts_of(options_.bound)) attempt(options_.bound, start);
    return finish();
  }

 private:
  std::vector<std::string> starts_of(const std::string& bound) const {
    if (options_.initial) return {"model"};
    if (options_.start != "auto") return {options_.start};
    if (bound == "predicted") return {"ridge", "pairwise"};
    return {"ridge"};
  }

  void run_auto() {
    attempt("best", starts_of("best").front());
    if (!validation_ && candidates_.front().health >= kHealthy) return;
    for (const std::string& start : starts_of("predicted")) attempt("predicted", start);
  }

  void attempt(const std::string& bound, const std::string& start) {
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
    // Before the time that is left is taken.
    const std::vector<double>& first = options_.initial ? initial_w_ : set_.start(start);
    Fitted fitted = fit_bound(risk_, fit_options(bound), first, relay, std::move(resume));
    early.keep_best(fitted);
    record(bound, start, fitted);
    if (!unfinished_) checkpoint_.finish(std::move(fitted));
  }

  FitOptions fit_options(const std::string& bound) const {
    FitOptions fit;
    fit.bound = parse_bound(bound);
    fit.rounds = options_.rounds;
    fit.solve.solver = parse_solver(options_.solver);
    fit.solve.tolerance = options_.tolerance;
    fit.solve.max_passes = options_.max_passes;
    fit.solve.threads = set_.solver_threads();
    fit.solve.seed = options_.seed;
    fit.solve.plane_bytes = options_.plane_bytes;
    if (options_.seconds > 0) fit.solve.seconds = std::max(1e-9, options_.seconds - watch_.seconds());
    return fit;
  }

  bool tell(const std::string& bound, const std::string& start, std::size_t index, const RoundsState& state,
            const Progress& progress) {
    stopped_ = !wants_more(bound, start, state, progress) || stopped_;
    checkpoint_.save_if_due(index, state, progress, stopped_ || out_of_time());
    return !stopped_;
  }

  bool out_of_time() const { return options_.seconds > 0 && watch_.seconds() >= options_.seconds; }

  bool wants_more(const std::string& bound, const std::string& start, const RoundsState& state,
                  const Progress& progress) {
    if (validation_ && progress.evaluated && (observer_ || options_.patience > 0))
      validated_ = validate({progress.best_w.begin(), progress.best_w.end()});
    if (!observer_) return true;
    TrainProgress report{bound, start, state.round, progress};
    report.solver.primal /= unit();
    report.solver.dual /= unit();
    report.validation = validated_;
    return observer_(report);
  }

  double validate(const std::vector<double>& w) const {
    const std::vector<double> scores = scorer_->scores(w, options_.threads);
    EvaluateOptions evaluation{
        .convention = options_.convention, .one_per = options_.one_per, .bootstrap = 0, .threads = options_.threads};
    const Measure* const measure = &measure_;
    return evaluate(*validation_, scores, std::span(&measure, 1), evaluation).measures[0].mean;
  }

  void record(const std::string& bound, const std::string& start, const Fitted& fitted) {
    Candidate candidate;
    candidate.bound = bound;
    candidate.start = start;
    candidate.rounds = fitted.rounds;
    candidate.certificate = {fitted.primal / unit(), fitted.dual / unit(), fitted.gap, fitted.status};
    candidate.health = fitted.health;
    if (validation_) candidate.validation = validate(fitted.w);
    unfinished_ = fitted.status == "interrupted" || fitted.status == "time_limit";
    stopped_ = stopped_ || unfinished_;
    if (!best_ || better(candidate, candidates_[*best_])) {
      best_ = candidates_.size();
      best_fitted_ = fitted;
    }
    candidates_.push_back(std::move(candidate));
  }

  // By validation where there is any. Otherwise later candidates exist only where the first was not healthy, and among
  // bounds of the same kind the lower objective wins.
  bool better(const Candidate& candidate, const Candidate& incumbent) const {
    if (validation_ && !(std::isnan(candidate.validation) && std::isnan(incumbent.validation)))
      return std::isnan(incumbent.validation) || candidate.validation > incumbent.validation;
    if (candidate.bound != incumbent.bound) return true;
    return candidate.certificate.primal < incumbent.certificate.primal;
  }

  // The objective is reported in the units of the user's C: features scaled by s, weights by 1/s.
  double unit() const { return options_.paper_C ? 1.0 : set_.squared_scale(); }

  SolveReport in_units(SolveReport report) const {
    report.primal /= unit();
    report.dual /= unit();
    for (Progress& progress : report.history) {
      progress.primal /= unit();
      progress.dual /= unit();
    }
    return report;
  }

  TrainResult finish() {
    Candidate& chosen = candidates_[*best_];
    chosen.chosen = true;
    TrainResult result{set_.model(best_fitted_.w), {}};
    Model& model = result.model;
    model.measure = measure_.name();
    model.convention = options_.convention;
    model.decay = options_.decay;
    model.one_per = options_.one_per;
    model.bound = chosen.bound;
    model.start = chosen.start;
    model.rounds = chosen.rounds;
    model.solver = options_.solver;
    model.C = options_.C;
    model.tolerance = options_.tolerance;
    model.seed = options_.seed;
    model.certificate = chosen.certificate;
    model.health = chosen.health;
    model.validation = chosen.validation;
    model.data.fingerprint = fingerprint_;
    model.data.usable_queries = risk_.num_blocks();
    result.report.candidates = candidates_;
    result.report.dropped_queries = set_.num_queries() - risk_.num_blocks();
    result.report.kernel = set_.kernel_note();
    result.report.solve = in_units(best_fitted_.report);
    result.report.warnings = warnings(chosen);
    result.report.seconds = watch_.seconds();
    if (!unfinished_) checkpoint_.remove();
    return result;
  }

  std::vector<std::string> warnings(const Candidate& chosen) const {
    if (best_fitted_.zero_is_optimal)
      return {
          fmt::format("the best model under this bound is w = 0 (bound {}, risk of w = 0 {:.6g}, lower bound {:.6g}): "
                      "the ranking is not to be trusted; try the bound auto",
                      chosen.bound, best_fitted_.zero_risk / unit(), chosen.certificate.dual)};
    if (chosen.health < kDegenerate)
      return {fmt::format("health {:.4f} is below {}: the bound {} carries hardly any information on this data",
                          chosen.health, kDegenerate, chosen.bound)};
    return {};
  }

  const TrainOptions& options_;
  const Dataset* validation_;
  const TrainObserver& observer_;
  Stopwatch watch_;
  Convention convention_;
  std::unique_ptr<const FactoredMeasure> made_measure_;  // null: the caller's own
  const FactoredMeasure& measure_;
  std::uint64_t fingerprint_;
  TrainingSet set_;
  std::vector<double> initial_w_;  // empty: none
  RankingRisk risk_;
  Checkpoint checkpoint_;
  std::unique_ptr<const Scorer> scorer_;  // of the validation data
  std::vector<Candidate> candidates_;
  std::optional<std::size_t> best_;
  Fitted best_fitted_;
  double validated_ = std::numeric_limits<double>::quiet_NaN();  // of the best w of the last evaluation
  bool stopped_ = false;                                         // no further work is wanted
  bool unfinished_ = false;                                      // and some was left: the checkpoint stays
};

}  // namespace

TrainResult train(const Dataset& data, const TrainOptions& options, const Dataset* validation,
                  const TrainObserver& observer) {
  options.validate();
  if (options.patience > 0 && !validation)
    throw Error(ErrorCode::bad_option, "early stopping needs validation data to judge by");
  if (!KernelOptions(options).used() && options.approximation != "none")
    throw Error(ErrorCode::bad_option,
                fmt::format("approximation \"{}\" of what? expected a kernel beside it, such as rbf:gamma=median",
                            options.approximation));
  if (options.kernel == "precomputed") check_precomputed(data);
  return Training(data, options, validation, observer).run();
}

}  // namespace dorm
