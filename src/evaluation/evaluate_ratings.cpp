// SPDX-License-Identifier: Apache-2.0
// The rows of a ratings matrix as scored queries.
#include <fmt/format.h>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

EvaluationTable evaluate(const Ratings& test, std::span<const double> scores, std::span<const std::string> measures,
                         const EvaluateOptions& options) {
  if (scores.size() != test.size())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} scores for {} ratings; expected one per rating", scores.size(), test.size()));
  std::vector<ScoredQuery> queries;
  for (std::size_t u = 0; u < test.num_users(); ++u) {
    const RatingRow row = test.of_user(u);
    if (row.size() > 0)
      queries.push_back({test.users()[u], row.value, scores.subspan(test.first_of_user(u), row.size()), {}, 1});
  }
  EvaluateOptions by_user = options;
  if (by_user.ties.empty()) by_user.ties = "expected";
  return evaluate(queries, measures, by_user);
}

}  // namespace dorm
