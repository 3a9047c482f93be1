// SPDX-License-Identifier: Apache-2.0
// Precision@n: the relevant share of the first n positions, a_j = 1 / n even when the list is shorter.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Precision final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), relevance(convention_, labels)};
    if (convention_.short_list == ShortList::zero && is_short(labels.size(), cutoff_)) return factors;
    const auto counted = static_cast<std::ptrdiff_t>(std::min(labels.size(), cutoff_));
    std::fill_n(factors.a.begin(), counted, 1 / real(cutoff_));
    return factors;
  }
};

}  // namespace

FactoredMeasurePtr precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::required, {"rel"});
  return std::make_unique<Precision>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
