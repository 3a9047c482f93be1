// SPDX-License-Identifier: Apache-2.0
// Recall@n: the share of the relevant documents that stands in the first n positions.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Recall final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    const std::vector<double> b = relevance(is_relevant, labels);
    double found = 0;
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      if (begin >= cutoff_) return;
      double r = 0;
      for (std::size_t j = begin; j < end; ++j) r += b[ranking.documents[j]];
      const double inside = real(std::min(end, cutoff_) - begin);
      found += r * inside / real(end - begin);
    });
    return found / relevant;
  }
};

}  // namespace

MeasurePtr recall(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::required, {"rel"});
  return std::make_unique<Recall>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
