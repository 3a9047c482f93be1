// SPDX-License-Identifier: Apache-2.0
// Discounted cumulative gain: a_j = discount(j), b_i = gain(label_i).
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Dcg final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool normalised() const override { return false; }
  bool linear_in_labels() const override { return convention_.gain == Gain::linear; }

  Factors factor(Labels labels) const override {
    const bool zero = convention_.short_list != ShortList::counted && is_short(labels.size(), cutoff_);
    return {discounts(convention_, labels.size(), zero ? 0 : cutoff_), gains(convention_, labels)};
  }
};

}  // namespace

FactoredMeasurePtr dcg(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::optional, {"gain", "gains", "discount"});
  return std::make_unique<Dcg>(spec, with_gain_parameters(spec, convention));
}

}  // namespace dorm
