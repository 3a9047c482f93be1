// SPDX-License-Identifier: Apache-2.0
#include "model/features/scatter.h"

#include <vector>

namespace dorm {
namespace {

void add_scatter(std::span<const double> scores, double& squares) {
  double mean = 0;
  for (const double score : scores) mean += score / static_cast<double>(scores.size());
  for (const double score : scores) squares += (score - mean) * (score - mean);
}

}  // namespace

double score_scatter(const Representation& features, std::span<const double> w) {
  const Dataset& data = features.data();
  std::vector<double> scores;
  double squares = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    scores.resize(data.query(q).labels.size());
    features.scores(q, w, scores);
    add_scatter(scores, squares);
  }
  return squares;
}

double score_scatter(const Dataset& data, std::span<const double> scores) {
  double squares = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    add_scatter(scores.subspan(data.first_document(q), data.query(q).size()), squares);
  return squares;
}

}  // namespace dorm
