// SPDX-License-Identifier: Apache-2.0
// Kendall's tau-b between a ranking and the labels:
//   (pairs in the right order - pairs in the wrong order) / sqrt(pairs * pairs of different labels).
// A ranking is strict, so only ties between labels enter the denominator; under expected ties a pair of tied scores
// counts 0. Documents that were not retrieved stand, tied, below all others.
#include <algorithm>
#include <cmath>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

// Counts of documents by label level, with prefix sums in O(log levels).
class LevelCounts {
 public:
  explicit LevelCounts(std::size_t levels) : tree_(levels + 1, 0) {}

  void add(std::size_t level) {
    for (std::size_t i = level + 1; i < tree_.size(); i += i & (~i + 1)) ++tree_[i];
  }
  std::int64_t below(std::size_t level) const {
    std::int64_t sum = 0;
    for (std::size_t i = level; i > 0; i -= i & (~i + 1)) sum += tree_[i];
    return sum;
  }

 private:
  std::vector<std::int64_t> tree_;
};

struct Levels {
  std::vector<std::uint32_t> of;  // by document: place of its label among the distinct labels, 0 = lowest
  std::size_t count = 0;
  double different_pairs = 0;
};

Levels levels_of(Labels labels) {
  std::vector<float> distinct(labels.begin(), labels.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Levels levels{std::vector<std::uint32_t>(labels.size()), distinct.size()};
  std::vector<double> size(distinct.size(), 0.0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto place = std::lower_bound(distinct.begin(), distinct.end(), labels[i]);
    levels.of[i] = static_cast<std::uint32_t>(place - distinct.begin());
    ++size[levels.of[i]];
  }
  const auto length = static_cast<double>(labels.size());
  levels.different_pairs = length * (length - 1) / 2;
  for (double s : size) levels.different_pairs -= s * (s - 1) / 2;
  return levels;
}

class KendallTau final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool of_pairs() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const Levels levels = levels_of(labels);
    if (levels.different_pairs == 0) return std::nullopt;
    LevelCounts above(levels.count);
    std::int64_t seen = 0, balance = 0;  // balance: right minus wrong pairs
    const auto meet = [&](std::size_t document) {
      const std::size_t level = levels.of[document];
      balance += (seen - above.below(level + 1)) - above.below(level);
    };
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      for (std::size_t j = begin; j < end; ++j) meet(ranking.documents[j]);
      for (std::size_t j = begin; j < end; ++j) above.add(levels.of[ranking.documents[j]]);
      seen += static_cast<std::int64_t>(end - begin);
    });
    for (std::size_t i : missing(labels.size(), ranking)) meet(i);
    const auto length = static_cast<double>(labels.size());
    return static_cast<double>(balance) / std::sqrt(length * (length - 1) / 2 * levels.different_pairs);
  }

 private:
  static std::vector<std::size_t> missing(std::size_t length, const TiedRanking& ranking) {
    std::vector<std::size_t> result;
    if (ranking.documents.size() == length) return result;
    std::vector<bool> present(length, false);
    for (std::uint32_t i : ranking.documents) present[i] = true;
    for (std::size_t i = 0; i < length; ++i)
      if (!present[i]) result.push_back(i);
    return result;
  }
};

}  // namespace

MeasurePtr kendall_tau(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {});
  return std::make_unique<KendallTau>(spec, convention);
}

}  // namespace dorm
