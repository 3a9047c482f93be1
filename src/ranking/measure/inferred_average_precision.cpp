// SPDX-License-Identifier: Apache-2.0
// Inferred average precision (Yilmaz and Aslam 2006): average precision when only a random part of a pool was judged.
// Above a relevant document, those of the pool are taken to be relevant at the rate of the judged ones, those outside
// the pool to be not relevant.
#include <cmath>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

constexpr double kSmoothing = 1e-5;  // of the rate, as trec_eval has it

class InferredAveragePrecision final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool of_judgments() const override { return true; }
  bool needs_order() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    double found = 0, judged = 0, pooled = 0, sum = 0;  // above position j
    for (std::size_t j = 0; j < ranking.documents.size(); ++j) {
      const float label = labels[ranking.documents[j]];
      if (is_relevant(label)) {
        const double rate = (found + kSmoothing) / (judged + 2 * kSmoothing);
        sum += (1 + pooled * rate) / real(j + 1);
        ++found;
      }
      judged += label >= 0 ? 1 : 0;
      pooled += std::isfinite(label) ? 1 : 0;
    }
    return sum / relevant;
  }
};

}  // namespace

MeasurePtr inferred_average_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<InferredAveragePrecision>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
