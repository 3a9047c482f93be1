// SPDX-License-Identifier: Apache-2.0
// Ratings: users x items, sparse; how they are split for experiments. docs/ratings.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dorm/data/judgments.h"

namespace dorm {

struct Rating {
  std::uint32_t user, item;
  float value;
};

/// Some ratings of one user (their items) or of one item (their users), by increasing index; a view.
struct RatingRow {
  std::span<const std::uint32_t> index;
  std::span<const float> value;
  std::size_t size() const { return index.size(); }
};

/// Rows of ratings one behind the other: row r is [begin[r], begin[r + 1]).
struct RatingRows {
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> index;
  std::vector<float> value;

  RatingRow row(std::size_t r) const {
    const std::size_t first = begin[r], count = begin[r + 1] - first;
    return {std::span(index).subspan(first, count), std::span(value).subspan(first, count)};
  }
};

/// A sparse matrix of ratings, readable by user and by item. Immutable. Parts made by a split keep all users and items
/// of the whole, so that indices mean the same everywhere; some rows are then empty.
class Ratings {
 public:
  Ratings() = default;
  /// Of several ratings by one user of one item the last counts; duplicates() says how many were replaced. Throws
  /// Error(bad_input) for an index out of range or a value that is not finite.
  Ratings(IdTable users, IdTable items, std::span<const Rating> ratings);
  /// Of rows by user, which must be increasing. Throws Error(bad_input) for rows that do not fit.
  Ratings(IdTable users, IdTable items, RatingRows by_user);

  std::size_t num_users() const { return users_.size(); }
  std::size_t num_items() const { return items_.size(); }
  std::size_t size() const { return by_user_.index.size(); }
  std::size_t duplicates() const { return duplicates_; }
  const IdTable& users() const { return users_; }
  const IdTable& items() const { return items_; }

  RatingRow of_user(std::size_t user) const { return by_user_.row(user); }
  RatingRow of_item(std::size_t item) const { return by_item_.row(item); }
  /// Where the ratings of a user begin when all are listed user by user: the order of score tables.
  std::size_t first_of_user(std::size_t user) const { return by_user_.begin[user]; }
  /// The rows of all users, without a copy. The ratings are empty afterwards.
  RatingRows take_rows() {
    by_item_ = {};
    return std::exchange(by_user_, {});
  }

  /// The ratings for which keep(position) holds, position counting as in first_of_user.
  template <class Keep>
  Ratings filtered(Keep keep) const {
    std::vector<Rating> kept;
    for (std::size_t u = 0, at = 0; u < num_users(); ++u) {
      const RatingRow row = of_user(u);
      for (std::size_t i = 0; i < row.size(); ++i, ++at)
        if (keep(at)) kept.push_back({static_cast<std::uint32_t>(u), row.index[i], row.value[i]});
    }
    return Ratings(users_, items_, kept);
  }

 private:
  void compress_by_user(std::span<const Rating> ratings);
  void compress_by_item();

  IdTable users_, items_;
  RatingRows by_user_, by_item_;
  std::size_t duplicates_ = 0;
};

/// Two parts of the same ratings.
struct RatingsSplit {
  Ratings train, test;
  std::size_t dropped_users = 0;  // in neither part
};

/// Weak generalisation: `given` random ratings of each user to train on, the rest to test. Users with fewer than given
/// + at_least ratings are dropped. Throws Error(bad_input) when none is left.
RatingsSplit split_given(const Ratings& ratings, std::size_t given, std::uint64_t seed, std::size_t at_least = 10);

/// A random share of all ratings to test, 0 < share < 1.
RatingsSplit split_random(const Ratings& ratings, double share, std::uint64_t seed);

/// Strong generalisation: `count` users are taken out of training; of each, `given` ratings are shown to the trained
/// model and the others are for testing. Only users with given + at_least ratings are drawn.
struct NewUsersSplit {
  Ratings train, given, test;
};
NewUsersSplit split_new_users(const Ratings& ratings, std::size_t count, std::size_t given, std::uint64_t seed,
                              std::size_t at_least = 10);

}  // namespace dorm
