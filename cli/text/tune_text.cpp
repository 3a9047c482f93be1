// SPDX-License-Identifier: Apache-2.0
#include "text/tune_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "output.h"
#include "report/pages/words.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kCellsShown = 10;

std::vector<const TuneCell*> best_first(const TuneResult& result) {
  std::vector<const TuneCell*> cells;
  for (const TuneCell& cell : result.cells) cells.push_back(&cell);
  std::stable_sort(cells.begin(), cells.end(),
                   [](const TuneCell* a, const TuneCell* b) { return a->validation > b->validation; });
  return cells;
}

const TuneCell& chosen_of(const TuneResult& result) {
  return *std::max_element(result.cells.begin(), result.cells.end(),
                           [](const TuneCell& a, const TuneCell& b) { return a.share < b.share; });
}

std::size_t number_chosen(const TuneResult& result) {
  return static_cast<std::size_t>(
      std::count_if(result.cells.begin(), result.cells.end(), [](const TuneCell& cell) { return cell.chosen(); }));
}

std::string bound_text(const TuneCell& cell) { return std::string(cell.bound ? name_of(*cell.bound) : "none"); }

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

}  // namespace

std::string choice_reason(const TuneResult& result, Choice choice) {
  const TuneCell& chosen = chosen_of(result);
  if (number_chosen(result) > 1)
    return "shares by how far a cell is behind the best, in standard errors of the difference";
  const TuneCell& best = *best_first(result).front();
  if (&chosen == &best) return "the largest validation figure";
  if (best.degenerate()) return "the best of the cells that carry information";
  const double behind = best.validation - chosen.validation;
  if (choice == Choice::one_standard_error)
    return fmt::format("the smallest C within one standard error of the best cell ({:.4f} behind)", behind);
  return fmt::format(
      "nearest to the defaults within one standard error of the paired difference to the best "
      "({:.4f} behind)",
      behind);
}

std::string_view choice_name(Choice choice) {
  constexpr std::string_view kChoices[] = {"average", "best", "steady", "one-standard-error"};
  return kChoices[static_cast<std::size_t>(choice)];
}

std::string tune_text(const TuneResult& result, const TuneOptions& options, const std::string& judged_on, bool all) {
  const std::vector<const TuneCell*> cells = best_first(result);
  std::vector<std::vector<std::string>> rows = {
      {"share", "trained for", "bound", "start", "C", "decay", "gap", "health", options.train.measure, "std. error"}};
  const bool kernels = options.kernels.size() > 1;
  if (kernels) rows[0].push_back("kernel");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const TuneCell& c = *cells[i];
    if (!all && i >= kCellsShown) break;
    rows.push_back({c.chosen() ? fmt::format("{:.3f}", c.share) : "-", or_dash(c.measure), bound_text(c),
                    std::string(name_of(c.start)), fmt::format("{:.4g}", c.C), or_dash(c.decay),
                    fmt::format("{:.2g}", c.certificate.gap), c.bound ? fmt::format("{:.3f}", c.health) : "-",
                    fmt::format("{:.4f}", c.validation), fmt::format("{:.4f}", c.standard_error)});
    if (kernels) rows.back().push_back(c.kernel);
  }
  const std::size_t hidden = cells.size() + 1 - rows.size();
  std::string text = fmt::format("{} cells judged on {}\n\n{}", cells.size(), judged_on, aligned(rows));
  if (hidden > 0) text += fmt::format("... {} more; --verbose shows all\n", hidden);
  const TuneCell& chosen = chosen_of(result);
  text += number_chosen(result) > 1 ? fmt::format("\naverage      of {} cells, the largest share {:.2f}: {}\n",
                                                  number_chosen(result), chosen.share, pages::cell_name(chosen))
                                    : fmt::format("\nwinner       {}\n", pages::cell_name(chosen));
  text += fmt::format("why          {}: {}\n", choice_name(options.choice), choice_reason(result, options.choice));
  return text + (result.refitted ? "\nthe winner trained again on all of the training data:\n\n" : "");
}

Json tune_json(const TuneResult& result, const TuneOptions& options, const std::string& judged_on) {
  Json cells = Json::array();
  const std::vector<const TuneCell*> sorted = best_first(result);
  const auto cell_json = [](const TuneCell& c) {
    return Json{{"measure", c.measure},
                {"C", c.C},
                {"decay", c.decay},
                {"bound", bound_text(c)},
                {"start", name_of(c.start)},
                {"kernel", c.kernel},
                {"validation", c.validation},
                {"standard_error", c.standard_error},
                {"health", c.bound ? Json(c.health) : Json()},
                {"gap", c.certificate.gap},
                {"status", c.certificate.status},
                {"share", c.share},
                {"chosen", c.chosen()}};
  };
  for (const TuneCell* cell : sorted) cells.push_back(cell_json(*cell));
  const TuneCell& chosen = chosen_of(result);
  return {{"measure", options.train.measure},      {"judged_on", judged_on},
          {"choice", choice_name(options.choice)}, {"reason", choice_reason(result, options.choice)},
          {"winner", cell_json(chosen)},           {"cells", std::move(cells)}};
}

}  // namespace dorm::cli
