// SPDX-License-Identifier: Apache-2.0
#include "lab/experiment/ratings_cells.h"

#include <fmt/format.h>

#include "lab/compare/run_cells.h"

namespace dorm {
namespace {

constexpr int kFormat = 1;       // of records, and of what a key covers
constexpr double kImplicit = 2;  // docs/ratings.md: chosen on other splits
constexpr std::size_t kNeighbours = 20;

std::string key_of(const RatingsCell& cell, const RatingsData& data, std::uint64_t seed) {
  return fmt::format("ratings {}; {}; {} ratings, {} users, {} items; given {} split {}; {} rank {} {} {}{}; seed {}",
                     kFormat, build_identity(), data.ratings.size(), data.ratings.num_users(), data.ratings.num_items(),
                     cell.given, cell.split, cell.contender.method, cell.contender.rank,
                     cell.contender.chosen ? "chosen" : "fixed", cell.facts ? "facts" : "plain",
                     cell.contender.raters ? " raters" : "", seed);
}

// Users whom split_given() keeps; all of them have ratings to be tested on.
std::size_t num_ranked(const Ratings& ratings, std::size_t given) {
  constexpr std::size_t kTested = 10;  // its default
  std::size_t count = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) count += ratings.of_user(u).size() >= given + kTested;
  return count;
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
  const std::uint64_t seed = laboratory.options.seed;
  const CellWork work{
      .count = cells.size(),
      .key = [&](std::size_t c) { return key_of(cells[c], data, seed); },
      .method = [&](std::size_t c) { return std::string(cells[c].contender.method); },
      .compute = [&](std::size_t c, const std::function<bool()>&) { return run_cell(cells[c], data, seed); },
      .fits =
          [&](std::size_t c, const CellRecord& record) {
            return values_fit(record.test, rating_measures(), "standard", num_ranked(data.ratings, cells[c].given));
          }};
  return run_cells(work, cells_folder(laboratory), laboratory.options.threads, laboratory.observer);
}

}  // namespace dorm
