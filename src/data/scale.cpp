// SPDX-License-Identifier: Apache-2.0
// Feature scaling of dense data. Means and variances are accumulated in double by Welford's update, one
// document at a time.
#include "dorm/scale.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/page_buffer.h"
#include "base/parallel.h"
#include "data/owned_columns.h"
#include "data/scale_compressed.h"
#include "data/scale_rules.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// Row i with f applied.
void load_row(const FeatureRows& rows, std::size_t i, bool logarithm, std::span<double> out) {
  std::copy_n(rows.dense_row(i), out.size(), out.begin());
  if (logarithm)
    for (double& x : out) x = signed_logarithm(x);
}

/// Running minimum, maximum, mean and sum of squared deviations of each column.
class ColumnStatistics {
 public:
  explicit ColumnStatistics(std::size_t columns) : low_(columns), high_(columns), mean_(columns), squares_(columns) {}

  void add(std::span<const double> row) {
    if (count_++ == 0) {
      std::copy(row.begin(), row.end(), low_.begin());
      high_ = mean_ = low_;
      std::fill(squares_.begin(), squares_.end(), 0.0);
      return;
    }
    const double share = 1 / static_cast<double>(count_);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double difference = row[j] - mean_[j];
      mean_[j] += difference * share;
      squares_[j] += difference * (row[j] - mean_[j]);
      low_[j] = std::min(low_[j], row[j]);
      high_[j] = std::max(high_[j], row[j]);
    }
  }

  void scale(bool range, std::vector<double>& shift, std::vector<double>& factor) const {
    shift = range ? low_ : mean_;
    factor.resize(low_.size());
    for (std::size_t j = 0; j < low_.size(); ++j)
      factor[j] = factor_of({low_[j], high_[j], squares_[j], std::max<std::size_t>(1, count_)}, range);
  }

 private:
  std::size_t count_ = 0;
  std::vector<double> low_, high_, mean_, squares_;
};

void store_row(std::span<const double> row, const Scaling& scaling, float* out) {
  for (std::size_t j = 0; j < row.size(); ++j) out[j] = scaled_value(row[j], scaling.shift[j], scaling.factor[j]);
}

struct ScaledBlock {
  OwnedColumns columns;
  PageBuffer<float> values;
};

void scale_query(const Scaling& scaling, const Query& query, std::uint64_t stride, float* out) {
  const bool logarithm = takes_logarithm(scaling.kind);
  const std::size_t features = query.rows.num_features();
  std::vector<double> row(features);
  Scaling local;
  if (scaling.per_query()) {
    ColumnStatistics statistics(features);
    for (std::size_t i = 0; i < query.size(); ++i) {
      load_row(query.rows, i, logarithm, row);
      statistics.add(row);
    }
    statistics.scale(uses_range(scaling.kind), local.shift, local.factor);
  }
  for (std::size_t i = 0; i < query.size(); ++i, out += stride) {
    load_row(query.rows, i, logarithm, row);
    store_row(row, scaling.per_query() ? local : scaling, out);
    std::fill(out + features, out + stride, 0.0f);
  }
}

}  // namespace

Scaling fit_scaling(ScalingKind kind, const Dataset& data) {
  if (data.num_documents() == 0)
    throw Error(ErrorCode::bad_input, "scaling: the data has no documents, expected at least one");
  Scaling scaling{.kind = kind, .shift = {}, .factor = {}};
  if (kind == ScalingKind::none || scaling.per_query()) return scaling;
  if (!data.dense()) {
    fit_compressed(data, scaling);
    return scaling;
  }
  ColumnStatistics statistics(data.num_features());
  std::vector<double> row(data.num_features());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      load_row(query.rows, i, takes_logarithm(kind), row);
      statistics.add(row);
    }
  }
  statistics.scale(uses_range(kind), scaling.shift, scaling.factor);
  return scaling;
}

Dataset apply_scaling(const Scaling& scaling, const Dataset& data, std::size_t threads) {
  if (scaling.kind == ScalingKind::none || data.num_documents() == 0) return data;
  if (!scaling.per_query() &&
      (scaling.shift.size() != data.num_features() || scaling.factor.size() != data.num_features()))
    throw Error(ErrorCode::bad_input, fmt::format("scaling: fitted on {} features, but the data has {}",
                                                  scaling.shift.size(), data.num_features()));
  if (!data.dense()) return scale_compressed(scaling, data, threads);
  const std::uint64_t stride = dense_stride(data.num_features());
  auto block = std::make_shared<ScaledBlock>();
  block->columns = gather_columns(data);
  block->values = PageBuffer<float>(data.num_documents() * stride);
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    scale_query(scaling, data.query(q), stride, block->values.data() + data.first_document(q) * stride);
  });
  data.require_intact();
  auto storage = std::make_shared<Storage>();
  block->columns.attach(*storage);
  storage->num_features = data.num_features();
  storage->stride = stride;
  storage->values = block->values.span();
  storage->owner = std::move(block);
  return Dataset(std::move(storage));
}

ScalingKind choose_scaling(const Dataset& data) {
  const auto outside = [](float x) { return !(x >= 0 && x <= 1); };
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const std::span<const float> values = query.rows.dense() ? std::span(query.rows.dense_row(i), data.num_features())
                                                               : query.rows.sparse_row(i).values;
      if (std::any_of(values.begin(), values.end(), outside)) return ScalingKind::log_query_zscore;
    }
  }
  return ScalingKind::none;
}

}  // namespace dorm
