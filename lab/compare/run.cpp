// SPDX-License-Identifier: Apache-2.0
// A comparison: its options checked, its cells run, its table made.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "dorm/learning/grow.h"
#include "dorm/tune.h"
#include "lab/compare/cell.h"
#include "lab/compare/run_cells.h"

namespace dorm {

void check_compared(std::string_view method) {
  if (is_tuned(method)) return;
  constexpr std::string_view kTuned = "tune:";
  if (method.starts_with(kTuned)) throw_unknown_name("method", method, tuned_catalog());
  check_method(method);
}

void ComparisonOptions::validate() const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorCode::bad_option, message);
  };
  require(!methods.empty() || !outside.empty(), "no methods; expected at least one");
  require(!measures.empty(), "no measures; expected at least one");
  require(!C.empty(), "the grid of C is empty; expected at least one number above 0");
  for (double value : C) require(value > 0, fmt::format("C is {}; expected numbers above 0", value));
  require(choice != Choice::average, "an average of candidates is no method; expected a rule that chooses one");
  require(tolerance > 0, fmt::format("tolerance is {}; expected more than 0", tolerance));
  const Convention known = make_convention(convention);
  for (const std::string& name : all_measures(*this))
    require(!make_measure(name, known)->geometric(),
            fmt::format("{} is a geometric mean over queries, and folds are put together by arithmetic ones; expected "
                        "another measure",
                        name));
  std::set<std::string> names;
  for (const std::string& method : methods) {
    check_compared(method);
    require(names.insert(method).second, fmt::format("method \"{}\" is named twice", method));
  }
  for (const OutsideScores& scores : outside)
    require(names.insert(scores.name).second, fmt::format("method \"{}\" is named twice", scores.name));
  require(against.empty() || names.contains(against),
          fmt::format("\"{}\" is not among the methods; expected one of them to test against", against));
}

ComparisonResult run_comparison(const std::vector<DataSplit>& splits, const ComparisonOptions& options,
                                const ComparisonObserver& observer) {
  options.validate();
  if (std::any_of(options.methods.begin(), options.methods.end(), grows_trees)) load_lightgbm(options.lightgbm);
  const std::vector<Cell> cells = make_cells(splits, options);
  const CellWork work{
      .count = cells.size(),
      .key = [&](std::size_t c) { return cells[c].key; },
      .method = [&](std::size_t c) { return cells[c].method; },
      .compute =
          [&](std::size_t c, const std::function<bool()>& wanted) {
            return run_cell(cells[c], splits[cells[c].split], options, [&](const Progress&) { return wanted(); });
          },
      .fits = [&](std::size_t c,
                  const CellRecord& record) { return record_fits(record, splits[cells[c].split], options); }};
  const auto records = run_cells(work, options.directory, options.threads, observer);
  if (records) return summarise(splits, options, cells, *records);
  ComparisonResult stopped;
  stopped.complete = false;
  return stopped;
}

}  // namespace dorm
