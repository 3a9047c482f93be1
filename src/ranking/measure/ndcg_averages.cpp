// SPDX-License-Identifier: Apache-2.0
// Averages of NDCG over positions, of trec_eval: over those of the relevant documents (NDCG at the end of the list for
// the ones that were not retrieved), or over the positions at which the best order passes to a lower gain, and the end
// of a list that goes on behind the last of them.
#include <algorithm>
#include <functional>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

/// Discounted gains of the ranking and of the best order, summed up to each position from 0 on.
struct CumulatedGains {
  std::vector<double> own, best;
  std::vector<double> ideal;  // gains above 0, in the best order

  double own_at(std::size_t positions) const { return own[std::min(positions, own.size() - 1)]; }
  double ndcg_at(std::size_t positions) const { return own_at(positions) / best[std::min(positions, best.size() - 1)]; }
};

CumulatedGains cumulated(const Convention& convention, Labels labels, const TiedRanking& ranking) {
  CumulatedGains result{{0.0}, {0.0}, gains(convention, ranking.reachable.empty() ? labels : ranking.reachable)};
  std::erase_if(result.ideal, [](double gain) { return gain <= 0; });
  std::sort(result.ideal.begin(), result.ideal.end(), std::greater<>());
  const std::size_t length = std::max(ranking.documents.size(), result.ideal.size());
  const std::vector<double> discount = discounts(convention, length, length);
  const std::vector<double> gain = gains(convention, labels);
  for (std::size_t j = 0; j < ranking.documents.size(); ++j)
    result.own.push_back(result.own.back() + gain[ranking.documents[j]] * discount[j]);
  for (std::size_t j = 0; j < result.ideal.size(); ++j)
    result.best.push_back(result.best.back() + result.ideal[j] * discount[j]);
  return result;
}

class NdcgAtRelevant final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool needs_order() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const CumulatedGains sums = cumulated(convention_, labels, ranking);
    if (sums.ideal.empty()) return std::nullopt;
    const std::vector<double> gain = gains(convention_, labels);
    double total = 0, found = 0;
    for (std::size_t j = 0; j < ranking.documents.size(); ++j) {
      if (gain[ranking.documents[j]] <= 0) continue;
      total += sums.ndcg_at(j + 1);
      ++found;
    }
    total += (real(sums.ideal.size()) - found) * sums.own.back() / sums.best.back();
    return total / real(sums.ideal.size());
  }
};

class NdcgAtLevels final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool needs_order() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const CumulatedGains sums = cumulated(convention_, labels, ranking);
    if (sums.ideal.empty()) return std::nullopt;
    double total = 0, points = 0;
    for (std::size_t j = 1; j <= sums.ideal.size(); ++j) {
      if (j < sums.ideal.size() && sums.ideal[j] == sums.ideal[j - 1]) continue;
      total += sums.ndcg_at(j);
      ++points;
    }
    if (ranking.documents.size() > sums.ideal.size() + 1) {
      total += sums.own.back() / sums.best.back();
      ++points;
    }
    return total / points;
  }
};

}  // namespace

MeasurePtr ndcg_at_relevant(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"gain", "gains"});
  return std::make_unique<NdcgAtRelevant>(spec, with_gain_parameters(spec, convention));
}

MeasurePtr ndcg_at_levels(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"gain", "gains"});
  return std::make_unique<NdcgAtLevels>(spec, with_gain_parameters(spec, convention));
}

}  // namespace dorm
