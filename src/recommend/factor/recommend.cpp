// SPDX-License-Identifier: Apache-2.0
// Scores, recommendations and similar items of a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "recommend/factor/best_items.h"
#include "recommend/factor/item_prior.h"

namespace dorm {
namespace {

void check_index(std::size_t index, std::size_t count, const char* what) {
  if (index >= count) throw Error(ErrorCode::bad_input, fmt::format("{} {}; the model has {}", what, index, count));
}

}  // namespace

std::vector<double> score(const FactorModel& model, const Ratings& ratings, UnknownIds* unknown) {
  UnknownIds missing;
  std::vector<std::optional<std::uint32_t>> place(ratings.num_items());
  for (std::size_t j = 0; j < place.size(); ++j) {
    place[j] = model.items.find(ratings.items()[j]);
    if (!place[j] && ratings.of_item(j).size() > 0) ++missing.items;
  }
  std::vector<double> scores;
  scores.reserve(ratings.size());
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) continue;
    const auto user = model.users.find(ratings.users()[u]);
    missing.users += !user;
    for (const std::uint32_t item : row.index) {
      double value = place[item] ? model.offsets[*place[item]] : damped_offset(model.options, 0, 0);
      if (place[item] && user) value += dot(model.user_factors.row(*user), model.item_factors.row(*place[item]));
      if (place[item] && !user) value += model.item_factors.row(*place[item]).back();
      scores.push_back(value);
    }
  }
  if (unknown != nullptr) *unknown = missing;
  return scores;
}

std::size_t count_trained(const FactorModel& model, const Ratings& ratings) {
  std::vector<std::optional<std::uint32_t>> place(ratings.num_items());
  for (std::size_t j = 0; j < place.size(); ++j) place[j] = model.items.find(ratings.items()[j]);
  std::size_t count = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const auto user = model.users.find(ratings.users()[u]);
    if (!user) continue;
    const std::span<const std::uint32_t> seen = model.seen_by(*user);
    for (const std::uint32_t item : ratings.of_user(u).index)
      count += place[item] && std::binary_search(seen.begin(), seen.end(), *place[item]);
  }
  return count;
}

void set_titles(FactorModel& model, const SideFeatures& titles) {
  if (titles.titles.empty()) return;
  model.item_titles.resize(model.items.size());
  for (std::size_t j = 0; j < model.items.size(); ++j)
    if (const auto found = titles.ids.find(model.items[j])) model.item_titles[j] = titles.titles[*found];
}

std::vector<Recommendation> recommend(const FactorModel& model, std::span<const double> user_row, std::size_t n,
                                      std::span<const std::uint32_t> exclude) {
  if (user_row.size() != model.layout.width())
    throw Error(ErrorCode::bad_input,
                fmt::format("a user row of {} numbers; expected {}", user_row.size(), model.layout.width()));
  std::vector<Recommendation> candidates;
  candidates.reserve(model.items.size());
  auto skip = exclude.begin();
  for (std::uint32_t item = 0; item < model.items.size(); ++item) {
    while (skip != exclude.end() && *skip < item) ++skip;
    if (skip != exclude.end() && *skip == item) continue;
    candidates.push_back({item, model.offsets[item] + dot(user_row, model.item_factors.row(item))});
  }
  return best_of(std::move(candidates), n);
}

std::vector<Recommendation> recommend(const FactorModel& model, std::size_t user, std::size_t n, bool with_seen) {
  check_index(user, model.users.size(), "user");
  return recommend(model, model.user_factors.row(user), n,
                   with_seen ? std::span<const std::uint32_t>() : model.seen_by(user));
}

// The shared coordinates and the features, without the constants: similar taste counts, not similar quality.
std::vector<Recommendation> similar_items(const FactorModel& model, std::size_t item, std::size_t n) {
  check_index(item, model.items.size(), "item");
  return nearest_rows(model.item_factors, {1, model.layout.width() - 2}, item, n);
}

}  // namespace dorm
