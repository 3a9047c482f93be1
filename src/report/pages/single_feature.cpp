// SPDX-License-Identifier: Apache-2.0
// The one feature, and its direction, by which training documents are ranked best.
#include "report/pages/single_feature.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "dorm/evaluate.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kMostValues = 10'000'000;  // features times documents that are looked at

/// As many queries, evenly spaced, as stay within the limit.
std::vector<std::size_t> sampled_queries(const Dataset& data) {
  const std::size_t values = data.num_documents() * std::max<std::size_t>(1, data.num_features());
  const std::size_t stride = std::max<std::size_t>(1, (values + kMostValues - 1) / kMostValues);
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries(); q += stride) queries.push_back(q);
  return queries;
}

/// Column after column.
std::vector<float> columns_of(const Dataset& data) {
  const std::size_t features = data.num_features(), documents = data.num_documents();
  std::vector<float> columns(features * documents), row(features);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      query.rows.load(i, row);
      for (std::size_t j = 0; j < features; ++j) columns[j * documents + query.first_document + i] = row[j];
    }
  }
  return columns;
}

}  // namespace

std::vector<double> scores_of(const SingleFeature& feature, const Dataset& data) {
  std::size_t column = 0;
  while (column < data.num_features() && data.feature_name(column) != feature.name) ++column;
  std::vector<double> scores(data.num_documents(), 0.0);
  if (column == data.num_features()) return scores;  // sparse text omits what is 0 everywhere
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i)
      scores[query.first_document + i] = feature.sign * static_cast<double>(query.rows.at(i, column));
  }
  return scores;
}

SingleFeature best_single_feature(const Dataset& data, const std::string& measure, const std::string& convention,
                                  std::size_t threads) {
  const std::vector<std::size_t> queries = sampled_queries(data);
  const Dataset sample = data.select(queries);
  const std::vector<float> columns = columns_of(sample);
  const std::size_t documents = sample.num_documents();
  const std::vector<std::string> measures = {measure};
  const EvaluateOptions options{.convention = convention, .ties = "expected", .bootstrap = 0, .threads = 1};
  std::vector<double> found(2 * sample.num_features());
  parallel_for(found.size(), threads, [&](std::size_t k, std::size_t) {
    const float* values = columns.data() + k / 2 * documents;
    std::vector<double> scores(values, values + documents);
    if (k % 2 == 1)
      for (double& score : scores) score = -score;
    found[k] = evaluate(sample, scores, measures, options).measures[0].mean;
  });
  const auto best = static_cast<std::size_t>(std::max_element(found.begin(), found.end()) - found.begin());
  return {sample.feature_name(best / 2), best % 2 == 0 ? 1.0 : -1.0, queries.size()};
}

}  // namespace dorm::pages
