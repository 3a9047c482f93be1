// SPDX-License-Identifier: Apache-2.0
// Average precision: the precision at each relevant document, averaged over all relevant documents.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class AveragePrecision final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;

  // A position in a block of t documents, r of them relevant, holds a relevant one with probability r / t; of the o
  // positions above it in the block, o (r - 1) / (t - 1) are then relevant in expectation.
  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    const std::vector<double> b = relevance(is_relevant, labels);
    double above = 0, sum = 0;
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      double r = 0;
      for (std::size_t j = begin; j < end; ++j) r += b[ranking.documents[j]];
      if (r == 0) return;
      const double t = real(end - begin);
      const double slope = t > 1 ? (r - 1) / (t - 1) : 0;
      for (std::size_t j = begin; j < std::min(end, cutoff_); ++j)
        sum += r / t * (above + real(j - begin) * slope + 1) / real(j + 1);
      above += r;
    });
    const bool reachable = convention_.map_over_reachable && cutoff_ != MeasureSpec::kNoCutoff;
    return sum / (reachable ? std::min(relevant, real(cutoff_)) : relevant);
  }
};

}  // namespace

MeasurePtr average_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {"rel"});
  return std::make_unique<AveragePrecision>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
