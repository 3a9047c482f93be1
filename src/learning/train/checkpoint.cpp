// SPDX-License-Identifier: Apache-2.0
#include "learning/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "dorm/error.h"

namespace dorm {
namespace {

Json to_json(const Fitted& fitted) {
  return {{"w", fitted.w},
          {"primal", fitted.report.primal},
          {"dual", fitted.report.dual},
          {"gap", fitted.report.gap},
          {"status", fitted.status()},
          {"objectives", fitted.objectives},
          {"zero_risk", fitted.zero_risk}};
}

Fitted fitted_from(const JsonFields& json) {
  Fitted fitted;
  json.read("w", fitted.w);
  json.read("primal", fitted.report.primal);
  json.read("dual", fitted.report.dual);
  json.read("gap", fitted.report.gap);
  fitted.report.status = parse_status(json.required<std::string>("status", "a name"));
  json.read("objectives", fitted.objectives);
  json.read("zero_risk", fitted.zero_risk);
  return fitted;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// A risk, a lower bound of it that may be coarse, their gap, and the risk of no ranker at all.
bool agree(const SolveReport& report, double zero_risk) {
  constexpr double kRounding = 1e-6, kLargestGap = 1e6;
  const auto is_gap = [](double gap) { return gap >= -kRounding && gap <= kLargestGap; };
  return zero_risk >= 0 && report.primal >= -kRounding * (1 + zero_risk) && is_gap(report.gap) &&
         is_gap(relative_gap(report.primal, report.dual)) && !std::isinf(report.primal / zero_risk);
}

bool fits(const Fitted& fitted, std::size_t dimension) {
  return fitted.w.size() == dimension && all_finite(fitted.w) && !fitted.objectives.empty() &&
         all_finite(fitted.objectives) &&
         all_finite({fitted.report.primal, fitted.report.dual, fitted.report.gap, fitted.zero_risk}) &&
         agree(fitted.report, fitted.zero_risk);
}

// Rounds are counted from 1; all but the one begun have left an objective.
bool fits(const RoundsState& state, std::size_t dimension) {
  if (state.round == 0) return state.reference_w.empty() && state.objectives.empty();
  return state.reference_w.size() == dimension && all_finite(state.reference_w) &&
         state.objectives.size() == state.round - 1 && all_finite(state.objectives);
}

}  // namespace

Checkpoint::Checkpoint(const TrainOptions& options, std::uint64_t data_fingerprint, std::size_t dimension,
                       const std::string& problem)
    : file_(options.checkpoint, options.checkpoint_seconds, "train", data_fingerprint,
            checkpoint_identity(options, problem)),
      dimension_(dimension) {
  std::optional<SavedProgress> saved = file_.load();
  if (!saved) return;
  try {
    read_progress(JsonFields(saved->json, file_.path(), "a usable checkpoint"));
  } catch (const Error& error) {
    if (error.position().file == file_.path()) throw;
    refuse(error.what());
  }
  if (!saved->states.empty()) current_.solver = std::move(saved->states.front());
  resumed_ = true;
}

void Checkpoint::read_progress(const JsonFields& json) {
  for (const JsonFields& fitted : json.objects("finished", "a list")) finished_.push_back(fitted_from(fitted));
  json.read("round", current_.round);
  json.read("reference_w", current_.reference_w);
  json.read("objectives", current_.objectives);
  const auto fit = [this](const auto& part) { return fits(part, dimension_); };
  if (!std::all_of(finished_.begin(), finished_.end(), fit) || !fit(current_))
    refuse(fmt::format("it does not have {} weights, or its figures contradict each other", dimension_));
}

RoundsState Checkpoint::resume(std::size_t index) {
  return index == finished_.size() ? std::exchange(current_, {}) : RoundsState{};
}

void Checkpoint::save_if_due(std::size_t index, const RoundsState& state, const Progress& progress, bool last) {
  if (!file_.used() || index != finished_.size() || closed_) return;
  const bool due = progress.evaluated && file_.due();
  if (!due && !(last && (progress.evaluated || progress.state))) return;
  save(state, progress.state);
  closed_ = last;
}

void Checkpoint::finish(Fitted fitted) {
  if (!file_.used()) return;
  fitted.first_round = {};
  finished_.push_back(std::move(fitted));
  save({}, nullptr);
}

void Checkpoint::save(const RoundsState& state, const SolverState* solver) {
  Json finished = Json::array();
  for (const Fitted& fitted : finished_) finished.push_back(to_json(fitted));
  Json json = {{"finished", std::move(finished)},
               {"round", state.round},
               {"reference_w", state.reference_w},
               {"objectives", state.objectives}};
  file_.save(std::move(json), {}, {&solver, solver ? 1u : 0u});
}

}  // namespace dorm
