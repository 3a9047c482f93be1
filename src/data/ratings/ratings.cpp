// SPDX-License-Identifier: Apache-2.0
// Ratings by user and by item.
#include "dorm/recommend/ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "dorm/error.h"

namespace dorm {

Ratings::Ratings(IdTable users, IdTable items, std::span<const Rating> ratings)
    : users_(std::move(users)), items_(std::move(items)) {
  for (const Rating& rating : ratings) {
    if (rating.user >= users_.size() || rating.item >= items_.size())
      throw Error(ErrorCode::bad_input, fmt::format("rating of item {} by user {}; there are {} items and {} "
                                                    "users",
                                                    rating.item, rating.user, items_.size(), users_.size()));
    if (!std::isfinite(rating.value))
      throw Error(ErrorCode::bad_input, fmt::format("user \"{}\" rated item \"{}\" {}; expected a finite number",
                                                    users_[rating.user], items_[rating.item], rating.value));
  }
  compress_by_user(ratings);
  compress_by_item();
}

Ratings::Ratings(IdTable users, IdTable items, RatingRows by_user)
    : users_(std::move(users)), items_(std::move(items)), by_user_(std::move(by_user)) {
  if (by_user_.begin.size() != users_.size() + 1 || by_user_.begin.front() != 0 ||
      by_user_.begin.back() != by_user_.index.size() || by_user_.index.size() != by_user_.value.size() ||
      !std::is_sorted(by_user_.begin.begin(), by_user_.begin.end()))
    throw Error(ErrorCode::bad_input, "the rows of the users do not fit together");
  for (std::size_t u = 0; u < users_.size(); ++u) {
    const RatingRow row = of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i)
      if (row.index[i] >= items_.size() || (i > 0 && row.index[i] <= row.index[i - 1]) || !std::isfinite(row.value[i]))
        throw Error(ErrorCode::bad_input, fmt::format("user \"{}\" rated item {} of {} {}; expected items in order and "
                                                      "finite numbers",
                                                      users_[u], row.index[i], items_.size(), row.value[i]));
  }
  compress_by_item();
}

// Counting sort by user, then each row by item; of equal items the one that came last stays.
void Ratings::compress_by_user(std::span<const Rating> ratings) {
  std::vector<std::uint64_t> begin(users_.size() + 1, 0);
  for (const Rating& rating : ratings) ++begin[rating.user + std::size_t{1}];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  struct Cell {
    std::uint32_t item;
    float value;
  };
  std::vector<Cell> cells(ratings.size());
  std::vector<std::uint64_t> next(begin.begin(), begin.end() - 1);
  for (const Rating& rating : ratings) cells[next[rating.user]++] = {rating.item, rating.value};
  by_user_.begin.assign(1, 0);
  by_user_.index.reserve(ratings.size());
  by_user_.value.reserve(ratings.size());
  for (std::size_t u = 0; u < users_.size(); ++u) {
    const auto first = cells.begin() + static_cast<std::ptrdiff_t>(begin[u]);
    const auto last = cells.begin() + static_cast<std::ptrdiff_t>(begin[u + 1]);
    std::stable_sort(first, last, [](const Cell& x, const Cell& y) { return x.item < y.item; });
    for (auto cell = first; cell != last; ++cell) {
      if (cell + 1 != last && cell->item == (cell + 1)->item) {
        ++duplicates_;
        continue;
      }
      by_user_.index.push_back(cell->item);
      by_user_.value.push_back(cell->value);
    }
    by_user_.begin.push_back(by_user_.index.size());
  }
}

void Ratings::compress_by_item() {
  by_item_.begin.assign(items_.size() + 1, 0);
  for (const std::uint32_t item : by_user_.index) ++by_item_.begin[item + std::size_t{1}];
  std::partial_sum(by_item_.begin.begin(), by_item_.begin.end(), by_item_.begin.begin());
  by_item_.index.resize(size());
  by_item_.value.resize(size());
  std::vector<std::uint64_t> next(by_item_.begin.begin(), by_item_.begin.end() - 1);
  for (std::size_t u = 0; u < users_.size(); ++u) {
    const RatingRow row = of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::uint64_t at = next[row.index[i]]++;
      by_item_.index[at] = static_cast<std::uint32_t>(u);
      by_item_.value[at] = row.value[i];
    }
  }
}

}  // namespace dorm
