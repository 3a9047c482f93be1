// SPDX-License-Identifier: Apache-2.0
#include "lab/compare/run_cells.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/parallel.h"
#include "dorm/error.h"

namespace dorm {
namespace {

void make_cell_folder(const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error)
    throw Error(ErrorCode::io, {directory},
                fmt::format("cannot make this folder for the results ({})", error.message()));
}

class CellRunner {
 public:
  CellRunner(const CellWork& work, const std::string& directory, const ComparisonObserver& observer)
      : work_(work), observer_(observer), store_(directory), records_(work.count) {}

  std::optional<std::vector<CellRecord>> run(std::size_t threads) {
    std::vector<std::size_t> missing;
    for (std::size_t c = 0; c < work_.count; ++c) {
      std::optional<CellRecord> record = store_.load(work_.key(c));
      if (record && work_.fits(c, *record))
        records_[c] = std::move(*record);
      else
        missing.push_back(c);
    }
    done_ = found_ = work_.count - missing.size();
    parallel_for(missing.size(), threads, [&](std::size_t index, std::size_t) { compute(missing[index]); });
    if (stopped_) return std::nullopt;
    return std::move(records_);
  }

 private:
  void compute(std::size_t c) {
    if (stopped_) return;
    const std::string method = work_.method(c);
    std::optional<CellRecord> record = work_.compute(c, [&] { return wanted(method); });
    if (!record) return;
    record->key = work_.key(c);
    store_.save(*record);
    records_[c] = std::move(*record);
    ++done_;
    wanted(method);
  }

  bool wanted(const std::string& method) {
    if (stopped_) return false;
    const std::lock_guard lock(mutex_);
    if (!stopped_ && observer_ && !observer_({done_, work_.count, found_, method})) stopped_ = true;
    return !stopped_;
  }

  const CellWork& work_;
  const ComparisonObserver& observer_;
  CellStore store_;
  std::vector<CellRecord> records_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> done_ = 0;
  std::size_t found_ = 0;
};

}  // namespace

std::optional<std::vector<CellRecord>> run_cells(const CellWork& work, const std::string& directory,
                                                 std::size_t threads, const ComparisonObserver& observer) {
  if (!directory.empty()) make_cell_folder(directory);
  return CellRunner(work, directory, observer).run(threads);
}

}  // namespace dorm
