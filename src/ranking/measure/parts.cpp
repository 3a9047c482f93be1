// SPDX-License-Identifier: Apache-2.0
#include "ranking/measure/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"

namespace dorm {
namespace {

// 2^1000 times a million documents still fits a double.
constexpr float kLargestExponent = 1000;

double exp2_gain(float label) {
  if (!(label <= kLargestExponent))
    throw Error(ErrorCode::bad_input,
                fmt::format("label {}: the gain 2^label - 1 would overflow; expected at most {}, or use gain=linear",
                            label, kLargestExponent));
  const auto grade = static_cast<std::uint32_t>(label);
  if (grade < 32 && static_cast<float>(grade) == label) return static_cast<double>((std::uint64_t{1} << grade) - 1);
  return std::exp2(static_cast<double>(label)) - 1;
}

double table_gain(const std::vector<double>& table, float label) {
  const auto last = static_cast<double>(table.size() - 1);
  if (!(static_cast<double>(label) <= last))
    throw Error(ErrorCode::bad_input,
                fmt::format("label {} is past the gain table, which ends at label {}", label, last));
  const auto below = static_cast<std::size_t>(label);
  const double part = static_cast<double>(label) - static_cast<double>(below);
  return part == 0 ? table[below] : table[below] + part * (table[below + 1] - table[below]);
}

double gain_of(const Convention& convention, float label) {
  if (label < 0) return 0;
  switch (convention.gain) {
    case Gain::exp2:
      return exp2_gain(label);
    case Gain::linear:
      return static_cast<double>(label);
    case Gain::table:
      return table_gain(convention.gain_table, label);
  }
  return 0;
}

double discount_at(Discount discount, std::size_t position) {
  const auto rank = static_cast<double>(position + 1);
  if (discount == Discount::log2) return 1 / std::log2(1 + rank);
  return position < 2 ? 1 : 1 / std::log2(rank);
}

}  // namespace

Convention::Relevance Convention::relevance(Labels labels) const {
  if (!relevant_best) return {relevant_from};
  return {labels.empty() ? 0.0 : static_cast<double>(*std::max_element(labels.begin(), labels.end()))};
}

std::vector<double> gains(const Convention& convention, Labels labels) {
  std::vector<double> result(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) result[i] = gain_of(convention, labels[i]);
  return result;
}

std::vector<double> relevance(const Convention& convention, Labels labels) {
  return relevance(convention.relevance(labels), labels);
}

std::vector<double> relevance(const Convention::Relevance& relevant, Labels labels) {
  std::vector<double> result(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) result[i] = relevant(labels[i]) ? 1 : 0;
  return result;
}

RelevanceGain::RelevanceGain(const MeasureSpec& spec, const Convention& convention)
    : convention_(with_relevance_parameter(spec, convention)), linear_(spec.text("gain", "") == "linear") {
  if (!linear_ && !spec.text("gain", "").empty())
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": gain \"{}\"; expected linear, or none for relevance", spec.spelling(),
                            spec.text("gain", "")));
  if (linear_ && !spec.text("rel", "").empty())
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": rel beside gain=linear; expected one of them", spec.spelling()));
  if (linear_) convention_.gain = Gain::linear;
}

std::vector<double> RelevanceGain::of(Labels labels) const {
  return linear_ ? gains(convention_, labels) : relevance(convention_, labels);
}

FoundRelevant found_relevant(const Convention& convention, Labels labels, const TiedRanking& ranking) {
  const Labels counted = ranking.reachable.empty() ? labels : ranking.reachable;
  const Convention::Relevance relevant = convention.relevance(counted);
  return {relevant, static_cast<double>(std::count_if(counted.begin(), counted.end(), relevant))};
}

std::vector<double> discounts(const Convention& convention, std::size_t length, std::size_t cutoff) {
  std::vector<double> result(length, 0.0);
  const std::size_t counted = std::min(length, cutoff);
  for (std::size_t j = 0; j < counted; ++j) result[j] = discount_at(convention.discount, j);
  return result;
}

void check_gain_table(const MeasureSpec& spec, const std::vector<double>& table) {
  double previous = 0;
  for (double gain : table) {
    if (!std::isfinite(gain) || gain < previous)
      throw Error(ErrorCode::bad_option,
                  fmt::format("measure \"{}\": gains must be finite, not negative and never decrease with the label",
                              spec.spelling()));
    previous = gain;
  }
}

Convention with_gain_parameters(const MeasureSpec& spec, const Convention& convention) {
  Convention result = convention;
  const std::string_view gain = spec.text("gain", "");
  if (gain == "exp2") result.gain = Gain::exp2;
  if (gain == "linear") result.gain = Gain::linear;
  if (!gain.empty() && gain != "exp2" && gain != "linear")
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": gain \"{}\"; expected exp2 or linear", spec.spelling(), gain));
  const std::string_view discount = spec.text("discount", "");
  if (discount == "log2") result.discount = Discount::log2;
  if (discount == "letor") result.discount = Discount::letor;
  if (!discount.empty() && discount != "log2" && discount != "letor")
    throw Error(ErrorCode::bad_option,
                fmt::format("measure \"{}\": discount \"{}\"; expected log2 or letor", spec.spelling(), discount));
  if (std::vector<double> table = spec.numbers("gains"); !table.empty()) {
    check_gain_table(spec, table);
    result.gain = Gain::table;
    result.gain_table = std::move(table);
  }
  return result;
}

Convention with_relevance_parameter(const MeasureSpec& spec, const Convention& convention) {
  Convention result = convention;
  const std::string_view relevant = spec.text("rel", "");
  if (relevant.empty()) return result;
  result.relevant_best = relevant == "best";
  if (!result.relevant_best) result.relevant_from = spec.number("rel", 0, "best or a finite number");
  return result;
}

void normalise(Factors& factors) {
  const double ideal = ideal_value(factors);
  if (ideal <= 0) return;
  for (double& b : factors.b) b /= ideal;
}

Factors ndcg_factors(const Convention& convention, Labels labels, std::size_t cutoff) {
  Factors factors{discounts(convention, labels.size(), cutoff), gains(convention, labels)};
  normalise(factors);
  if (convention.short_list != ShortList::counted && is_short(labels.size(), cutoff))
    std::fill(factors.a.begin(), factors.a.end(), 0.0);
  return factors;
}

}  // namespace dorm
