// SPDX-License-Identifier: Apache-2.0
// Area under the ROC curve: the share of (relevant, other) pairs in the right order. Under expected ties a tied pair
// counts one half. Documents that were not retrieved stand, tied, below all others.
#include <numeric>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class AreaUnderCurve final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool of_pairs() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const std::vector<double> b = relevance(convention_, labels);
    const double relevant = std::accumulate(b.begin(), b.end(), 0.0);
    const double others = real(b.size()) - relevant;
    if (relevant == 0 || others == 0) return std::nullopt;
    double above = 0, correct = 0;  // relevant documents above the block; pairs in the right order
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      double r = 0;
      for (std::size_t j = begin; j < end; ++j) r += b[ranking.documents[j]];
      correct += (real(end - begin) - r) * (above + r / 2);
      above += r;
    });
    const double missing = relevant - above;
    const double other_missing = real(b.size() - ranking.documents.size()) - missing;
    correct += other_missing * (above + missing / 2);
    return correct / (relevant * others);
  }
};

}  // namespace

MeasurePtr area_under_curve(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<AreaUnderCurve>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
