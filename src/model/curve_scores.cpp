// SPDX-License-Identifier: Apache-2.0
#include "model/curve_scores.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kDocumentsAtOnce = 4096;

/// Queries in parts of about so many documents: the first of each, and the end.
std::vector<std::size_t> parts_of_queries(const Dataset& data) {
  std::vector<std::size_t> first = {0};
  for (std::size_t q = 1; q < data.num_queries(); ++q)
    if (data.first_document(q) - data.first_document(first.back()) >= kDocumentsAtOnce) first.push_back(q);
  first.push_back(data.num_queries());
  return first;
}

}  // namespace

std::vector<double> curve_parts(const Model& model, const Dataset& data, std::size_t threads) {
  std::vector<double> values = scaled_features(model, data, threads);
  const std::size_t width = model.features.size();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = model.curves->value(k % width, model.weights[k % width], values[k]);
  return values;
}

std::vector<double> curve_scores(const Model& model, const Dataset& data, const ComputeOptions& place) {
  if (place.on_device()) throw Error(ErrorCode::unsupported, "curves are scored on the CPU; expected the device cpu");
  std::vector<double> scores(data.num_documents());
  if (data.num_queries() == 0) return scores;
  const std::vector<std::size_t> first = parts_of_queries(data);
  parallel_for(first.size() - 1, place.threads, [&](std::size_t part, std::size_t) {
    std::vector<std::size_t> queries(first[part + 1] - first[part]);
    std::iota(queries.begin(), queries.end(), first[part]);
    const std::vector<double> values = curve_parts(model, data.select(queries), 1);
    const std::size_t width = model.features.size(), begin = data.first_document(first[part]);
    for (std::size_t i = 0; i * width < values.size(); ++i)
      for (std::size_t j = 0; j < width; ++j) scores[begin + i] += values[i * width + j];
  });
  return scores;
}

std::vector<double> CurveScorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  Model model = model_;
  model.weights = basis_.weights_of(weights);
  model.curves = basis_.curves_of(weights);
  return curve_scores(model, data_, {.threads = threads});
}

}  // namespace dorm
