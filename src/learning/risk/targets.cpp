// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "data/source_order.h"
#include "dorm/error.h"

namespace dorm {
namespace {

std::size_t column_named(const Dataset& data, const std::string& feature) {
  for (std::size_t j = 0; j < data.num_features(); ++j)
    if (data.feature_name(j) == feature) return j;
  throw Error(
      ErrorCode::unknown_name,
      fmt::format("ties by feature \"{}\": the data has no such feature; expected one of its {}, {} to {}", feature,
                  data.num_features(), data.feature_name(0), data.feature_name(data.num_features() - 1)));
}

}  // namespace

std::vector<double> labels_of(const Dataset& data) {
  std::vector<double> labels;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    labels.insert(labels.end(), query.labels.begin(), query.labels.end());
  }
  return labels;
}

std::vector<double> gains_of(const Dataset& data, const FactoredMeasure& measure) {
  std::vector<double> gains;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const std::vector<double> of_query = measure.factor(data.query(q).labels).b;
    gains.insert(gains.end(), of_query.begin(), of_query.end());
  }
  return gains;
}

std::vector<float> labels_by_feature(const Dataset& data, const std::string& feature) {
  const std::size_t column = column_named(data, feature);
  std::vector<float> strict(data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<std::uint32_t> order = source_order(data, q);
    if (order.empty()) {
      order.resize(query.size());
      std::iota(order.begin(), order.end(), 0u);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t x, std::uint32_t y) {
      if (query.labels[x] != query.labels[y]) return query.labels[x] > query.labels[y];
      return query.rows.at(x, column) > query.rows.at(y, column);
    });
    for (std::size_t j = 0; j < order.size(); ++j)
      strict[query.first_document + order[j]] = static_cast<float>(order.size() - j);
  }
  return strict;
}

FactoredMeasurePtr plain_gains(const std::string& convention) {
  return make_trainable("dcg", make_convention(convention));
}

}  // namespace dorm
