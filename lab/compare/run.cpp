// SPDX-License-Identifier: Apache-2.0
// Runs the cells that no earlier run has left, side by side, then makes the table.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/parallel.h"
#include "dorm/error.h"
#include "lab/compare/cell.h"

namespace dorm {
namespace {

void make_folder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw Error(ErrorCode::io, {directory},
                fmt::format("cannot make this folder for the results ({})", error.message()));
}

class CellRunner {
 public:
  CellRunner(const std::vector<DataSplit>& splits, const ComparisonOptions& options, const ComparisonObserver& observer)
      : splits_(splits),
        options_(options),
        observer_(observer),
        store_(options.directory),
        cells_(make_cells(splits, options)),
        records_(cells_.size()) {}

  ComparisonResult run() {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      std::optional<CellRecord> record = store_.load(cells_[c].key);
      if (!record)
        missing_.push_back(c);
      else
        records_[c] = std::move(*record);
    }
    done_ = found_ = cells_.size() - missing_.size();
    parallel_for(missing_.size(), options_.threads,
                 [this](std::size_t index, std::size_t) { compute(missing_[index]); });
    if (stopped_) {
      ComparisonResult result;
      result.complete = false;
      return result;
    }
    return summarise(splits_, options_, cells_, records_);
  }

 private:
  void compute(std::size_t c) {
    if (stopped_) return;
    const Cell& cell = cells_[c];
    const Observer running = [&](const Progress&) { return tell(cell.method); };
    std::optional<CellRecord> record = run_cell(cell, splits_[cell.split], options_, running);
    if (!record || stopped_) return;
    store_.save(*record);
    records_[c] = std::move(*record);
    ++done_;
    tell(cell.method);
  }

  bool tell(const std::string& method) {
    if (stopped_) return false;
    const std::lock_guard lock(mutex_);
    if (observer_ && !observer_({done_, cells_.size(), found_, method})) stopped_ = true;
    return !stopped_;
  }

  const std::vector<DataSplit>& splits_;
  const ComparisonOptions& options_;
  const ComparisonObserver& observer_;
  CellStore store_;
  std::vector<Cell> cells_;
  std::vector<CellRecord> records_;
  std::vector<std::size_t> missing_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> done_ = 0;
  std::size_t found_ = 0;
};

}  // namespace

void ComparisonOptions::validate() const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw Error(ErrorCode::bad_option, message);
  };
  require(!methods.empty() || !outside.empty(), "no methods; expected at least one");
  require(!measures.empty(), "no measures; expected at least one");
  require(!C.empty(), "the grid of C is empty; expected at least one number above 0");
  for (double value : C) require(value > 0, fmt::format("C is {}; expected numbers above 0", value));
  require(tolerance > 0, fmt::format("tolerance is {}; expected more than 0", tolerance));
  const Convention known = make_convention(convention);
  for (const std::string& name : all_measures(*this)) make_measure(name, known);
  std::set<std::string> names;
  for (const std::string& method : methods) {
    check_method(method);
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
  if (!options.directory.empty()) make_folder(options.directory);
  return CellRunner(splits, options, observer).run();
}

}  // namespace dorm
