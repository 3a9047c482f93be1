// SPDX-License-Identifier: Apache-2.0
// Rank-biased precision: a user reads on with probability p; a_j = (1 - p) p^j, b_i = 1 for relevant documents, or,
// with gain=linear, the label.
#include <fmt/format.h>

#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class RankBiasedPrecision final : public NamedMeasure<FactoredMeasure> {
 public:
  RankBiasedPrecision(const MeasureSpec& spec, const Convention& convention)
      : NamedMeasure(spec, convention), persistence_(spec.number("p", 0.8)), gain_(spec, convention) {
    if (!(persistence_ > 0 && persistence_ < 1))
      throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\": p {}; expected a number between 0 and 1",
                                                     spec.spelling(), persistence_));
  }

  bool normalised() const override { return !gain_.linear(); }
  bool linear_in_labels() const override { return gain_.linear(); }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size()), gain_.of(labels)};
    double weight = 1 - persistence_;
    for (double& a : factors.a) {
      a = weight;
      weight *= persistence_;
    }
    return factors;
  }

 private:
  double persistence_;
  RelevanceGain gain_;
};

}  // namespace

FactoredMeasurePtr rank_biased_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"p", "rel", "gain"});
  return std::make_unique<RankBiasedPrecision>(spec, convention);
}

}  // namespace dorm
