// SPDX-License-Identifier: Apache-2.0
#include "lab/experiment/ratings_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "lab/compare/run_cells.h"

namespace dorm {
namespace {

constexpr int kFormat = 1;       // of records, and of what a key covers
constexpr double kImplicit = 2;  // docs/ratings.md: chosen on other splits
constexpr std::size_t kNeighbours = 20;
constexpr std::uint64_t kDraw = 99;  // seed of the popular part

std::string key_of(const RatingsCell& cell, const RatingsData& data, std::uint64_t seed) {
  return fmt::format("ratings {}; {}; {} ratings, {} users, {} items; given {} split {}; {} rank {} {} {}{}{}; seed {}",
                     kFormat, build_identity(), data.ratings.size(), data.ratings.num_users(), data.ratings.num_items(),
                     cell.given, cell.split, cell.contender.method, cell.contender.rank,
                     cell.contender.chosen ? "chosen" : "fixed", cell.facts ? "facts" : "plain",
                     cell.contender.raters ? " raters" : "", cell.popular ? " popular" : "", seed);
}

// Users whom split_given() keeps; all of them have ratings to be tested on.
std::size_t num_ranked(const Ratings& ratings, std::size_t given) {
  constexpr std::size_t kTested = 10;  // its default
  std::size_t count = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) count += ratings.of_user(u).size() >= given + kTested;
  return count;
}

CellRecord run_cell(const RatingsCell& cell, const Ratings& ratings, const SideFeatures& facts, std::uint64_t seed) {
  const RatingsSplit split = split_given(ratings, cell.given, cell.split);
  const CollaborativeInputs inputs{.item_features = cell.facts ? &facts : nullptr};
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

Ratings popular_part(const Ratings& ratings) {
  constexpr std::size_t kFilms = 1075, kUsers = 100, kEnough = 60;
  std::vector<std::size_t> films(ratings.num_items());
  std::iota(films.begin(), films.end(), std::size_t{0});
  std::stable_sort(films.begin(), films.end(),
                   [&](std::size_t i, std::size_t j) { return ratings.of_item(i).size() > ratings.of_item(j).size(); });
  std::vector<char> popular(ratings.num_items(), 0);
  for (std::size_t f = 0; f < std::min(kFilms, films.size()); ++f) popular[films[f]] = 1;
  std::vector<std::size_t> users;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const std::span<const std::uint32_t> rated = ratings.of_user(u).index;
    if (std::count_if(rated.begin(), rated.end(), [&](std::uint32_t i) { return popular[i] != 0; }) >=
        std::ptrdiff_t{kEnough})
      users.push_back(u);
  }
  Rng(kDraw).shuffle(std::span(users));
  users.resize(std::min(kUsers, users.size()));
  std::vector<char> kept(ratings.size(), 0);
  for (const std::size_t u : users) {
    const std::span<const std::uint32_t> rated = ratings.of_user(u).index;
    for (std::size_t i = 0; i < rated.size(); ++i) kept[ratings.first_of_user(u) + i] = popular[rated[i]];
  }
  return ratings.filtered([&](std::size_t at) { return kept[at] != 0; });
}

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
  const Ratings popular = popular_part(data.ratings);
  const auto ratings_of = [&](std::size_t c) -> const Ratings& { return cells[c].popular ? popular : data.ratings; };
  const CellWork work{
      .count = cells.size(),
      .key = [&](std::size_t c) { return key_of(cells[c], data, seed); },
      .method = [&](std::size_t c) { return std::string(cells[c].contender.method); },
      .compute = [&](std::size_t c,
                     const std::function<bool()>&) { return run_cell(cells[c], ratings_of(c), data.facts, seed); },
      .fits =
          [&](std::size_t c, const CellRecord& record) {
            return values_fit(record.test, rating_measures(), "standard", num_ranked(ratings_of(c), cells[c].given));
          }};
  return run_cells(work, cells_folder(laboratory), laboratory.options.threads, laboratory.observer);
}

}  // namespace dorm
