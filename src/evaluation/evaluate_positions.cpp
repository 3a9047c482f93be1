// SPDX-License-Identifier: Apache-2.0
// Gains by position: what rankings gain in their first n places, over what the best list would.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dorm/assignment.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "evaluation/bootstrap.h"

namespace dorm {
namespace {

// The best list of min(n, l) documents.
double ideal_gain(std::span<const double> gain, std::size_t positions) {
  const std::size_t documents = gain.size() / positions, used = std::min(positions, documents);
  std::vector<double> matrix;
  for (std::size_t i = 0; i < documents; ++i) {
    const auto row = gain.subspan(i * positions, used);
    matrix.insert(matrix.end(), row.begin(), row.end());
  }
  return assign(matrix, documents, used, Sense::maximize).value;
}

double gained(std::span<const double> gain, std::size_t positions, const Ranking& ranking, double ideal) {
  double sum = 0;
  for (std::size_t j = 0; j < positions && j < ranking.size(); ++j) sum += gain[ranking[j] * positions + j];
  return ideal > 0 ? sum / ideal : std::nan("");
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
    const double ideal = ideal_gain(gain, n);
    result.per_query.push_back(gained(gain, n, rankings[q], ideal));
    weights.push_back(query.weight);
    ++(ideal > 0 ? result.queries : result.skipped);
  }
  result.mean = weighted_mean(result.per_query, weights);
  const std::span<const double> column = result.per_query;
  const Interval interval = bootstrap(std::span(&column, 1), weights, options)[0];
  result.low = interval.low;
  result.high = interval.high;
  return result;
}

}  // namespace dorm
