// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/swaps.h"

#include <algorithm>
#include <vector>

#include "dorm/model.h"

namespace dorm::explore {
namespace {

bool stands_above(std::span<const double> scores, std::size_t i, std::size_t k) {
  return scores[i] > scores[k] || (scores[i] == scores[k] && i < k);
}

/// How many documents stand above document k.
std::size_t count_above(std::span<const double> scores, std::size_t k) {
  std::size_t above = 0;
  const double score = scores[k];
  for (std::size_t i = 0; i < k; ++i) above += scores[i] >= score;
  for (std::size_t i = k + 1; i < scores.size(); ++i) above += scores[i] > score;
  return above;
}

/// Counts by number, with sums over prefixes.
class PrefixCounts {
 public:
  explicit PrefixCounts(std::size_t size) : sums_(size + 1) {}
  void add(std::size_t i) {
    for (++i; i < sums_.size(); i += i & (~i + 1)) ++sums_[i];
  }
  std::uint64_t below(std::size_t i) const {  // how many numbers less than i
    std::uint64_t sum = 0;
    for (; i > 0; i &= i - 1) sum += sums_[i];
    return sum;
  }

 private:
  std::vector<std::uint64_t> sums_;
};

/// Pairs in another order in the second ranking.
std::uint64_t all_swaps(std::span<const double> one, std::span<const double> other) {
  std::vector<std::size_t> place(one.size());
  const Ranking second = top_ranking(other);
  for (std::size_t j = 0; j < second.size(); ++j) place[second[j]] = j;
  PrefixCounts seen(one.size());
  std::uint64_t swaps = 0;
  std::size_t count = 0;
  for (const std::uint32_t i : top_ranking(one)) {
    swaps += count - seen.below(place[i]);
    seen.add(place[i]);
    ++count;
  }
  return swaps;
}

/// Pairs of a document that only the first ranking has at its top, with those that neither has there.
std::uint64_t swaps_with_others(const Ranking& alone, const Ranking& tops, std::span<const double> other) {
  std::uint64_t swaps = 0;
  for (const std::uint32_t i : alone) {
    std::size_t above = count_above(other, i);
    for (const std::uint32_t k : tops) above -= k != i && stands_above(other, k, i);
    swaps += above;
  }
  return swaps;
}

}  // namespace

std::uint64_t label_swaps(std::span<const float> labels, std::span<const double> scores, std::size_t cutoff) {
  std::vector<float> kinds(labels.begin(), labels.end());
  std::sort(kinds.begin(), kinds.end());
  kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
  const auto kind_of = [&](float label) {
    return static_cast<std::size_t>(std::lower_bound(kinds.begin(), kinds.end(), label) - kinds.begin());
  };
  std::vector<std::uint64_t> left(kinds.size());  // documents further down, by label
  for (const float label : labels) ++left[kind_of(label)];
  std::uint64_t swaps = 0;
  for (const std::uint32_t i : top_ranking(scores, cutoff)) {
    const std::size_t kind = kind_of(labels[i]);
    --left[kind];
    for (std::size_t k = kind + 1; k < kinds.size(); ++k) swaps += left[k];
  }
  return swaps;
}

std::uint64_t ranking_swaps(std::span<const double> one, std::span<const double> other, std::size_t cutoff) {
  if (cutoff == 0 || cutoff >= one.size()) return all_swaps(one, other);
  const Ranking top = top_ranking(one, cutoff), other_top = top_ranking(other, cutoff);
  const auto has = [](const Ranking& list, std::uint32_t i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  };
  Ranking alone, other_alone, tops = top;
  for (const std::uint32_t i : top)
    if (!has(other_top, i)) alone.push_back(i);
  for (const std::uint32_t i : other_top)
    if (!has(top, i)) other_alone.push_back(i);
  tops.insert(tops.end(), other_alone.begin(), other_alone.end());
  std::uint64_t swaps = 0;
  for (std::size_t j = 0; j < tops.size(); ++j)
    for (std::size_t k = 0; k < j; ++k)
      swaps += stands_above(one, tops[j], tops[k]) != stands_above(other, tops[j], tops[k]);
  return swaps + swaps_with_others(alone, tops, other) + swaps_with_others(other_alone, tops, one);
}

}  // namespace dorm::explore
