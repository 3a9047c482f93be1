// SPDX-License-Identifier: Apache-2.0
// A measure from two tables: b_i = gains[label_i], a_j = discounts[j], 0 past the end of the discounts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "ranking/measure/parts.h"

namespace dorm {
namespace {

class Custom final : public NamedMeasure<FactoredMeasure> {
 public:
  Custom(const MeasureSpec& spec, const Convention& convention, std::vector<double> discounts, bool normalised)
      : NamedMeasure(spec, convention), discounts_(std::move(discounts)), normalised_(normalised) {}

  bool normalised() const override { return normalised_; }
  bool relative_to_ideal() const override { return normalised_; }

  Factors factor(Labels labels) const override {
    Factors factors{discounts_, gains(convention_, labels)};
    factors.a.resize(labels.size(), 0.0);
    if (normalised_) normalise(factors);
    return factors;
  }

 private:
  std::vector<double> discounts_;
  bool normalised_;
};

void check_discounts(const MeasureSpec& spec, const std::vector<double>& table) {
  const bool usable = !table.empty() && std::is_sorted(table.rbegin(), table.rend()) && table.back() >= 0 &&
                      table.front() > 0 &&
                      std::all_of(table.begin(), table.end(), [](double x) { return std::isfinite(x); });
  if (!usable)
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": discounts are needed, finite, not negative, never increasing and "
                            "not all zero, e.g. discounts=1/.5/.3",
                            spec.spelling()));
}

}  // namespace

FactoredMeasurePtr custom_measure(const MeasureSpec& spec, const Convention& convention) {
  spec.accept(MeasureSpec::Cutoff::none, {"gains", "discounts", "normalised"});
  Convention with_table = with_gain_parameters(spec, convention);
  if (spec.numbers("gains").empty())
    throw Error(ErrorCode::bad_option, fmt::format("measure \"{}\": gains are needed, one per label from 0 on, "
                                                   "e.g. gains=0/1/3/7/15",
                                                   spec.spelling()));
  const std::string_view normalised = spec.text("normalised", "no");
  if (normalised != "yes" && normalised != "no")
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": normalised \"{}\"; expected yes or no", spec.spelling(), normalised));
  std::vector<double> table = spec.numbers("discounts");
  check_discounts(spec, table);
  return std::make_unique<Custom>(spec, with_table, std::move(table), normalised == "yes");
}

}  // namespace dorm
