// SPDX-License-Identifier: Apache-2.0
// The average rank of what is relevant, weighted by label, turned so that more is better: a_j = (l - 1 - j) / (l - 1),
// b_i = label_i. Its loss is the average rank that clicks give unbiased estimates of.
#include <utility>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class AverageRank final : public NamedMeasure<FactoredMeasure> {
 public:
  AverageRank(const MeasureSpec& spec, Convention convention)
      : NamedMeasure(spec, with_linear_gain(std::move(convention))) {}
  bool normalised() const override { return false; }
  bool linear_in_labels() const override { return true; }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 1.0), gains(convention_, labels)};
    const std::size_t l = labels.size();
    for (std::size_t j = 0; l > 1 && j < l; ++j) factors.a[j] = real(l - 1 - j) / real(l - 1);
    return factors;
  }

 private:
  static Convention with_linear_gain(Convention convention) {
    convention.gain = Gain::linear;
    return convention;
  }
};

}  // namespace

FactoredMeasurePtr average_rank(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {});
  return std::make_unique<AverageRank>(spec, convention);
}

}  // namespace dorm
