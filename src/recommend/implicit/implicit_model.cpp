// SPDX-License-Identifier: Apache-2.0
// Scores, recommendations, similar items and new users of a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numeric.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "recommend/factor/best_items.h"
#include "recommend/implicit/als.h"
#include "recommend/implicit/scorer.h"

namespace dorm {
namespace {

void check_index(std::size_t index, std::size_t count, const char* what) {
  if (index >= count) throw Error(ErrorCode::bad_input, fmt::format("{} {}; the model has {}", what, index, count));
}

ImplicitScorer scorer_of(const ImplicitModel& model) {
  return {model.user_factors, model.item_factors, model.ease, model.als_weight, model.ease_weight};
}

std::vector<std::optional<std::uint32_t>> places_of_items(const ImplicitModel& model, const Ratings& ratings) {
  std::vector<std::optional<std::uint32_t>> place(ratings.num_items());
  for (std::size_t j = 0; j < place.size(); ++j) place[j] = model.items.find(ratings.items()[j]);
  return place;
}

void renew_seen(ImplicitModel& model, const Ratings& events, std::span<const std::uint32_t> user_of) {
  struct Row {
    std::span<const std::uint32_t> items;
    std::span<const float> weights;
  };
  std::vector<Row> rows(model.users.size());
  for (std::size_t u = 0; u + 1 < model.seen_begin.size(); ++u)
    rows[u] = {model.seen_by(u), std::span(model.seen_weights).subspan(model.seen_begin[u], model.seen_by(u).size())};
  for (std::size_t u = 0; u < events.num_users(); ++u)
    if (events.of_user(u).size() > 0) rows[user_of[u]] = {events.of_user(u).index, events.of_user(u).value};
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> seen;
  std::vector<float> weights;
  for (const Row& row : rows) {
    seen.insert(seen.end(), row.items.begin(), row.items.end());
    weights.insert(weights.end(), row.weights.begin(), row.weights.end());
    begin.push_back(seen.size());
  }
  model.seen = std::move(seen);
  model.seen_weights = std::move(weights);
  model.seen_begin = std::move(begin);
}

}  // namespace

void score_items(const ImplicitModel& model, std::size_t user, std::span<double> scores, ImplicitPart part) {
  check_index(user, model.users.size(), "user");
  if (scores.size() != model.items.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("room for {} scores; the model has {} items", scores.size(), model.items.size()));
  ImplicitScorer scorer = scorer_of(model);
  if (part == ImplicitPart::als) scorer.als_weight = 1, scorer.ease_weight = 0;
  if (part == ImplicitPart::ease) scorer.als_weight = 0, scorer.ease_weight = model.ease.empty() ? 0 : 1;
  scorer.fill(user, model.seen_by(user), scores);
}

std::vector<double> score(const ImplicitModel& model, const Ratings& ratings, UnknownIds* unknown) {
  UnknownIds missing;
  const auto place = places_of_items(model, ratings);
  for (std::size_t j = 0; j < place.size(); ++j) missing.items += !place[j] && ratings.of_item(j).size() > 0;
  std::vector<double> scores, of_user(model.items.size());
  scores.reserve(ratings.size());
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) continue;
    const auto user = model.users.find(ratings.users()[u]);
    missing.users += !user;
    if (user) score_items(model, *user, of_user);
    for (const std::uint32_t item : row.index) scores.push_back(user && place[item] ? of_user[*place[item]] : 0);
  }
  if (unknown != nullptr) *unknown = missing;
  return scores;
}

std::size_t count_trained(const ImplicitModel& model, const Ratings& ratings) {
  const auto place = places_of_items(model, ratings);
  std::size_t count = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const auto user = model.users.find(ratings.users()[u]);
    if (!user) continue;
    const auto seen = model.seen_by(*user);
    for (const std::uint32_t item : ratings.of_user(u).index)
      count += place[item] && std::binary_search(seen.begin(), seen.end(), *place[item]);
  }
  return count;
}

void set_titles(ImplicitModel& model, const SideFeatures& titles) {
  if (titles.titles.empty()) return;
  model.item_titles.resize(model.items.size());
  for (std::size_t j = 0; j < model.items.size(); ++j)
    if (const auto found = titles.ids.find(model.items[j])) model.item_titles[j] = titles.titles[*found];
}

EvaluationTable evaluate(const ImplicitModel&, const Ratings& ratings, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options) {
  return evaluate(ratings, scores, measures, options);
}

std::vector<Recommendation> recommend(const ImplicitModel& model, std::size_t user, std::size_t n, bool with_seen) {
  std::vector<double> scores(model.items.size());
  score_items(model, user, scores);
  std::vector<Recommendation> candidates;
  const auto seen = with_seen ? std::span<const std::uint32_t>() : model.seen_by(user);
  for (std::uint32_t item = 0; item < scores.size(); ++item)
    if (!std::binary_search(seen.begin(), seen.end(), item)) candidates.push_back({item, scores[item]});
  return best_of(std::move(candidates), n);
}

std::vector<Recommendation> similar_items(const ImplicitModel& model, std::size_t item, std::size_t n) {
  check_index(item, model.items.size(), "item");
  return nearest_rows(model.item_factors, {0, model.item_factors.width}, item, n);
}

std::size_t fold_in_users(ImplicitModel& model, const Ratings& events, const SideFeatures*, std::size_t threads) {
  const auto place = places_of_items(model, events);
  std::vector<Rating> known;
  std::vector<std::uint32_t> user_of(events.num_users());
  std::size_t ignored = 0;
  for (std::uint32_t u = 0; u < events.num_users(); ++u) {
    const RatingRow row = events.of_user(u);
    if (row.size() > 0) user_of[u] = model.users.add(events.users()[u]);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!(row.value[i] > 0))
        throw Error(ErrorCode::bad_input, fmt::format("user \"{}\" has an event of weight {}; expected more than 0",
                                                      events.users()[u], row.value[i]));
      if (place[row.index[i]])
        known.push_back({u, *place[row.index[i]], row.value[i]});
      else
        ++ignored;
    }
  }
  const Ratings fresh(events.users(), model.items, known);
  model.user_factors.rows = model.users.size();
  model.user_factors.values.resize(model.users.size() * model.user_factors.width, 0.0);
  ThreadPool pool(thread_count(threads));
  const AlsSide items(model.item_factors, model.options.als, pool);
  std::vector<AlsRow> solvers(pool.size());
  pool.run(events.num_users(), [&](std::size_t u, std::size_t worker) {
    if (events.of_user(u).size() > 0)
      solvers[worker].solve(items, fresh.of_user(u), model.user_factors.row(user_of[u]));
  });
  renew_seen(model, fresh, user_of);
  return ignored;
}

}  // namespace dorm
