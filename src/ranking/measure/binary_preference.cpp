// SPDX-License-Identifier: Apache-2.0
// Binary preference: for every relevant document retrieved, the share of the first R documents judged not relevant that
// stand below it; over R, the number of relevant documents. Documents without a judgment are passed over.
#include <algorithm>

#include "base/numeric.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class BinaryPreference final : public NamedMeasure<Measure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool of_pairs() const override { return true; }
  bool of_judgments() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const Convention::Relevance is_relevant = convention_.relevance(labels);
    double relevant = 0, others = 0;
    for (float label : labels) (is_relevant(label) ? relevant : others) += label >= 0 ? 1 : 0;
    if (relevant == 0) return std::nullopt;
    const double counted = std::min(relevant, others);
    double above = 0, sum = 0;  // above: judged not relevant, above the block
    for_each_block(ranking, [&](std::size_t begin, std::size_t end) {
      double r = 0, o = 0;
      for (std::size_t j = begin; j < end; ++j) {
        const float label = labels[ranking.documents[j]];
        (is_relevant(label) ? r : o) += label >= 0 ? 1 : 0;
      }
      if (r > 0) sum += r * (1 - (counted > 0 ? mean_above(above, o, relevant) / counted : 0));
      above += o;
    });
    return sum / relevant;
  }

 private:
  // The mean of min(above + k, most), where k of the others of its block stand above a relevant document: every k from
  // 0 to `others` is as likely.
  static double mean_above(double above, double others, double most) {
    double sum = 0;
    for (double k = 0; k <= others; ++k) sum += std::min(above + k, most);
    return sum / (others + 1);
  }
};

}  // namespace

MeasurePtr binary_preference(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<BinaryPreference>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
