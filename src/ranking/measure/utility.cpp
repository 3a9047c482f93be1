// SPDX-License-Identifier: Apache-2.0
// Utility of what was retrieved as a set: w1 relevant retrieved + w2 others retrieved + w3 relevant not retrieved. The
// fourth weight of trec_eval counts documents of a collection, which a run does not know.
#include <fmt/format.h>

#include "base/numeric.h"
#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Utility final : public NamedMeasure<Measure> {
 public:
  Utility(const MeasureSpec& spec, const Convention& convention, std::vector<double> weights)
      : NamedMeasure(spec, convention), weights_(std::move(weights)) {}
  bool normalised() const override { return false; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    double found = 0;
    for (std::uint32_t i : ranking.documents) found += is_relevant(labels[i]) ? 1 : 0;
    return weights_[0] * found + weights_[1] * (real(ranking.documents.size()) - found) +
           weights_[2] * (relevant - found);
  }

 private:
  std::vector<double> weights_;
};

}  // namespace

MeasurePtr utility(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"weights", "rel"});
  std::vector<double> weights = spec.numbers("weights");
  if (weights.empty()) weights = {1, -1, 0};
  if (weights.size() == 4 && weights[3] == 0) weights.pop_back();
  if (weights.size() != 3)
    throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\": expected three weights, as in weights=1/-1/0: of "
                                                   "relevant and other documents retrieved, and of relevant ones not "
                                                   "retrieved",
                                                   spec.spelling()));
  return std::make_unique<Utility>(spec, with_relevance_parameter(spec, convention), std::move(weights));
}

}  // namespace dorm
