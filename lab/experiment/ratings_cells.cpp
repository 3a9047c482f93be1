// SPDX-License-Identifier: Apache-2.0
#include "lab/experiment/ratings_cells.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/parallel.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr int kFormat = 1;       // of records, and of what a key covers
constexpr double kImplicit = 2;  // docs/ratings.md: chosen on other splits
constexpr std::size_t kNeighbours = 20;

std::string key_of(const RatingsCell& cell, const RatingsData& data, std::uint64_t seed) {
  return fmt::format("ratings {}; {}; {} ratings, {} users, {} items; given {} split {}; {} rank {} {} {}{}; seed {}",
                     kFormat, DORM_VERSION, data.ratings.size(), data.ratings.num_users(), data.ratings.num_items(),
                     cell.given, cell.split, cell.contender.method, cell.contender.rank,
                     cell.contender.chosen ? "chosen" : "fixed", cell.facts ? "facts" : "plain",
                     cell.contender.raters ? " raters" : "", seed);
}

CellRecord run_cell(const RatingsCell& cell, const RatingsData& data, std::uint64_t seed) {
  const RatingsSplit split = split_given(data.ratings, cell.given, cell.split);
  const CollaborativeInputs inputs{.item_features = cell.facts ? &data.facts : nullptr};
  CollaborativeOptions options{.rank = cell.contender.rank, .threads = 1, .seed = seed};
  if (cell.contender.raters) {
    options.implicit = kImplicit;
    options.neighbours = kNeighbours;
  }
  std::string method = cell.contender.method;
  if (cell.contender.chosen) method = choose_collaborative(method, split.train, inputs, options);
  const std::vector<double> scores = collaborative_scores(method, split.train, split.test, inputs, options);
  CellRecord record;
  const EvaluationTable table = evaluate(split.test, scores, rating_measures(), {.bootstrap = 0, .threads = 1});
  for (const MeasureResult& measure : table.measures) record.test.push_back(measure.per_query);
  return record;
}

class Runner {
 public:
  Runner(const std::vector<RatingsCell>& cells, const RatingsData& data, const Laboratory& laboratory)
      : cells_(cells),
        data_(data),
        laboratory_(laboratory),
        store_(laboratory.options.directory),
        records_(cells.size()) {}

  std::optional<std::vector<CellRecord>> run() {
    std::vector<std::size_t> missing;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      std::optional<CellRecord> record = store_.load(key_of(cells_[c], data_, laboratory_.options.seed));
      if (record)
        records_[c] = std::move(*record);
      else
        missing.push_back(c);
    }
    done_ = found_ = cells_.size() - missing.size();
    parallel_for(missing.size(), laboratory_.options.threads,
                 [&](std::size_t index, std::size_t) { compute(missing[index]); });
    if (stopped_) return std::nullopt;
    return std::move(records_);
  }

 private:
  void compute(std::size_t c) {
    if (stopped_) return;
    CellRecord record = run_cell(cells_[c], data_, laboratory_.options.seed);
    record.key = key_of(cells_[c], data_, laboratory_.options.seed);
    store_.save(record);
    records_[c] = std::move(record);
    ++done_;
    const std::lock_guard lock(mutex_);
    if (laboratory_.observer && !laboratory_.observer({done_, cells_.size(), found_, cells_[c].contender.method}))
      stopped_ = true;
  }

  const std::vector<RatingsCell>& cells_;
  const RatingsData& data_;
  const Laboratory& laboratory_;
  CellStore store_;
  std::vector<CellRecord> records_;
  std::mutex mutex_;
  std::atomic<bool> stopped_ = false;
  std::atomic<std::size_t> done_ = 0;
  std::size_t found_ = 0;
};

}  // namespace

std::string Contender::label() const {
  const std::string ranked = rank == Contender{method}.rank ? "" : fmt::format(", rank {}", rank);
  return fmt::format("{}{}{}{}", method, ranked, raters ? ", raters" : "", chosen ? ", chosen" : "");
}

const std::vector<std::string>& rating_measures() {
  static const std::vector<std::string> measures = {"ndcg@10", "ndcg"};
  return measures;
}

std::optional<std::vector<CellRecord>> run_ratings_cells(const std::vector<RatingsCell>& cells, const RatingsData& data,
                                                         const Laboratory& laboratory) {
  const std::string& directory = laboratory.options.directory;
  std::error_code error;
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (error)
    throw Error(ErrorCode::io, {directory},
                fmt::format("cannot make this folder for the results ({})", error.message()));
  return Runner(cells, data, laboratory).run();
}

}  // namespace dorm
