// SPDX-License-Identifier: Apache-2.0
// Reciprocal rank of the first relevant document: a_j = 1 / (j + 1), kind first.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class ReciprocalRank final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), relevance(convention_, labels), Factors::Kind::first};
    const std::size_t counted = std::min(labels.size(), cutoff_);
    for (std::size_t j = 0; j < counted; ++j) factors.a[j] = 1 / real(j + 1);
    return factors;
  }
};

}  // namespace

FactoredMeasurePtr reciprocal_rank(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {"rel"});
  return std::make_unique<ReciprocalRank>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
