// SPDX-License-Identifier: Apache-2.0
#include "run/training_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/tune.h"
#include "report/pages/words.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kRemembered = 8;  // evaluations the forecast looks back
constexpr std::size_t kNeeded = 3;

}  // namespace

void GapForecast::add(double seconds, double gap) {
  if (!(gap > 0)) return;
  if (points_.empty()) first_log_gap_ = std::log(gap);
  points_.push_back({seconds, std::log(gap)});
  if (points_.size() > kRemembered) points_.pop_front();
}

double GapForecast::share(double gap, double tolerance) {
  const double way = first_log_gap_ - std::log(tolerance);
  const double now = gap > 0 && way > 0 ? std::clamp((first_log_gap_ - std::log(gap)) / way, 0.0, 1.0) : 1;
  return share_ = std::max(share_, now);
}

void GapForecast::clear() { *this = {}; }

std::optional<double> GapForecast::left(double tolerance) const {
  if (points_.size() < kNeeded) return std::nullopt;
  const Point& first = points_.front();
  const Point& last = points_.back();
  const double elapsed = last.seconds - first.seconds;
  const double fallen = first.log_gap - last.log_gap;
  if (!(elapsed > 0 && fallen > 0)) return std::nullopt;
  return std::max(0.0, (last.log_gap - std::log(tolerance)) * elapsed / fallen);
}

TrainingView::TrainingView(bool quiet, std::string measure, double tolerance)
    : quiet_(quiet), measure_(std::move(measure)), tolerance_(tolerance) {}

void TrainingView::update(const TrainProgress& progress) {
  if (quiet_) return;
  if (progress.round == 0) {
    if (line_.due())
      line_.show(progress.mapped, fmt::format("dorm: features for the kernel: {:.0f} %, {}", 100 * progress.mapped,
                                              duration_text(line_.seconds())));
    return;
  }
  const Progress& solver = progress.solver;
  std::string candidate =
      fmt::format("{} from {}, round {}", name_of(progress.bound), name_of(progress.start), progress.round);
  if (candidate != candidate_) forecast_.clear();
  candidate_ = std::move(candidate);
  if (solver.evaluated) forecast_.add(solver.seconds, solver.gap);
  if (!line_.due()) return;
  std::string text = fmt::format("dorm: {}, pass {}: ", candidate_, solver.pass);
  if (solver.best_w.empty())
    text += "not evaluated yet";
  else
    text += fmt::format("primal {:.6g}, dual {:.6g}, gap {:.2g}", solver.primal, solver.dual, solver.gap);
  if (!std::isnan(progress.validation)) text += fmt::format(", validation {} {:.4f}", measure_, progress.validation);
  const std::optional<double> left = forecast_.left(tolerance_);
  text += ", " + duration_text(line_.seconds());
  if (left) text += fmt::format(", about {} left in this round", duration_text(*left));
  line_.show(solver.best_w.empty() ? std::nan("") : forecast_.share(solver.gap, tolerance_), text);
}

void TuningView::update(const TuneProgress& progress) {
  if (quiet_ || !line_.due()) return;
  std::string text = fmt::format("dorm: tuning: {} of {} grid points", progress.done, progress.total);
  if (progress.leader)
    text += fmt::format(", best {} {:.4f} ({})", measure_, progress.best, pages::cell_name(*progress.leader));
  text += ", " + duration_text(line_.seconds());
  if (!std::isnan(progress.seconds_left)) text += fmt::format(", about {} left", duration_text(progress.seconds_left));
  const auto done = static_cast<double>(progress.done), total = static_cast<double>(progress.total);
  line_.show(total > 0 ? done / total : std::nan(""), text);
}

}  // namespace dorm::cli
