// SPDX-License-Identifier: Apache-2.0
// The alternation: a squared-loss start, then rounds of item step and user step, each of which never raises the
// objective; the round to keep is chosen on validation data where there is any.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/stopwatch.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "recommend/factor/checkpoint.h"
#include "recommend/factor/choose.h"
#include "recommend/factor/factor_start.h"
#include "recommend/factor/implicit.h"
#include "recommend/factor/item_step.h"
#include "recommend/factor/refine.h"
#include "recommend/factor/squared_loss.h"
#include "recommend/factor/user_step.h"

namespace dorm {
namespace {

constexpr double kStationary = 1e-5;  // relative fall of the objective in a round that is not worth another

class Alternation {
 public:
  Alternation(const Ratings& train, const FactorizeOptions& options, const FactorizeInputs& inputs, ThreadPool& pool,
              const FactorizeObserver& observer)
      : train_(train), asked_(options), options_(options), inputs_(inputs), observer_(observer), pool_(pool) {}

  FactorizeResult run();
  FactorModel run_from(FactorModel start);

 private:
  double seconds() const { return watch_.seconds(); }
  bool tell(std::string_view stage, std::size_t round, double gap);
  void choose();
  void make_start();
  void set_centre();
  HalfStep step_items(ItemStep& step, std::size_t round);
  HalfStep step_users(RankingLists& lists, std::size_t round);
  void close_round(double objective);
  void save() const;
  bool settled();
  void run_rounds(RankingLists& lists);
  double regulariser_of_users() const;
  double regulariser_of_items() const;

  const Ratings& train_;
  const FactorizeOptions& asked_;
  FactorizeOptions options_;  // with what was left to a search settled
  const FactorizeInputs& inputs_;
  const FactorizeObserver& observer_;
  ThreadPool& pool_;
  Stopwatch watch_;
  FactorState state_;
  FactorizeReport report_;
  bool wanted_ = true;
  double best_validation_ = -INFINITY;
  FactorChoice choice_;
};

bool Alternation::tell(std::string_view stage, std::size_t round, double gap) {
  const double objective = state_.rounds.empty() ? 0 : state_.rounds.back().objective;
  if (wanted_ && observer_ &&
      !observer_({stage, round, objective, gap, std::isfinite(best_validation_) ? best_validation_ : std::nan("")})) {
    wanted_ = false;
    report_.status = "interrupted";
  }
  if (wanted_ && options_.seconds > 0 && seconds() > options_.seconds) {
    wanted_ = false;
    report_.status = "time_limit";
  }
  return wanted_;
}

void Alternation::choose() {
  if (!asked_.search.by_held_out()) return;
  ChosenOptions chosen =
      choose_options(train_, asked_, inputs_, pool_, [&](std::size_t tried) { return tell("choice", tried, 0); });
  options_ = std::move(chosen.options);
  choice_ = std::move(chosen.choice);
  report_.choice_seconds = seconds();
}

void Alternation::make_start() {
  const double began = seconds();
  state_.model = unlearnt_model(train_, options_, inputs_, pool_);
  state_.model.choice = std::move(choice_);
  if (inputs_.warm != nullptr) {
    copy_factors(*inputs_.warm, state_.model);
  } else {
    fit_squared_loss(state_.model, train_, pool_,
                     [&](std::size_t sweep) { return tell("start", 1, 1.0 / static_cast<double>(sweep)); });
  }
  report_.start_seconds = seconds() - began;
}

void Alternation::set_centre() {
  state_.user_centre = state_.model.user_factors;
  state_.item_centre = state_.model.item_factors;
  if (options_.centred) return;
  const FactorLayout& layout = state_.model.layout;
  for (std::size_t u = 0; u < state_.user_centre.rows; ++u)
    prior_mean(state_.model, state_.model.seen_by(u), state_.user_centre.row(u).first(layout.user_width()));
  for (std::size_t j = 0; j < state_.item_centre.rows; ++j) {
    const auto learnt = state_.item_centre.row(j).subspan(layout.item_begin());
    std::fill(learnt.begin(), learnt.end(), 0.0);
  }
}

double Alternation::regulariser_of_users() const {
  return 0.5 * options_.lambda * squared_distance(state_.model.user_factors.values, state_.user_centre.values);
}
double Alternation::regulariser_of_items() const {
  return 0.5 * options_.lambda * squared_distance(state_.model.item_factors.values, state_.item_centre.values);
}

HalfStep Alternation::step_items(ItemStep& step, std::size_t round) {
  const double started = seconds();
  const double other = regulariser_of_users();
  const ItemStepResult result =
      step.solve(state_.model.user_factors, state_.model.offsets, state_.item_centre, state_.model.item_factors,
                 [&](double gap) { return tell("items", round, gap); });
  return {round,
          true,
          result.before + other,
          result.after + other,
          result.after > 0 ? std::max(0.0, result.after - result.dual) / result.after : 0,
          result.passes,
          seconds() - started};
}

HalfStep Alternation::step_users(RankingLists& lists, std::size_t round) {
  const double started = seconds();
  double other = regulariser_of_items() + regulariser_of_users();  // users without a list stay as they are
  for (std::size_t l = 0; l < lists.size(); ++l)
    other -= 0.5 * options_.lambda *
             squared_distance(state_.model.user_factors.row(lists[l].user), state_.user_centre.row(lists[l].user));
  const std::size_t width = state_.model.layout.user_width();
  std::vector<UserStepResult> results(lists.size());
  std::vector<UserStep> steps = user_steps(pool_.size(), options_);
  pool_.run(lists.size(), [&](std::size_t l, std::size_t worker) {
    const std::uint32_t user = lists[l].user;
    results[l] = steps[worker].solve(lists, l, state_.model.item_factors, state_.model.offsets,
                                     state_.user_centre.row(user).first(width), state_.model.user_factors.row(user));
  });
  double before = 0, after = 0, dual = 0;
  for (const UserStepResult& result : results) {
    before += result.before;
    after += result.after;
    dual += result.dual;
  }
  return {round, false, before + other, after + other, after > 0 ? (after - dual) / after : 0, 1, seconds() - started};
}

void Alternation::close_round(double objective) {
  FactorRound round{state_.round, objective, std::nan(""), seconds()};
  bool better = true;
  if (inputs_.validation != nullptr) {
    const std::vector<double> scores = score(state_.model, *inputs_.validation);
    EvaluateOptions how;
    how.convention = options_.convention;
    how.bootstrap = 0;
    how.threads = 1;
    const std::string measures[] = {options_.measure};
    round.validation = evaluate(state_.model, *inputs_.validation, scores, measures, how).measures.front().mean;
    better = round.validation > best_validation_;
  }
  if (better) {
    best_validation_ = inputs_.validation != nullptr ? round.validation : best_validation_;
    state_.best_round = state_.round;
    state_.best_users = state_.model.user_factors;
    state_.best_items = state_.model.item_factors;
  }
  state_.rounds.push_back(round);
}

/// Only what is whole is saved: a round cut short by a stop would count as one when training is taken up again.
void Alternation::save() const {
  if (wanted_ && !options_.checkpoint.empty())
    save_checkpoint(state_, checkpoint_identity(train_, asked_, inputs_), options_.checkpoint);
}

/// Whether the rounds made ask for no further one; says why in the status. By the state alone, so that a finished
/// training that is taken up again stays finished.
bool Alternation::settled() {
  if (inputs_.validation != nullptr && state_.round > 0 && state_.round >= state_.best_round + options_.patience) {
    report_.status = "validation";
    return true;
  }
  if (state_.round < 2) return false;
  const double before = state_.rounds[state_.rounds.size() - 2].objective;
  if (before - state_.rounds.back().objective >= kStationary * before) return false;
  report_.status = "stationary";
  return true;
}

void Alternation::run_rounds(RankingLists& lists) {
  ItemStep items(lists, {state_.model.layout, options_.lambda, options_.tolerance, options_.max_passes, options_.seed},
                 pool_);
  report_.status = lists.size() > 0 ? "rounds" : "nothing_to_learn";
  while (state_.round < options_.rounds && lists.size() > 0 && !settled() && tell("items", state_.round + 1, 1)) {
    report_.half_steps.push_back(step_items(items, state_.round + 1));
    if (wanted_) report_.half_steps.push_back(step_users(lists, state_.round + 1));
    ++state_.round;
    close_round(report_.half_steps.back().after);
    if (state_.round == 1) state_.rounds.front().objective = report_.half_steps.front().before;
    save();
    if (!wanted_) break;
  }
}

FactorizeResult Alternation::run() {
  const bool resumed = !options_.checkpoint.empty() && load_checkpoint(state_, train_, asked_, inputs_);
  if (resumed) {
    options_ = with_choice(asked_, state_.model.options);
    for (const FactorRound& round : state_.rounds)
      if (round.round == state_.best_round && !std::isnan(round.validation)) best_validation_ = round.validation;
  } else {
    choose();
    make_start();
    set_centre();
    close_round(0);
    save();
  }
  RankingLists lists(train_, options_, pool_, state_.model.grades);
  report_.users_without_order = train_.num_users() - lists.size();
  if (wanted_) run_rounds(lists);
  report_.finished = wanted_;
  if (!options_.checkpoint.empty() && wanted_ && !options_.keep_checkpoint) remove_checkpoint(options_.checkpoint);
  state_.model.user_factors = std::move(state_.best_users);
  state_.model.item_factors = std::move(state_.best_items);
  state_.model.rounds = state_.best_round;
  for (const FactorRound& round : state_.rounds)
    if (round.round == state_.best_round) {
      state_.model.objective = round.objective;
      state_.model.validation = round.validation;
    }
  report_.rounds = std::move(state_.rounds);
  report_.seconds = seconds();
  return {std::move(state_.model), std::move(report_)};
}

FactorModel Alternation::run_from(FactorModel start) {
  state_.model = std::move(start);
  set_centre();
  close_round(0);
  RankingLists lists(train_, options_, pool_, state_.model.grades);
  run_rounds(lists);
  return std::move(state_.model);
}

}  // namespace

FactorModel refined(FactorModel start, const Ratings& train, ThreadPool& pool, const std::function<bool()>& go_on) {
  const FactorizeOptions options = start.options;
  const FactorizeObserver observer = [&](const FactorizeProgress&) { return go_on(); };
  return Alternation(train, options, {}, pool, observer).run_from(std::move(start));
}

FactorizeResult factorize(const Ratings& train, const FactorizeOptions& options, const FactorizeInputs& inputs,
                          const FactorizeObserver& observer) {
  options.validate();
  ThreadPool pool(thread_count(options.threads));
  return Alternation(train, options, inputs, pool, observer).run();
}

}  // namespace dorm
