// SPDX-License-Identifier: Apache-2.0
// Interpolated precision: the highest precision at the rank where a level of recall is reached or further down; 0 when
// it is never reached. Over several levels it is their mean.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class InterpolatedPrecision final : public NamedMeasure<Measure> {
 public:
  InterpolatedPrecision(const MeasureSpec& spec, const Convention& convention)
      : NamedMeasure(spec, convention), levels_(spec.numbers("recall")) {
    if (levels_.empty())
      for (int tenth = 0; tenth <= 10; ++tenth) levels_.push_back(tenth / 10.0);
    for (double level : levels_)
      if (!(level >= 0 && level <= 1))
        throw Error(ErrorCode::bad_option,
                    fmt::format("measure \"{}\": recall {}; expected a number from 0 to 1", spec.spelling(), level));
  }
  // The expectation of a maximum has no short form.
  bool needs_order() const override { return true; }

  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    const auto [is_relevant, relevant] = found_relevant(convention_, labels, ranking);
    if (relevant == 0) return std::nullopt;
    std::vector<double> best;  // best[k]: highest precision at the k-th relevant document or a later one, k from 0
    for (std::size_t j = 0; j < ranking.documents.size(); ++j)
      if (is_relevant(labels[ranking.documents[j]])) best.push_back(real(best.size() + 1) / real(j + 1));
    for (std::size_t k = best.size(); k-- > 1;) best[k - 1] = std::max(best[k - 1], best[k]);
    double sum = 0;
    for (double level : levels_) {
      // trec_eval rounds the number of documents that make up the level.
      const auto needed = static_cast<std::size_t>(std::max(1.0, std::round(level * relevant)));
      if (needed <= best.size()) sum += best[needed - 1];
    }
    return sum / real(levels_.size());
  }

 private:
  std::vector<double> levels_;
};

}  // namespace

MeasurePtr interpolated_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"recall", "rel"});
  return std::make_unique<InterpolatedPrecision>(spec, with_relevance_parameter(spec, convention));
}

}  // namespace dorm
