// SPDX-License-Identifier: Apache-2.0
// R-precision: precision at rank R, the number of relevant documents, or at mult * R: a_j = 1 / rank above that rank.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class RPrecision final : public NamedMeasure<FactoredMeasure> {
 public:
  RPrecision(const MeasureSpec& spec, const Convention& convention)
      : NamedMeasure(spec, convention), multiple_(spec.number("mult", 1)) {
    if (!(multiple_ > 0))
      throw Error(ErrorCode::bad_option,
                  fmt::format("measure \"{}\": mult {}; expected a number above 0", spec.spelling(), multiple_));
  }

  Factors factor(Labels labels) const override {
    Factors factors{std::vector<double>(labels.size(), 0.0), relevance(convention_, labels)};
    const double relevant = std::accumulate(factors.b.begin(), factors.b.end(), 0.0);
    // Rounded up as trec_eval does, which drops a fraction below 0.1.
    const double rank = std::max(1.0, std::floor(multiple_ * relevant + 0.9));
    const double counted = std::min(rank, static_cast<double>(labels.size()));
    std::fill_n(factors.a.begin(), static_cast<std::ptrdiff_t>(counted), 1 / rank);
    return factors;
  }

 private:
  double multiple_;
};

}  // namespace

FactoredMeasurePtr r_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"mult", "rel"});
  return std::make_unique<RPrecision>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
