// SPDX-License-Identifier: Apache-2.0
// Measures that are averaged over queries by the geometric mean: small values, the hard queries, weigh more.
#include <utility>

#include "ranking/measure/parts.h"

namespace dorm {
namespace {

// Values of single queries are those of the measure it is made from.
class GeometricMean final : public Measure {
 public:
  explicit GeometricMean(MeasurePtr measure) : measure_(std::move(measure)) {}
  std::string name() const override { return measure_->name(); }
  bool of_pairs() const override { return measure_->of_pairs(); }
  bool of_judgments() const override { return measure_->of_judgments(); }
  bool geometric() const override { return true; }
  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const override {
    return measure_->expected(labels, ranking);
  }

 private:
  MeasurePtr measure_;
};

}  // namespace

MeasurePtr geometric_average_precision(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"rel"});
  return std::make_unique<GeometricMean>(average_precision(spec, convention));
}

MeasurePtr geometric_binary_preference(const MeasureSpec& spec, const Convention& convention) {
  return std::make_unique<GeometricMean>(binary_preference(spec, convention));
}

}  // namespace dorm
