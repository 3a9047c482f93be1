// SPDX-License-Identifier: Apache-2.0
// Hits@n: the number of relevant documents in the first n positions.
#include <algorithm>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Hits final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool normalised() const override { return false; }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), relevance(convention_, labels)};
    std::fill_n(factors.a.begin(), static_cast<std::ptrdiff_t>(std::min(labels.size(), cutoff_)), 1.0);
    return factors;
  }
};

}  // namespace

FactoredMeasurePtr hits(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {"rel"});
  return std::make_unique<Hits>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
