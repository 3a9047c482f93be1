// SPDX-License-Identifier: Apache-2.0
// Answers that are the same for all kinds of recommenders.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/recommend/recommender.h"
#include "recommend/factor/best_items.h"

namespace dorm {

std::vector<Recommendation> top_items(const Recommending& model, const Taste& taste, const TopQuestion& question) {
  const std::size_t items = model.items().size();
  if (!question.allowed.empty() && question.allowed.size() != items)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} marks of allowed items; the model has {}", question.allowed.size(), items));
  std::vector<double> scores(items);
  model.score(taste, scores);
  std::vector<Recommendation> candidates;
  candidates.reserve(items);
  auto seen = taste.seen.begin();
  for (std::uint32_t item = 0; item < items; ++item) {
    while (seen != taste.seen.end() && *seen < item) ++seen;
    const bool had = seen != taste.seen.end() && *seen == item;
    if ((question.with_seen || !had) && (question.allowed.empty() || question.allowed[item] != 0))
      candidates.push_back({item, scores[item]});
  }
  return best_of(std::move(candidates), question.n);
}

std::vector<std::vector<Recommendation>> top_items(const Recommending& model, std::span<const std::uint32_t> users,
                                                   const TopQuestion& question, std::size_t threads) {
  for (const std::uint32_t user : users)
    if (user >= model.users().size())
      throw Error(ErrorCode::bad_input, fmt::format("user {}; the model has {}", user, model.users().size()));
  std::vector<std::vector<Recommendation>> lists(users.size());
  parallel_for(users.size(), thread_count(threads),
               [&](std::size_t u, std::size_t) { lists[u] = top_items(model, model.known(users[u]), question); });
  return lists;
}

Explanation explain(const Recommending& model, const Taste& taste, std::size_t item, std::size_t n) {
  if (item >= model.items().size())
    throw Error(ErrorCode::bad_input, fmt::format("item {}; the model has {}", item, model.items().size()));
  std::vector<double> scores(model.items().size());
  model.score(taste, scores);
  const std::vector<double> parts = model.parts(taste, item);
  Explanation out;
  out.score = scores[item];
  out.rest = out.score - std::accumulate(parts.begin(), parts.end(), 0.0);
  std::vector<Recommendation> all;
  for (std::size_t k = 0; k < parts.size(); ++k) all.push_back({taste.seen[k], parts[k]});
  out.because = best_of(std::move(all), n);
  return out;
}

}  // namespace dorm
