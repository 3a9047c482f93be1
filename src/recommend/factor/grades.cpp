// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/grades.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "dorm/oracle.h"

namespace dorm {
namespace {

constexpr double kTail = 0.01;  // share of the ratings below `low`, and above `high`

std::vector<float> all_values(const Ratings& ratings) {
  std::vector<float> values;
  values.reserve(ratings.size());
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const auto row = ratings.of_user(u).value;
    values.insert(values.end(), row.begin(), row.end());
  }
  return values;
}

bool is_half_star(float value) { return value >= 0 && value <= 5 && 2 * value == std::floor(2 * value); }

}  // namespace

float RatingGrades::label(float rating) const {
  if (!stretched) return rating;
  const double share = high > low ? (static_cast<double>(rating) - low) / (high - low) : 0;
  return static_cast<float>(1 + 4 * std::clamp(share, 0.0, 1.0));
}

bool RatingGrades::apply_to(std::string_view measure, std::string_view convention) const {
  constexpr std::array kOfGains{std::string_view("ndcg"), std::string_view("dcg"), std::string_view("mwta")};
  const std::string_view name = measure.substr(0, measure.find_first_of("@:"));
  return stretched && measure.find("gain") == std::string_view::npos &&
         std::find(kOfGains.begin(), kOfGains.end(), name) != kOfGains.end() &&
         make_convention(convention).gain == Gain::exp2;
}

RatingGrades grades_of(const Ratings& ratings) {
  std::vector<float> values = all_values(ratings);
  RatingGrades grades;
  if (std::all_of(values.begin(), values.end(), is_half_star)) return grades;
  grades.stretched = true;
  const auto below = static_cast<std::size_t>(kTail * static_cast<double>(values.size()));
  const auto at = [&](std::size_t rank) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values.begin(), place, values.end());
    return static_cast<double>(*place);
  };
  grades.low = at(below);
  grades.high = at(values.size() - 1 - below);
  if (grades.low < grades.high) return grades;
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  grades.low = *lowest;
  grades.high = *highest;
  return grades;
}

Ratings labelled(const Ratings& ratings, const RatingGrades& grades) {
  std::vector<Rating> list;
  list.reserve(ratings.size());
  for (std::uint32_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i) list.push_back({u, row.index[i], grades.label(row.value[i])});
  }
  return Ratings(ratings.users(), ratings.items(), list);
}

EvaluationTable evaluate(const FactorModel& model, const Ratings& ratings, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options) {
  return evaluate_graded(model.grades, ratings, scores, measures, options);
}

EvaluationTable evaluate_graded(const RatingGrades& grades, const Ratings& ratings, std::span<const double> scores,
                                std::span<const std::string> measures, const EvaluateOptions& options) {
  const auto stretched = [&](const std::string& measure) { return grades.apply_to(measure, options.convention); };
  if (std::none_of(measures.begin(), measures.end(), stretched)) return evaluate(ratings, scores, measures, options);
  const Ratings labels = labelled(ratings, grades);
  EvaluationTable table;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    EvaluationTable one = evaluate(stretched(measures[m]) ? labels : ratings, scores, measures.subspan(m, 1), options);
    if (m == 0)
      table = std::move(one);
    else
      table.measures.push_back(std::move(one.measures.front()));
  }
  return table;
}

}  // namespace dorm
