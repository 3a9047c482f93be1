// SPDX-License-Identifier: Apache-2.0
// G of trec_eval: a document's gain is divided by log2(2 + how far the ranking is behind the best one up to there),
// over the sum of all gains. A position of the best ranking costs at least 1. Binary: gains of 1 and 0.
#include <algorithm>
#include <cmath>
#include <functional>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class NormalisedGain final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool needs_order() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    std::vector<double> ideal = gains(convention_, ranking.reachable.empty() ? labels : ranking.reachable);
    std::sort(ideal.begin(), ideal.end(), std::greater<>());
    double total = 0;
    for (const double gain : ideal) total += gain;
    if (total == 0) return std::nullopt;
    const std::vector<double> gain = gains(convention_, labels);
    double cost = 0, seen = 0, sum = 0;
    for (std::size_t j = 0; j < ranking.documents.size(); ++j) {
      const double own = gain[ranking.documents[j]];
      cost += std::max(1.0, j < ideal.size() ? ideal[j] : 0.0);
      seen += own;
      if (own > 0) sum += own / std::log2(2 + cost - seen);
    }
    return sum / total;
  }
};

class BinaryGain final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool needs_order() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    double others = 0, sum = 0;
    for (const std::uint32_t i : ranking.documents) {
      if (is_relevant(labels[i]))
        sum += 1 / std::log2(2 + others);
      else
        ++others;
    }
    return sum / relevant;
  }
};

}  // namespace

MeasurePtr normalised_gain(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"gain", "gains"});
  return std::make_unique<NormalisedGain>(spec, with_gain_parameters(spec, convention));
}

MeasurePtr binary_gain(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<BinaryGain>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
