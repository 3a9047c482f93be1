// SPDX-License-Identifier: Apache-2.0
// The paper's recipe for training towards the first position: NDCG@n with n chosen per query, so that more than one
// level of relevance is in view.
#include <algorithm>
#include <functional>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

// In the ideal list: 3 when its top 3 show more than one label; else up to and including the first document of the next
// label; the whole list when all labels are equal.
std::size_t adaptive_cutoff(Labels labels) {
  constexpr std::ptrdiff_t kTop = 3;
  if (labels.empty()) return 0;
  const float best = *std::max_element(labels.begin(), labels.end());
  const std::ptrdiff_t winners = std::count(labels.begin(), labels.end(), best);
  const auto length = static_cast<std::ptrdiff_t>(labels.size());
  return static_cast<std::size_t>(std::min(length, std::max(kTop, winners + 1)));
}

class ModifiedWinnerTakesAll final : public NamedMeasure<FactoredMeasure> {
 public:
  using NamedMeasure::NamedMeasure;
  bool relative_to_ideal() const override { return true; }
  Factors factor(Labels labels) const override { return ndcg_factors(convention_, labels, adaptive_cutoff(labels)); }
};

}  // namespace

FactoredMeasurePtr modified_winner_takes_all(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"gain", "gains", "discount"});
  return std::make_unique<ModifiedWinnerTakesAll>(spec, with_gain_parameters(spec, convention));
}

}  // namespace dorm
