// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "model/trees_json.h"

namespace dorm {
namespace {

constexpr std::size_t kPlainNumbers = 5;  // explained risk, primal, dual, gap, spread

/// Numbers of a point: the plain ones, weights, values of queries.
void append(const EvaluatedWeights& point, std::vector<double>& numbers) {
  for (const double x :
       {point.explained_risk, point.certificate.primal, point.certificate.dual, point.certificate.gap, point.spread})
    numbers.push_back(x);
  numbers.insert(numbers.end(), point.w.begin(), point.w.end());
  numbers.insert(numbers.end(), point.per_query.begin(), point.per_query.end());
  numbers.insert(numbers.end(), point.held_scores.begin(), point.held_scores.end());
}

Json point_counts(const EvaluatedWeights& point) {
  Json out = {{"weights", point.w.size()},
              {"queries", point.per_query.size()},
              {"rounds", point.rounds},
              {"usable_queries", point.usable_queries},
              {"status", point.certificate.status}};
  if (!point.trees) return out;
  out["held"] = point.held_scores.size();
  out["features"] = point.trees->features;
  out["trees"] = trees_json(*point.trees);
  return out;
}

/// Takes numbers from the front.
class Numbers {
 public:
  Numbers(std::span<const double> numbers, const CheckpointFile& file) : left_(numbers), file_(file) {}

  std::vector<double> take(std::uint64_t count) {
    if (count > left_.size()) file_.refuse("it holds fewer numbers than it declares");
    std::vector<double> taken(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(count));
    left_ = left_.subspan(count);
    return taken;
  }

 private:
  std::span<const double> left_;
  const CheckpointFile& file_;
};

EvaluatedWeights point_from(const JsonFields& json, Numbers& numbers, const CheckpointFile& file) {
  EvaluatedWeights point;
  const std::vector<double> plain = numbers.take(kPlainNumbers);
  point.explained_risk = plain[0];
  point.certificate = {plain[1], plain[2], plain[3], json.required<std::string>("status", "a name")};
  point.spread = plain[4];
  point.w = numbers.take(json.required<std::uint64_t>("weights", "a count"));
  point.per_query = numbers.take(json.required<std::uint64_t>("queries", "a count"));
  point.rounds = json.required<std::uint64_t>("rounds", "a count");
  point.usable_queries = json.required<std::uint64_t>("usable_queries", "a count");
  if (json.has("trees")) {
    point.held_scores = numbers.take(json.required<std::uint64_t>("held", "a count"));
    const auto features = json.required<std::vector<std::string>>("features", "a list of names");
    point.trees = std::make_shared<const TreeEnsemble>(trees_from_json(json.object("trees"), features, file.path()));
    if (!(point.spread >= 0)) file.refuse("the spread of trees is negative");
  }
  if (!std::all_of(point.w.begin(), point.w.end(), [](double x) { return std::isfinite(x); }))
    file.refuse("a weight is not finite");
  return point;
}

}  // namespace

TuneCheckpoint::TuneCheckpoint(const TuneOptions& options, std::uint64_t data_fingerprint, const std::string& problem)
    : file_(options.train.checkpoint, options.train.checkpoint_seconds, "tune", data_fingerprint,
            checkpoint_identity(options.train, problem)) {
  if (const std::optional<SavedProgress> saved = file_.load()) read(*saved);
}

void TuneCheckpoint::read(const SavedProgress& saved) {
  const JsonFields json(saved.json, file_.path(), "a usable checkpoint");
  evaluated_ = json.required<std::uint64_t>("evaluated", "a count");
  points_ = json.required<std::uint64_t>("points", "a count");
  Numbers numbers(saved.numbers, file_);
  std::size_t state = 0;
  for (const JsonFields& each : json.objects("paths", "a list")) {
    EvaluatedPath path;
    for (const JsonFields& point : each.objects("evaluated", "a list"))
      path.points.push_back(point_from(point, numbers, file_));
    const auto end = each.required<std::uint64_t>("end", "a number");
    if (end > static_cast<std::uint64_t>(PathEnd::far_behind)) refuse("it names an unknown end of a path");
    path.end = static_cast<PathEnd>(end);
    if (each.required<bool>("warm", "true or false")) {
      if (state == saved.states.size()) refuse("it holds fewer states than it declares");
      path.warm = std::make_shared<SolverState>(saved.states[state++]);
    }
    paths_[{each.required<std::uint64_t>("kernel", "a number"), each.required<std::uint64_t>("path", "a number")}] =
        std::move(path);
  }
}

EvaluatedPath TuneCheckpoint::path(const Key& key) const {
  const auto found = paths_.find(key);
  return found == paths_.end() ? EvaluatedPath{} : found->second;
}

void TuneCheckpoint::keep(const Key& key, const EvaluatedPath& path, std::size_t evaluated, std::size_t points) {
  if (!used()) return;
  const std::lock_guard lock(mutex_);
  paths_[key] = path;
  evaluated_ = evaluated;
  points_ = points;
  if (file_.due()) save();
}

void TuneCheckpoint::flush(std::size_t evaluated, std::size_t points) {
  if (!used()) return;
  const std::lock_guard lock(mutex_);
  evaluated_ = evaluated;
  points_ = points;
  save();
}

void TuneCheckpoint::save() {
  Json paths = Json::array();
  std::vector<double> numbers;
  std::vector<const SolverState*> states;
  for (const auto& [key, path] : paths_) {
    Json evaluated = Json::array();
    for (const EvaluatedWeights& point : path.points) {
      evaluated.push_back(point_counts(point));
      append(point, numbers);
    }
    const bool warm = path.open() && path.warm;
    if (warm) states.push_back(path.warm.get());
    paths.push_back({{"kernel", key.first},
                     {"path", key.second},
                     {"evaluated", std::move(evaluated)},
                     {"end", static_cast<std::uint64_t>(path.end)},
                     {"warm", warm}});
  }
  file_.save({{"evaluated", evaluated_}, {"points", points_}, {"paths", std::move(paths)}}, numbers, states);
}

}  // namespace dorm
