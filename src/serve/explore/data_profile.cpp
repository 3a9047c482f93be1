// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/data_profile.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/parallel.h"
#include "data/row_hash.h"
#include "data/scale/column_statistics.h"
#include "data/scale/scale_rules.h"
#include "dorm/data/prepare.h"
#include "model/align.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kProfilePieces = 16;

/// The range of training in the columns of the data; endless where it is not known.
struct ColumnLimits {
  std::vector<float> low, high;

  ColumnLimits(const Model& model, const std::vector<std::size_t>& feature_of)
      : low(feature_of.size(), -std::numeric_limits<float>::infinity()),
        high(feature_of.size(), std::numeric_limits<float>::infinity()) {
    const FeatureStatistics& known = model.data.statistics;
    if (!known.known()) return;
    for (std::size_t c = 0; c < feature_of.size(); ++c) {
      if (feature_of[c] == FeatureIndex::kUnknown) continue;
      low[c] = static_cast<float>(known.minimum[feature_of[c]]);
      high[c] = static_cast<float>(known.maximum[feature_of[c]]);
    }
  }
};

void count_outside(const FeatureRows& rows, const ColumnLimits& limits, std::vector<std::uint64_t>& outside) {
  std::vector<float> row(limits.low.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows.load(i, row);
    for (std::size_t c = 0; c < row.size(); ++c) outside[c] += row[c] < limits.low[c] || row[c] > limits.high[c];
  }
}

QueryProfile profile_of(const Query& query, const RowHash& hash) {
  QueryProfile profile;
  std::vector<std::uint64_t> hashes;
  for (std::size_t i = 0; i < query.size(); ++i) {
    profile.relevant += query.labels[i] > 0;
    hashes.push_back(hash.of(query.rows, i));
  }
  std::sort(hashes.begin(), hashes.end());
  const auto different = std::unique(hashes.begin(), hashes.end()) - hashes.begin();
  profile.duplicates = static_cast<std::uint32_t>(query.size() - static_cast<std::size_t>(different));
  profile.one_label =
      std::all_of(query.labels.begin(), query.labels.end(), [&](float label) { return label == query.labels.front(); });
  return profile;
}

/// Standard deviation of a column as the model sees it; kinds by query have 1, or 0 for what is constant.
double spread_of(const Model& model, std::size_t feature, double low, double high, double deviation) {
  if (!(high > low)) return 0;
  if (model.scaling.per_query()) return 1;
  return model.scaling.factor.empty() ? deviation : deviation * model.scaling.factor[feature];
}

std::vector<float> labels_in(const Dataset& data) {
  std::set<float> labels;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    float last = std::numeric_limits<float>::quiet_NaN();
    for (const float label : data.query(q).labels)
      if (label != last) labels.insert(last = label);
  }
  return {labels.begin(), labels.end()};
}

}  // namespace

DataProfile::DataProfile(const Model& model, const Dataset& data, std::size_t threads)
    : features(model.features.size()), queries(data.num_queries()), labels(labels_in(data)) {
  const std::vector<std::size_t> feature_of = features_of_columns(model, data);
  const ColumnLimits limits(model, feature_of);
  const RowHash hash(data);
  std::vector<std::vector<std::uint64_t>> outside(kProfilePieces, std::vector<std::uint64_t>(feature_of.size()));
  parallel_for(kProfilePieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t end = (piece + 1) * queries.size() / kProfilePieces;
    for (std::size_t q = piece * queries.size() / kProfilePieces; q < end; ++q) {
      const Query query = data.query(q);
      queries[q] = profile_of(query, hash);
      count_outside(query.rows, limits, outside[piece]);
    }
  });
  const bool logarithm = takes_logarithm(model.scaling.kind);
  const FeatureStatistics raw = column_statistics(data, 0, data.num_queries(), false).summary();
  std::vector<double> shift, factor;
  column_statistics(data, 0, data.num_queries(), logarithm).scale(false, shift, factor);
  for (std::size_t c = 0; c < feature_of.size(); ++c) {
    if (feature_of[c] == FeatureIndex::kUnknown) continue;
    FeatureProfile& feature = features[feature_of[c]];
    feature = {true, raw.minimum[c], raw.maximum[c], raw.mean[c], 0, 0};
    feature.spread = spread_of(model, feature_of[c], feature.low, feature.high, factor[c] > 0 ? 1 / factor[c] : 0);
    for (const auto& counts : outside) feature.outside += counts[c];
  }
  for (const LabelLeak& leak : find_label_leaks(data)) leaks.push_back(leak.feature);
  data.require_intact();
}

}  // namespace dorm::explore
