// SPDX-License-Identifier: Apache-2.0
// What a model over a joint kernel answers: scores, recommendations, similar items, and new users.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/recommend/joint_model.h"
#include "recommend/factor/best_items.h"
#include "recommend/factor/grades.h"
#include "recommend/joint/joint_scores.h"
#include "recommend/models/joint_inputs.h"

namespace dorm {
namespace {

std::vector<std::optional<std::uint32_t>> places_in(const IdTable& known, const IdTable& asked) {
  std::vector<std::optional<std::uint32_t>> places(asked.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = known.find(asked[i]);
  return places;
}

/// Features of the users of the model, with those that were given for new ones.
void append_rows(SideFeatures& all, const SideFeatures& more) {
  if (all.names.size() != more.names.size())
    throw Error(ErrorCode::bad_input, fmt::format("{} features of new users; the model was trained with {}",
                                                  more.names.size(), all.names.size()));
  for (std::size_t i = 0; i < more.ids.size(); ++i) {
    if (all.ids.find(more.ids[i])) continue;
    all.ids.add(more.ids[i]);
    const auto first = more.values.begin() + static_cast<std::ptrdiff_t>(i * more.names.size());
    all.values.insert(all.values.end(), first, first + static_cast<std::ptrdiff_t>(more.names.size()));
  }
}

}  // namespace

std::vector<double> score(const JointModel& model, const Ratings& ratings, UnknownIds* unknown, std::size_t threads) {
  const auto users = places_in(model.users(), ratings.users()), items = places_in(model.items(), ratings.items());
  const ItemScores by_user(model.similarities.items, model.ranker);
  const double share = joint_kernel_of(model).share_of_constant();
  const std::vector<double> stranger(model.similarities.users.size, share);
  std::vector<double> scores(ratings.size());
  parallel_for(ratings.num_users(), thread_count(threads), [&](std::size_t u, std::size_t) {
    const RatingRow row = ratings.of_user(u);
    std::vector<std::uint32_t> wanted, places;
    for (std::size_t i = 0; i < row.size(); ++i)
      if (items[row.index[i]]) {
        wanted.push_back(*items[row.index[i]]);
        places.push_back(static_cast<std::uint32_t>(ratings.first_of_user(u) + i));
      }
    std::vector<double> own(wanted.size());
    by_user.add(users[u] ? model.similarities.users.row(*users[u]) : std::span<const double>(stranger), wanted, own);
    for (std::size_t i = 0; i < own.size(); ++i) scores[places[i]] = own[i];
  });
  if (unknown != nullptr) {
    *unknown = {};
    for (std::size_t u = 0; u < users.size(); ++u) unknown->users += !users[u] && ratings.of_user(u).size() > 0;
    for (std::size_t j = 0; j < items.size(); ++j) unknown->items += !items[j] && ratings.of_item(j).size() > 0;
  }
  return scores;
}

std::vector<double> score_pairs(const JointModel& model, std::span<const std::uint32_t> users,
                                std::span<const std::uint32_t> items) {
  if (users.size() != items.size()) throw Error(ErrorCode::bad_input, "users and items differ in length");
  const ItemScores by_user(model.similarities.items, model.ranker);
  std::vector<double> scores(users.size());
  for (std::size_t i = 0; i < scores.size(); ++i)
    by_user.add(model.similarities.users.row(users[i]), items.subspan(i, 1), std::span(scores).subspan(i, 1));
  return scores;
}

std::size_t count_trained(const JointModel& model, const Ratings& ratings) {
  const auto users = places_in(model.users(), ratings.users()), items = places_in(model.items(), ratings.items());
  std::size_t count = 0;
  for (std::size_t u = 0; u < users.size(); ++u) {
    if (!users[u] || *users[u] >= model.trained_users) continue;
    const std::span<const std::uint32_t> seen = model.seen_by(*users[u]);
    for (const std::uint32_t item : ratings.of_user(u).index)
      count += items[item] && std::binary_search(seen.begin(), seen.end(), *items[item]);
  }
  return count;
}

void set_titles(JointModel& model, const SideFeatures& titles) {
  if (titles.titles.empty()) return;
  model.item_titles.resize(model.items().size());
  for (std::size_t j = 0; j < model.items().size(); ++j)
    if (const auto found = titles.ids.find(model.items()[j])) model.item_titles[j] = titles.titles[*found];
}

EvaluationTable evaluate(const JointModel& model, const Ratings& ratings, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options) {
  return evaluate_graded(model.grades, ratings, scores, measures, options);
}

std::vector<std::vector<Recommendation>> recommend(const JointModel& model, std::span<const std::uint32_t> users,
                                                   std::size_t n, bool with_seen, std::size_t threads) {
  const ItemScores by_user(model.similarities.items, model.ranker);
  std::vector<std::uint32_t> all(model.items().size());
  std::iota(all.begin(), all.end(), 0U);
  std::vector<std::vector<Recommendation>> lists(users.size());
  parallel_for(users.size(), thread_count(threads), [&](std::size_t u, std::size_t) {
    if (users[u] >= model.users().size())
      throw Error(ErrorCode::bad_input, fmt::format("user {}; the model has {}", users[u], model.users().size()));
    std::vector<double> scores(all.size());
    by_user.add(model.similarities.users.row(users[u]), all, scores);
    const std::span<const std::uint32_t> seen = with_seen ? std::span<const std::uint32_t>() : model.seen_by(users[u]);
    std::vector<Recommendation> candidates;
    for (const std::uint32_t item : all)
      if (!std::binary_search(seen.begin(), seen.end(), item)) candidates.push_back({item, scores[item]});
    lists[u] = best_of(std::move(candidates), n);
  });
  return lists;
}

std::vector<Recommendation> similar_items(const JointModel& model, std::size_t item, std::size_t n) {
  const Similarities& alike = model.similarities.items;
  if (item >= alike.size) throw Error(ErrorCode::bad_input, fmt::format("item {}; the model has {}", item, alike.size));
  std::vector<Recommendation> candidates;
  for (std::uint32_t j = 0; j < alike.size; ++j) {
    if (j == item) continue;
    const double length = std::sqrt(alike.at(item, item) * alike.at(j, j));
    candidates.push_back({j, length > 0 ? alike.at(item, j) / length : 0});
  }
  return best_of(std::move(candidates), n);
}

std::size_t fold_in_users(JointModel& model, const Ratings& ratings, const SideFeatures* features, std::size_t) {
  const JointKernelText kernel = joint_kernel_of(model);
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::unsupported,
                fmt::format("new users cannot be compared with those of this model ({}): {}", model.kernel, why));
  };
  if (kernel.has_user_part("given")) refuse("its users are compared by a matrix of their own");
  if (!kernel.has_user_part("constant") && !kernel.has_user_part("correlation") && !kernel.has_user_part("attributes"))
    refuse("every user is like himself alone; train again with their ratings");
  const auto items = places_in(model.items(), ratings.items());
  IdTable users = model.users();
  const std::size_t before = users.size();
  std::vector<Rating> all;
  for (std::uint32_t u = 0; u < before; ++u) {
    const RatingRow row = model.known.of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i) all.push_back({u, row.index[i], row.value[i]});
  }
  std::size_t ignored = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    if (row.size() == 0) continue;
    const bool known = model.users().find(ratings.users()[u]).has_value();
    const std::uint32_t user = users.add(ratings.users()[u]);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto item = items[row.index[i]];
      ignored += known || !item;
      if (!known && item) all.push_back({user, *item, row.value[i]});
    }
  }
  if (features && !model.user_features.names.empty()) append_rows(model.user_features, *features);
  model.known = Ratings(std::move(users), model.items(), all);
  model.similarities.users = kernel.users(model.known, inputs_of(model));
  return ignored;
}

}  // namespace dorm
