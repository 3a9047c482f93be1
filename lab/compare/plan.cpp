// SPDX-License-Identifier: Apache-2.0
// What a comparison compares where nothing else is said: methods, cutoffs, and splits of the data.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "dorm/data/prepare.h"
#include "dorm/lab/comparison.h"

namespace dorm {

std::vector<DataSplit> rotating_splits(std::span<const Dataset> sets, std::size_t folds_of_one, std::uint64_t seed) {
  const Concatenation whole = concatenate(sets);
  std::vector<std::vector<std::size_t>> parts;
  if (sets.size() == 1) parts = folds(whole.data, folds_of_one, seed);
  for (std::size_t k = 0; k + 1 < whole.part_begin.size() && sets.size() > 1; ++k) {
    parts.emplace_back(whole.part_begin[k + 1] - whole.part_begin[k]);
    std::iota(parts.back().begin(), parts.back().end(), whole.part_begin[k]);
  }
  return rotate(whole.data, parts);
}

DataSplit tested_split(const Dataset& data, const Dataset* valid, const Dataset& test, std::size_t folds_of_data,
                       std::uint64_t seed) {
  if (valid) return {data, *valid, test};
  const auto parts = folds(data, folds_of_data, seed);
  std::vector<std::size_t> train;
  for (std::size_t k = 1; k < parts.size(); ++k) train.insert(train.end(), parts[k].begin(), parts[k].end());
  return {data.select(train), data.select(parts[0]), test};
}

std::vector<std::string> default_methods(const std::vector<std::string>& measures, const Convention& convention) {
  std::vector<std::string> methods;
  for (const CatalogEntry& entry : method_catalog())
    if (entry.name != "dorm" && entry.name != "feature" && entry.name != "ranksvm-pairs")
      methods.emplace_back(entry.name);
  for (const std::string& measure : measures) {
    const MeasurePtr made = make_measure(measure, convention);
    if (!dynamic_cast<const FactoredMeasure*>(made.get())) continue;
    methods.push_back("dorm:" + measure);
    if (measure == "wta") methods.emplace_back("dorm:mwta");
  }
  const MeasurePtr first = make_measure(measures.front(), convention);
  if (dynamic_cast<const FactoredMeasure*>(first.get())) methods.emplace_back(tuned_catalog().front().name);
  return methods;
}

std::vector<std::string> measures_by_cutoff(const std::string& measure) {
  const std::size_t at = measure.find('@');
  if (at == std::string::npos) return {};
  const std::size_t digits = measure.find_first_not_of("0123456789", at + 1);
  const std::string number = measure.substr(at + 1, digits == std::string::npos ? digits : digits - at - 1);
  const std::string rest = digits == std::string::npos ? "" : measure.substr(digits);
  std::vector<std::string> curve;
  for (std::size_t n = 1; n <= std::min<std::size_t>(std::stoul(number), 20); ++n)
    curve.push_back(fmt::format("{}@{}{}", measure.substr(0, at), n, rest));
  return curve;
}

}  // namespace dorm
