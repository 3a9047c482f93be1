// SPDX-License-Identifier: Apache-2.0
// Judged@n: the share of the first n documents (of all that were retrieved) that have a judgment.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class JudgedShare final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool of_judgments() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    double found = 0;
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      if (begin >= cutoff_) return;
      double judged = 0;
      for (std::size_t j = begin; j < end; ++j) judged += labels[ranking.documents[j]] >= 0 ? 1 : 0;
      found += judged * real(std::min(end, cutoff_) - begin) / real(end - begin);
    });
    const std::size_t seen = std::min(cutoff_, ranking.documents.size());
    return seen == 0 ? 0 : found / real(seen);
  }
};

}  // namespace

MeasurePtr judged_share(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {});
  return std::make_unique<JudgedShare>(spec, convention);
}

}  // namespace dorm
