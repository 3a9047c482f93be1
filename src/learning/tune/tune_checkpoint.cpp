// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kPlainNumbers = 4;  // explained risk, primal, dual, gap

/// Numbers of a cell: the plain ones, weights, values of queries.
void append(const JudgedWeights& cell, std::vector<double>& numbers) {
  for (const double x : {cell.explained_risk, cell.certificate.primal, cell.certificate.dual, cell.certificate.gap})
    numbers.push_back(x);
  numbers.insert(numbers.end(), cell.w.begin(), cell.w.end());
  numbers.insert(numbers.end(), cell.per_query.begin(), cell.per_query.end());
}

Json cell_counts(const JudgedWeights& cell) {
  return {{"weights", cell.w.size()},
          {"queries", cell.per_query.size()},
          {"rounds", cell.rounds},
          {"usable_queries", cell.usable_queries},
          {"status", cell.certificate.status}};
}

/// Takes numbers from the front.
class Numbers {
 public:
  Numbers(std::span<const double> numbers, const CheckpointFile& file) : left_(numbers), file_(file) {}

  std::vector<double> take(std::uint64_t count) {
    if (count > left_.size()) file_.refuse("it holds fewer numbers than it says");
    std::vector<double> taken(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(count));
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  std::span<const double> left_;
  const CheckpointFile& file_;
};

JudgedWeights cell_from(const JsonFields& json, Numbers& numbers, const CheckpointFile& file) {
  JudgedWeights cell;
  const std::vector<double> plain = numbers.take(kPlainNumbers);
  cell.explained_risk = plain[0];
  cell.certificate = {plain[1], plain[2], plain[3], json.required<std::string>("status", "a name")};
  cell.w = numbers.take(json.required<std::uint64_t>("weights", "a count"));
  cell.per_query = numbers.take(json.required<std::uint64_t>("queries", "a count"));
  cell.rounds = json.required<std::uint64_t>("rounds", "a count");
  cell.usable_queries = json.required<std::uint64_t>("usable_queries", "a count");
  if (!std::all_of(cell.w.begin(), cell.w.end(), [](double x) { return std::isfinite(x); }))
    file.refuse("a weight is not finite");
  return cell;
}

}  // namespace

TuneCheckpoint::TuneCheckpoint(const TuneOptions& options, std::uint64_t data_fingerprint, const std::string& problem)
    : file_(options.train.checkpoint, options.train.checkpoint_seconds, "tune", data_fingerprint,
            checkpoint_identity(options.train, problem)) {
  if (const std::optional<SavedProgress> saved = file_.load()) read(*saved);
}

void TuneCheckpoint::read(const SavedProgress& saved) {
  const JsonFields json(saved.json, file_.path(), "a usable checkpoint");
  judged_ = json.required<std::uint64_t>("judged", "a count");
  cells_ = json.required<std::uint64_t>("cells", "a count");
  Numbers numbers(saved.numbers, file_);
  std::size_t state = 0;
  for (const JsonFields& each : json.objects("paths", "a list")) {
    JudgedPath path;
    for (const JsonFields& cell : each.objects("judged", "a list"))
      path.cells.push_back(cell_from(cell, numbers, file_));
    const auto end = each.required<std::uint64_t>("end", "a number");
    if (end > static_cast<std::uint64_t>(PathEnd::far_behind)) refuse("it names an end that paths do not have");
    path.end = static_cast<PathEnd>(end);
    if (each.required<bool>("warm", "true or false")) {
      if (state == saved.states.size()) refuse("it holds fewer states than it says");
      path.warm = std::make_shared<SolverState>(saved.states[state++]);
    }
    paths_[{each.required<std::uint64_t>("kernel", "a number"), each.required<std::uint64_t>("path", "a number")}] =
        std::move(path);
  }
}

JudgedPath TuneCheckpoint::path(const Key& key) const {
  const auto found = paths_.find(key);
  return found == paths_.end() ? JudgedPath{} : found->second;
}

void TuneCheckpoint::keep(const Key& key, const JudgedPath& path, std::size_t judged, std::size_t cells) {
  if (!used()) return;
  const std::lock_guard lock(mutex_);
  paths_[key] = path;
  judged_ = judged;
  cells_ = cells;
  if (file_.due()) save();
}

void TuneCheckpoint::flush(std::size_t judged, std::size_t cells) {
  if (!used()) return;
  const std::lock_guard lock(mutex_);
  judged_ = judged;
  cells_ = cells;
  save();
}

void TuneCheckpoint::save() {
  Json paths = Json::array();
  std::vector<double> numbers;
  std::vector<const SolverState*> states;
  for (const auto& [key, path] : paths_) {
    Json judged = Json::array();
    for (const JudgedWeights& cell : path.cells) {
      judged.push_back(cell_counts(cell));
      append(cell, numbers);
    }
    const bool warm = path.open() && path.warm;
    if (warm) states.push_back(path.warm.get());
    paths.push_back({{"kernel", key.first},
                     {"path", key.second},
                     {"judged", std::move(judged)},
                     {"end", static_cast<std::uint64_t>(path.end)},
                     {"warm", warm}});
  }
  file_.save({{"judged", judged_}, {"cells", cells_}, {"paths", std::move(paths)}}, numbers, states);
}

}  // namespace dorm
