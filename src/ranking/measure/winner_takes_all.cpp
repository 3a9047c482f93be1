// SPDX-License-Identifier: Apache-2.0
// Winner takes all: 1 when the first document has the best label of the query, a = (1, 0, 0, ...).
#include <algorithm>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class WinnerTakesAll final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), std::vector<double>(labels.size(), 0.0)};
    if (labels.empty()) return factors;
    factors.a[0] = 1;
    const float best = *std::max_element(labels.begin(), labels.end());
    if (best <= 0) return factors;  // nothing to find
    for (std::size_t i = 0; i < labels.size(); ++i) factors.b[i] = labels[i] == best ? 1 : 0;
    return factors;
  }
};

}  // namespace

FactoredMeasurePtr winner_takes_all(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {});
  return std::make_unique<WinnerTakesAll>(spec, convention);
}

}  // namespace dorm
