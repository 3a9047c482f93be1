// SPDX-License-Identifier: Apache-2.0
// Splits for experiments. Each is a function of the ratings and the seed alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/recommend/ratings.h"

namespace dorm {
namespace {

enum Part : char { kNone, kTrain, kGiven, kTest };

std::size_t longest_row(const Ratings& ratings) {
  std::size_t longest = 0;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) longest = std::max(longest, ratings.of_user(u).size());
  return longest;
}

// Marks `given` random ratings of a user with `first`, the others as test.
void deal(const Ratings& ratings, std::size_t user, std::size_t given, Part first, Rng& rng, std::vector<Part>& part) {
  std::vector<std::size_t> order(ratings.of_user(user).size());
  std::iota(order.begin(), order.end(), ratings.first_of_user(user));
  rng.shuffle(std::span(order));
  for (std::size_t i = 0; i < order.size(); ++i) part[order[i]] = i < given ? first : kTest;
}

Ratings part_of(const Ratings& ratings, const std::vector<Part>& part, Part wanted) {
  return ratings.filtered([&](std::size_t at) { return part[at] == wanted; });
}

std::vector<std::size_t> users_with(const Ratings& ratings, std::size_t given, std::size_t at_least) {
  if (given == 0) throw Error(ErrorCode::bad_option, "given = 0; expected at least 1 rating per user");
  std::vector<std::size_t> users;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    if (ratings.of_user(u).size() >= given + at_least) users.push_back(u);
  if (users.empty())
    throw Error(ErrorCode::bad_input,
                fmt::format("no user has the {} + {} ratings that {} given ratings ask for; the most "
                            "any of the {} users has is {}",
                            given, at_least, given, ratings.num_users(), longest_row(ratings)));
  return users;
}

}  // namespace

RatingsSplit split_given(const Ratings& ratings, std::size_t given, std::uint64_t seed, std::size_t at_least) {
  const std::vector<std::size_t> users = users_with(ratings, given, at_least);
  std::vector<Part> part(ratings.size(), kNone);
  Rng rng(seed);
  for (const std::size_t user : users) deal(ratings, user, given, kTrain, rng, part);
  return {part_of(ratings, part, kTrain), part_of(ratings, part, kTest), ratings.num_users() - users.size()};
}

RatingsSplit split_random(const Ratings& ratings, double share, std::uint64_t seed) {
  if (!(share > 0 && share < 1))
    throw Error(ErrorCode::bad_option,
                fmt::format("share = {}; expected a number between 0 and 1, both excluded", share));
  const auto wanted = static_cast<std::size_t>(std::llround(share * static_cast<double>(ratings.size())));
  std::vector<std::size_t> order(ratings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng(seed).shuffle(std::span(order));
  std::vector<Part> part(ratings.size(), kTrain);
  for (std::size_t i = 0; i < wanted; ++i) part[order[i]] = kTest;
  return {part_of(ratings, part, kTrain), part_of(ratings, part, kTest), 0};
}

NewUsersSplit split_new_users(const Ratings& ratings, std::size_t count, std::size_t given, std::uint64_t seed,
                              std::size_t at_least) {
  std::vector<std::size_t> users = users_with(ratings, given, at_least);
  if (count == 0 || count > users.size())
    throw Error(ErrorCode::bad_option, fmt::format("{} new users; expected 1 to {}, the users with at least "
                                                   "{} + {} ratings",
                                                   count, users.size(), given, at_least));
  Rng rng(seed);
  rng.shuffle(std::span(users));
  std::vector<Part> part(ratings.size(), kTrain);
  for (std::size_t i = 0; i < count; ++i) deal(ratings, users[i], given, kGiven, rng, part);
  return {part_of(ratings, part, kTrain), part_of(ratings, part, kGiven), part_of(ratings, part, kTest)};
}

}  // namespace dorm
