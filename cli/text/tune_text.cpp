// SPDX-License-Identifier: Apache-2.0
#include "text/tune_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "dorm/tune.h"
#include "model/model_json.h"
#include "report/pages/words.h"
#include "run/output.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kCellsShown = 10;
constexpr std::string_view kEnds[] = {"whole", "time_limit", "interrupted"};

std::vector<const GridPoint*> best_first(const TuneResult& result) {
  std::vector<const GridPoint*> cells;
  for (const GridPoint& cell : result.points) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(),
                   [](const GridPoint* a, const GridPoint* b) { return a->validation > b->validation; });
  return cells;
}

const GridPoint& chosen_of(const TuneResult& result) {
  return *std::max_element(result.points.begin(), result.points.end(),
                           [](const GridPoint& a, const GridPoint& b) { return a.share < b.share; });
}

std::size_t number_chosen(const TuneResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.points.begin(), result.points.end(), [](const GridPoint& cell) { return cell.chosen(); }));
}

std::string bound_text(const GridPoint& cell) { return std::string(cell.bound ? name_of(*cell.bound) : "none"); }

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::string tune_text(const TuneResult& result, const TuneOptions& options, const std::string& validated_on,
                      const std::string& baseline, bool all) {
  const std::vector<const GridPoint*> cells = best_first(result);
  std::vector<std::vector<std::string>> rows = {{"share", "trained for", "bound", "start", "C", "decay", "gap",
                                                 "explained risk", options.train.measure, "std. error"}};
  const GridPoint& chosen = chosen_of(result);
  std::size_t best = 0;
  const bool kernels = options.kernels.size() > 1;
  const bool curves =
      std::any_of(cells.begin(), cells.end(), [&](const auto* c) { return c->curves != cells[0]->curves; });
  if (kernels) rows[0].push_back("kernel");
  if (curves) rows[0].push_back("curves");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const GridPoint& c = *cells[i];
    if (!all && i >= kCellsShown) break;
    rows.push_back({c.chosen() ? fmt::format("{:.3f}", c.share) : "-", or_dash(c.measure), bound_text(c),
                    c.trees ? fmt::format("{}, {} leaves", name_of(*c.trees), c.leaves) : std::string(name_of(c.start)),
                    c.trees ? "-" : fmt::format("{:.4g}", c.C), or_dash(c.decay),
                    c.trees ? "-" : fmt::format("{:.2g}", c.certificate.gap),
                    c.bound ? fmt::format("{:.3f}", c.explained_risk) : "-", fmt::format("{:.4f}", c.validation),
                    fmt::format("{:.4f}", c.standard_error)});
    if (kernels) rows.back().push_back(c.kernel);
    if (curves) rows.back().push_back(c.curves);
    if (&c == &chosen) best = i + 1;
  }
  const std::size_t hidden = cells.size() + 1 - rows.size();
  const std::string headline =
      fmt::format("{} {}", options.train.measure, pages::validated_text(result.validated, validated_on));
  std::string text;
  if (result.model.tested)
    text += fmt::format("{:<13}{}\n", "tested", styled(Style::bold, pages::tested_text(*result.model.tested)));
  text += fmt::format("{:<13}{}\n", "validated", result.model.tested ? headline : styled(Style::bold, headline));
  text += baseline;
  if (const std::string end = pages::end_text(result); !end.empty()) text += end + "\n";
  text += fmt::format("\n{} of {} grid points validated on {}\n\n{}", cells.size(), result.num_points(), validated_on,
                      aligned(rows, best));
  if (hidden > 0) text += fmt::format("... {} more; --verbose shows all\n", hidden);
  text += number_chosen(result) > 1 ? fmt::format("\naverage      of {} grid points, the largest weight {:.2f}: {}\n",
                                                  number_chosen(result), chosen.share, pages::cell_name(chosen))
                                    : fmt::format("\nwinner       {}\n", pages::cell_name(chosen));
  text += fmt::format("why          {}\n", pages::choice_reason(result, options.choice));
  if (result.worth) text += fmt::format("\n{}\n", worth_text(*result.worth, options.train.measure));
  for (const pages::CellsOut& out : pages::cells_out(result))
    text += fmt::format("dropped      {} grid point{}: {}\n", out.cells, out.cells == 1 ? "" : "s", out.rule);
  return text + (result.refitted ? "\nthe winner trained again on all of the training data:\n\n" : "");
}

std::string cost_text(const TuneResult& result, const Dataset& train) {
  if (!result.worth) return "";
  std::string text;
  for (const auto& [of, cost] : pages::serving_costs(result, train))
    text += fmt::format("{:<13}{}\n", of, serving_text(cost));
  if (!result.model.linear()) text += "--only linear delivers the linear model, which has a certificate\n";
  return text + "\n";
}

Json serving_json(const ServingCost& cost) {
  return {{"milliseconds_per_100_documents", cost.milliseconds}, {"bytes", cost.bytes}, {"targets", cost.targets}};
}

Json worth_json(const TuneResult& result, const Dataset& train) {
  const TreesWorth& worth = *result.worth;
  Json costs = Json::array();
  for (const auto& [of, cost] : pages::serving_costs(result, train)) {
    costs.push_back(serving_json(cost));
    costs.back()["of"] = of;
  }
  return {{"difference", worth.difference},
          {"interval", {worth.low, worth.high}},
          {"linear", worth.linear.mean},
          {"trees", worth.trees.mean},
          {"costs", std::move(costs)}};
}

Json tune_json(const TuneResult& result, const TuneOptions& options, const std::string& validated_on) {
  Json cells = Json::array();
  const std::vector<const GridPoint*> sorted = best_first(result);
  const auto cell_json = [](const GridPoint& c) {
    return Json{{"measure", c.measure},
                {"C", c.C},
                {"decay", c.decay},
                {"bound", bound_text(c)},
                {"start", pages::start_name(c)},
                {"leaves", c.trees ? Json(c.leaves) : Json()},
                {"kernel", c.kernel},
                {"curves", c.curves},
                {"validation", c.validation},
                {"standard_error", c.standard_error},
                {"explained_risk", c.bound ? Json(c.explained_risk) : Json()},
                {"gap", c.certificate.gap},
                {"status", c.certificate.status},
                {"share", c.share},
                {"chosen", c.chosen()}};
  };
  for (const GridPoint* cell : sorted) cells.push_back(cell_json(*cell));
  const GridPoint& chosen = chosen_of(result);
  Json out = Json::array();
  for (const pages::CellsOut& each : pages::cells_out(result))
    out.push_back({{"grid_points", each.cells}, {"rule", each.rule}});
  const ValidatedFigure& figure = result.validated;
  Json json = {{"measure", options.train.measure},
               {"validated",
                {{"mean", figure.mean},
                 {"standard_error", figure.standard_error},
                 {"interval", {figure.low, figure.high}},
                 {"queries", figure.queries}}},
               {"validated_on", validated_on},
               {"end", kEnds[static_cast<std::size_t>(result.end)]},
               {"grid_points_validated", result.points.size()},
               {"grid_points", result.num_points()},
               {"grid_points_resumed", result.resumed},
               {"choice", pages::choice_name(result.choice)},
               {"reason", pages::choice_reason(result, options.choice)},
               {"dropped", std::move(out)},
               {"winner", cell_json(chosen)},
               {"points", std::move(cells)}};
  if (result.model.tested) json["tested"] = json_of(*result.model.tested);
  return json;
}

}  // namespace dorm::cli
