// SPDX-License-Identifier: Apache-2.0
// Normalised discounted cumulative gain: a_j = discount(j), b_i = gain(label_i) / ideal DCG.
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Ndcg final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool relative_to_ideal() const override { return true; }
  Factors factor(Labels labels) const override { return ndcg_factors(convention_, labels, cutoff_); }
};

}  // namespace

FactoredMeasurePtr ndcg(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {"gain", "gains", "discount"});
  return std::make_unique<Ndcg>(spec, with_gain_parameters(spec, convention));
}

}  // namespace dorm
