// SPDX-License-Identifier: Apache-2.0
// Expected rank utility: half of the users read on to rank half_life, and a document is worth its label above a neutral
// vote. a_j = 2^(-j / (half_life - 1)), b_i = max(label_i - neutral, 0). neru divides by the ideal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class RankUtility final : public NamedMeasure<FactoredMeasure> {
 public:
  RankUtility(const MeasureSpec& spec, const Convention& convention, bool normalised)
      : NamedMeasure(spec, convention),
        half_life_(spec.number("half_life", 5)),
        neutral_(spec.number("neutral", 0)),
        normalised_(normalised) {
    if (!(half_life_ > 1))
      throw Error(ErrorCode::bad_option,
                  fmt::format("measure \"{}\": half_life {}; expected more than 1", spec.spelling(), half_life_));
  }

  bool normalised() const override { return normalised_; }
  bool relative_to_ideal() const override { return normalised_; }
  bool linear_in_labels() const override { return !normalised_ && neutral_ == 0; }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size()), std::vector<double>(labels.size())};
    for (std::size_t j = 0; j < labels.size(); ++j)
      factors.a[j] = std::exp2(-static_cast<double>(j) / (half_life_ - 1));
    for (std::size_t i = 0; i < labels.size(); ++i)
      factors.b[i] = std::max(static_cast<double>(labels[i]) - neutral_, 0.0);
    if (normalised_) normalise(factors);
    return factors;
  }

 private:
  double half_life_, neutral_;
  bool normalised_;
};

}  // namespace

FactoredMeasurePtr rank_utility(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"half_life", "neutral"});
  return std::make_unique<RankUtility>(spec, convention, false);
}

FactoredMeasurePtr normalised_rank_utility(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"half_life", "neutral"});
  return std::make_unique<RankUtility>(spec, convention, true);
}

}  // namespace dorm
