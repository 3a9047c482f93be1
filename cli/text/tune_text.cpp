// SPDX-License-Identifier: Apache-2.0
#include "text/tune_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "output.h"

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
  return *std::find_if(result.cells.begin(), result.cells.end(), [](const TuneCell& cell) { return cell.chosen; });
}

std::string cell_name(const TuneCell& cell) {
  return fmt::format("{}, C {:.4g}, decay {}, bound {} from {}{}", cell.measure, cell.C, cell.decay,
                     name_of(cell.bound), name_of(cell.start), cell.kernel == "none" ? "" : ", kernel " + cell.kernel);
}

}  // namespace

std::string choice_reason(const TuneResult& result, Choice choice) {
  const TuneCell& chosen = chosen_of(result);
  const TuneCell& best = *best_first(result).front();
  if (&chosen == &best) return "the largest validation figure";
  const double behind = best.validation - chosen.validation;
  if (choice == Choice::one_standard_error)
    return fmt::format("the smallest C within one standard error of the best cell ({:.4f} behind)", behind);
  return fmt::format(
      "nearest to the defaults within one standard error of the paired difference to the best "
      "({:.4f} behind)",
      behind);
}

std::string_view choice_name(Choice choice) {
  if (choice == Choice::best) return "best";
  return choice == Choice::steady ? "steady" : "one-standard-error";
}

std::string tune_text(const TuneResult& result, const TuneOptions& options, const std::string& judged_on, bool all) {
  const std::vector<const TuneCell*> cells = best_first(result);
  std::vector<std::vector<std::string>> rows = {
      {"  trained for", "C", "decay", "bound", "start", "health", options.train.measure, "std. error"}};
  const bool kernels = options.kernels.size() > 1;
  if (kernels) rows[0].push_back("kernel");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const TuneCell& c = *cells[i];
    if (!all && i >= kCellsShown && !c.chosen) continue;
    rows.push_back({(c.chosen ? "* " : "  ") + c.measure, fmt::format("{:.4g}", c.C), c.decay,
                    std::string(name_of(c.bound)), std::string(name_of(c.start)), fmt::format("{:.3f}", c.health),
                    fmt::format("{:.4f}", c.validation), fmt::format("{:.4f}", c.standard_error)});
    if (kernels) rows.back().push_back(c.kernel);
  }
  const std::size_t hidden = cells.size() + 1 - rows.size();
  std::string text = fmt::format("{} cells judged on {}\n\n{}", cells.size(), judged_on, aligned(rows));
  if (hidden > 0) text += fmt::format("  ... {} more; --verbose shows all\n", hidden);
  const TuneCell& chosen = chosen_of(result);
  return text + fmt::format("\nwinner       {}\nwhy          {}: {}\n\nrefit on all of the training data:\n\n",
                            cell_name(chosen), choice_name(options.choice), choice_reason(result, options.choice));
}

Json tune_json(const TuneResult& result, const TuneOptions& options, const std::string& judged_on) {
  Json cells = Json::array();
  const std::vector<const TuneCell*> sorted = best_first(result);
  const auto cell_json = [](const TuneCell& c) {
    return Json{{"measure", c.measure},       {"C", c.C},
                {"decay", c.decay},           {"bound", name_of(c.bound)},
                {"start", name_of(c.start)},  {"kernel", c.kernel},
                {"validation", c.validation}, {"standard_error", c.standard_error},
                {"health", c.health},         {"chosen", c.chosen}};
  };
  for (const TuneCell* cell : sorted) cells.push_back(cell_json(*cell));
  const TuneCell& chosen = chosen_of(result);
  return {{"measure", options.train.measure},      {"judged_on", judged_on},
          {"choice", choice_name(options.choice)}, {"reason", choice_reason(result, options.choice)},
          {"winner", cell_json(chosen)},           {"cells", std::move(cells)}};
}

}  // namespace dorm::cli
