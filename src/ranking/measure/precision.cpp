// SPDX-License-Identifier: Apache-2.0
// Precision@n: the relevant share of the first n positions, a_j = 1 / n even when the list is shorter. Relative: over
// the share that the best order has. gain=linear: the mean label of those positions.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Precision final : public NamedMeasure<FactoredMeasure> {
 public:
  Precision(const MeasureSpec& spec, const Convention& convention)
      : NamedMeasure(spec, convention), gain_(spec, convention) {}
  bool normalised() const override { return !gain_.linear(); }
  bool linear_in_labels() const override { return gain_.linear(); }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), gain_.of(labels)};
    if (convention_.short_list == ShortList::zero && is_short(labels.size(), cutoff_)) return factors;
    const auto counted = static_cast<std::ptrdiff_t>(std::min(labels.size(), cutoff_));
    std::fill_n(factors.a.begin(), counted, 1 / real(cutoff_));
    return factors;
  }

 private:
  RelevanceGain gain_;
};

class RelativePrecision final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool relative_to_ideal() const override { return true; }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), relevance(convention_, labels)};
    std::fill_n(factors.a.begin(), static_cast<std::ptrdiff_t>(std::min(labels.size(), cutoff_)), 1.0);
    normalise(factors);
    return factors;
  }
};

}  // namespace

FactoredMeasurePtr precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::required, {"rel", "gain"});
  return std::make_unique<Precision>(spec, convention);
}

FactoredMeasurePtr relative_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::required, {"rel"});
  return std::make_unique<RelativePrecision>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
