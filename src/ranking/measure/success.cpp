// SPDX-License-Identifier: Apache-2.0
// Success@n: 1 when a relevant document stands in the first n positions; a_j = 1, kind first.
#include <algorithm>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Success final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), relevance(convention_, labels), Factors::Kind::first};
    std::fill_n(factors.a.begin(), static_cast<std::ptrdiff_t>(std::min(labels.size(), cutoff_)), 1.0);
    return factors;
  }
};

}  // namespace

FactoredMeasurePtr success(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::required, {"rel"});
  return std::make_unique<Success>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
