// SPDX-License-Identifier: Apache-2.0
// What search engines share: sums as text, numbers of float32, names.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "model/export/formats.h"

namespace dorm {
namespace {

constexpr std::size_t kGroupOfTerms = 100;

}  // namespace

std::string sum_text(ServedModel& served, const std::function<std::string(const ServedModel::Term& term)>& value) {
  const bool grouped = served.terms.size() > kGroupOfTerms;
  served.group = grouped ? kGroupOfTerms : 0;
  std::string text = served.constant != 0 || served.terms.empty() ? number_text(served.constant) : "";
  for (std::size_t k = 0; k < served.terms.size(); ++k) {
    const ServedModel::Term& term = served.terms[k];
    const bool first = text.empty(), opens = grouped && k % kGroupOfTerms == 0;
    const std::string_view sign = first && !opens ? "" : opens || term.weight >= 0 ? " + " : " - ";
    if (opens && k > 0) text += ')';
    if (!(opens && first)) text += sign;
    if (opens) text += '(';
    text += fmt::format("{} * {}", number_text(opens || first ? term.weight : std::fabs(term.weight)), value(term));
  }
  return grouped ? text + ')' : text;
}

std::string held_text(const std::string& value, const ServedModel::Term& term) {
  return fmt::format("min(max({}, {}), {})", value, number_text(term.low), number_text(term.high));
}

double single_decimal(double value) {
  if (!(std::fabs(value) <= std::numeric_limits<float>::max())) return value;
  const std::string text = fmt::format("{}", static_cast<float>(value));
  double read = 0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

void serve_in_single(ServedModel& served) {
  served.single = true;
  for (ServedModel::Term& term : served.terms) {
    term.weight = single_decimal(term.weight);
    term.shift = single_decimal(term.shift);
    term.divisor = single_decimal(term.divisor);
  }
  served.pruned += served.constant;
  served.constant = 0;
}

std::optional<double> maximum_of_range(ServedModel::Term& term) {
  const double maximum = single_decimal(term.shift + term.divisor);
  const float width = static_cast<float>(maximum) - static_cast<float>(term.shift);
  if (term.shift < 0 || !(std::fabs(width / term.divisor - 1) < 1e-6)) return std::nullopt;
  term.divisor = single_decimal(width);
  return maximum;
}

std::string new_name(std::string base, std::set<std::string, std::less<>>& taken) {
  while (!taken.insert(base).second) base += '_';
  return base;
}

std::set<std::string, std::less<>> spellings(const Model& model, const ExportOptions& options) {
  std::set<std::string, std::less<>> names;
  for (std::size_t j = 0; j < model.features.size(); ++j) names.emplace(spelling(model, options, j));
  return names;
}

ExportOptions naming_numbers(const Model& model, ExportOptions options, std::string_view target,
                             std::string_view before, std::string_view behind, std::vector<std::string>& notes) {
  const std::set<std::string, std::less<>> taken = spellings(model, options);
  bool told = false;
  for (const std::string& feature : model.features) {
    const bool number = !feature.empty() && std::all_of(feature.begin(), feature.end(), is_digit);
    if (!number || options.names.contains(feature)) continue;
    const std::string name = fmt::format("{}{}{}", before, feature, behind);
    if (taken.contains(name)) refuse_name(target, feature, fmt::format("{} is another feature already", name));
    options.names.emplace(feature, name);
    if (!told)
      notes.push_back(fmt::format("names of {} cannot be numbers: feature {} is {} there", target, feature, name));
    told = true;
  }
  return options;
}

Json json_name(std::string_view target, std::string_view name) {
  if (code_points(target, name).empty()) refuse_name(target, name, "it is empty");
  return name;
}

void note_missing(Exported& exported, const Model& model, std::string_view target) {
  for (const ServedModel::Term& term : exported.served.terms) {
    const bool by_query = model.data.input.missing_rule(model.features[term.feature]) == Missing::query_min;
    if (by_query || value_where_missing(model, term.feature) == 0) continue;
    exported.notes.push_back(
        fmt::format("in training the mean replaced a missing value; {} takes 0 for a feature that a document lacks, so "
                    "put the mean there",
                    target));
    return;
  }
}

}  // namespace dorm
