// SPDX-License-Identifier: Apache-2.0
// Gains by position: what rankings gain in their first n places, over what the best list would; both above the floor.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/learning/assignment.h"
#include "evaluation/bootstrap.h"
#include "ranking/assign/gain_floor.h"

namespace dorm {
namespace {

// What the best list of min(n, l) documents gains, and what counts as nothing.
struct Scale {
  double ideal, floor;
};

Scale scale_of(std::span<const double> gain, std::size_t positions) {
  const std::size_t documents = gain.size() / positions, used = std::min(positions, documents);
  std::vector<double> matrix;
  for (std::size_t i = 0; i < documents; ++i) {
    const auto row = gain.subspan(i * positions, used);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return {assign(matrix, documents, used, Sense::maximize).value, gain_floor(matrix, used)};
}

double gained(std::span<const double> gain, std::size_t positions, const Ranking& ranking, const Scale& scale) {
  double sum = 0;
  for (std::size_t j = 0; j < positions && j < ranking.size(); ++j) sum += gain[ranking[j] * positions + j];
  return scale.ideal > scale.floor ? (sum - scale.floor) / (scale.ideal - scale.floor) : std::nan("");
}

}  // namespace

MeasureResult evaluate_positions(const Dataset& data, const PositionGains& gains, const std::vector<Ranking>& rankings,
                                 const EvaluateOptions& options) {
  const std::size_t n = gains.positions;
  if (n == 0 || gains.gain.size() != data.num_documents() * n || rankings.size() != data.num_queries())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} gains and {} rankings for {} documents, {} positions and {} queries", gains.gain.size(),
                            rankings.size(), data.num_documents(), n, data.num_queries()));
  MeasureResult result;
  result.name = fmt::format("position-gain@{}", n);
  std::vector<double> weights;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const auto gain = std::span(gains.gain).subspan(query.first_document * n, query.size() * n);
    result.per_query.push_back(gained(gain, n, rankings[q], scale_of(gain, n)));
    weights.push_back(query.weight);
    ++(std::isnan(result.per_query.back()) ? result.skipped : result.queries);
  }
  result.mean = weighted_mean(result.per_query, weights);
  const std::span<const double> column = result.per_query;
  const Interval interval = bootstrap(std::span(&column, 1), weights, options)[0];
  result.low = interval.low;
  result.high = interval.high;
  return result;
}

}  // namespace dorm
