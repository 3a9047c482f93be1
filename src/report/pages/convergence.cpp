// SPDX-License-Identifier: Apache-2.0
#include "report/pages/convergence.h"

#include <fmt/format.h>

#include <cmath>

namespace dorm::pages {
namespace {

using report::Plot;
using report::Series;

using Value = double TracePoint::*;

std::string name_of(const CandidateTrace& trace) { return fmt::format("{} from {}", trace.bound, trace.start); }

// A line that is interrupted where a round ends: each round is a problem of its own.
Series series(std::string name, const CandidateTrace& trace, Value x, Value y) {
  Series out{.name = std::move(name)};
  std::size_t round = trace.points.empty() ? 0 : trace.points.front().round;
  for (const TracePoint& point : trace.points) {
    if (point.round != round) {
      out.x.push_back(report::kMissing);
      out.y.push_back(report::kMissing);
    }
    round = point.round;
    out.x.push_back(point.*x);
    out.y.push_back(point.*y);
  }
  return out;
}

Plot bounds_plot(const CandidateTrace& trace, Value x, const report::Axis& axis) {
  return {.title = fmt::format("Objective of {} against {}", name_of(trace), axis.label),
          .x = axis,
          .y = {.label = "objective"},
          .series = {series("primal (upper bound)", trace, x, &TracePoint::primal),
                     series("dual (lower bound)", trace, x, &TracePoint::dual)}};
}

Plot gap_plot(const TrainingTrace& traces, double tolerance, Value x, const report::Axis& axis) {
  Plot plot{.title = fmt::format("Relative gap against {}", axis.label),
            .x = axis,
            .y = {.label = "(primal - dual) / primal", .log = true}};
  for (const CandidateTrace& trace : traces.candidates())
    plot.series.push_back(series(name_of(trace), trace, x, &TracePoint::gap));
  plot.series.push_back(
      {.name = fmt::format("tolerance {:g}", tolerance), .y = {tolerance}, .mark = Series::Mark::rule});
  return plot;
}

Plot validation_plot(const TrainingTrace& traces, const std::string& measure) {
  Plot plot{.title = fmt::format("Validation {} of the best weights so far", measure),
            .x = {.label = "passes", .whole = true},
            .y = {.label = measure}};
  for (const CandidateTrace& trace : traces.candidates())
    plot.series.push_back(series(name_of(trace), trace, &TracePoint::passes, &TracePoint::validation));
  return plot;
}

bool several_rounds(const CandidateTrace& trace) {
  return !trace.points.empty() && trace.points.front().round != trace.points.back().round;
}

}  // namespace

report::Table candidates_table(const TrainReport& report, const std::string& measure) {
  report::Table table{
      .caption = "Candidates",
      .columns = {report::text_column("bound", "the reference ranking"),
                  report::text_column("start", "where the rounds begin"), report::count_column("rounds"),
                  report::significant_column("primal", 6, "objective reached"),
                  report::significant_column("dual", 6, "lower bound of the objective"),
                  report::significant_column("gap", 2, "(primal - dual) / primal"), report::text_column("status"),
                  report::number_column("explained risk", 4, "1 - P(w) / P(0): how much the bound explains"),
                  report::number_column("validation " + measure)}};
  for (const Candidate& c : report.candidates) {
    report::Cell bound(std::string(name_of(c.bound)));
    bound.best = c.chosen();
    if (c.chosen()) bound.note = c.share == 1 ? "chosen" : fmt::format("share {:.2f}", c.share);
    table.rows.push_back({bound, std::string(name_of(c.start)), c.rounds, c.certificate.primal, c.certificate.dual,
                          c.certificate.gap, c.certificate.status, c.explained_risk, c.validation});
    table.rows.back().back().best = c.chosen() && !std::isnan(c.validation);
  }
  return table;
}

report::Section convergence_section(const TrainResult& result, const TrainingTrace& trace) {
  const Model& model = result.model;
  report::Section section{"Convergence"};
  const CandidateTrace* chosen = trace.find(model.bound, model.start);
  if (!chosen || chosen->points.empty()) {
    section.blocks.push_back(report::Paragraph{
        "The chosen candidate was finished before this run began (it came from the checkpoint), so there is "
        "nothing to plot."});
    return section;
  }
  section.blocks.push_back(report::Paragraph{
      "The optimum is between the two bounds; training stops when their relative distance falls below the "
      "tolerance."});
  if (several_rounds(*chosen))
    section.blocks.push_back(report::Paragraph{
        "A line is interrupted where a round ends: the reference rankings are then renewed, and the convex "
        "problem with them."});
  const report::Axis passes{.label = "passes", .whole = true}, seconds{.label = "seconds"};
  section.blocks.push_back(bounds_plot(*chosen, &TracePoint::passes, passes));
  section.blocks.push_back(bounds_plot(*chosen, &TracePoint::seconds, seconds));
  section.blocks.push_back(gap_plot(trace, model.tolerance, &TracePoint::passes, passes));
  section.blocks.push_back(gap_plot(trace, model.tolerance, &TracePoint::seconds, seconds));
  if (!std::isnan(chosen->points.back().validation)) section.blocks.push_back(validation_plot(trace, model.measure));
  return section;
}

}  // namespace dorm::pages
