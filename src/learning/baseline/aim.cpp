// SPDX-License-Identifier: Apache-2.0
#include "learning/baseline/aim.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// By document, all queries one after another.
template <class Numbers>
std::vector<double> by_document(const Dataset& data, Numbers numbers_of) {
  std::vector<double> all;
  all.reserve(data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const std::vector<double> own = numbers_of(data.query(q).labels);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

std::vector<double> relevance_of(const Dataset& data, Convention convention, const std::string& from) {
  convention.relevant_best = from == "best";
  if (!convention.relevant_best) parse_number(from, convention.relevant_from);
  return by_document(data, [&](Labels labels) {
    const Convention::Relevance relevant = convention.relevance(labels);
    std::vector<double> own;
    for (float label : labels) own.push_back(relevant(label) ? 1.0 : 0.0);
    return own;
  });
}

std::vector<double> gains_of(const Dataset& data, const Convention& convention, const std::string& gain) {
  const auto measure = make_trainable("dcg:gain=" + gain, convention);
  std::vector<double> gains = by_document(data, [&](Labels labels) { return measure->factor(labels).b; });
  const std::vector<double> labels =
      by_document(data, [](Labels own) { return std::vector<double>(own.begin(), own.end()); });
  const double highest = *std::max_element(gains.begin(), gains.end());
  if (highest > 0)
    for (double& value : gains) value *= *std::max_element(labels.begin(), labels.end()) / highest;
  return gains;
}

}  // namespace

Dataset Aim::applied(const Dataset& data, const Convention& original) const {
  if (key.empty() || balanced()) return data;
  const std::vector<double> numbers =
      key == "rel" ? relevance_of(data, original, value) : gains_of(data, original, value);
  return data.with_labels(std::vector<float>(numbers.begin(), numbers.end()));
}

Convention Aim::convention(const Convention& original) const {
  Convention result = original;
  if (!key.empty() && !balanced()) result.relevant_from = 0;
  return result;
}

Aim parse_aim(std::string_view method, std::string_view text, std::string_view usage) {
  const std::size_t equals = std::min(text.find('='), text.size());
  Aim aim{std::string(text.substr(0, equals)), std::string(text.substr(std::min(equals + 1, text.size())))};
  double number = 0;
  const bool known = !aim.key.empty() && usage.find(aim.key + "=") != std::string_view::npos;
  const bool fits = aim.key == "rel" ? aim.value == "best" || parse_number(aim.value, number) == NumberKind::finite
                    : aim.balanced() ? aim.value == "balanced"
                                     : aim.value == "exp2" || aim.value == "linear";
  if (!known || !fits)
    throw Error(ErrorCode::bad_option,
                fmt::format("method \"{}\"; expected {}, with best or a label after rel=, exp2 or linear after gain=, "
                            "balanced after classes=",
                            method, usage));
  return aim;
}

}  // namespace dorm
