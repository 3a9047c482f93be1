// SPDX-License-Identifier: Apache-2.0
// Feature scaling of data sets.
#include "dorm/data/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/page_buffer.h"
#include "base/parallel.h"
#include "base/vector/ordered_sum.h"
#include "data/owned_columns.h"
#include "data/scale/column_statistics.h"
#include "data/scale/scale_compressed.h"
#include "data/scale/scale_rows.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"

namespace dorm {
namespace {

struct ScaledBlock {
  OwnedColumns columns;
  PageBuffer<float> values;
};

constexpr std::size_t kFitPieces = 16;  // statistics are taken in this many parts, whatever the number of threads

// Not in [0, 1]. Without leaving early: several at a time.
bool any_outside(std::span<const float> values) {
  unsigned found = 0;
  for (const float x : values) found |= x >= 0 && x <= 1 ? 0u : 1u;
  return found != 0;
}

}  // namespace

Scaling fit_scaling(ScalingKind kind, const Dataset& data, std::size_t threads) {
  if (data.num_documents() == 0)
    throw Error(ErrorCode::bad_input, "scaling: the data has no documents, expected at least one");
  Scaling scaling{.kind = kind, .shift = {}, .factor = {}};
  if (kind == ScalingKind::none || scaling.per_query()) return scaling;
  if (!data.dense()) {
    fit_compressed(data, scaling);
    return scaling;
  }
  std::vector<ColumnStatistics> parts(kFitPieces, ColumnStatistics(data.num_features(), takes_logarithm(kind)));
  parallel_for(kFitPieces, threads, [&](std::size_t piece, std::size_t) {
    parts[piece] = column_statistics(data, piece_begin(data.num_queries(), kFitPieces, piece),
                                     piece_begin(data.num_queries(), kFitPieces, piece + 1), takes_logarithm(kind));
  });
  ColumnStatistics& statistics = parts.front();
  for (std::size_t piece = 1; piece < kFitPieces; ++piece) statistics.add(parts[piece]);
  statistics.scale(uses_range(kind), scaling.shift, scaling.factor);
  return scaling;
}

void require_fitted(const Scaling& scaling, const Dataset& data) {
  if (scaling.kind == ScalingKind::none) return;
  if (!scaling.per_query() &&
      (scaling.shift.size() != data.num_features() || scaling.factor.size() != data.num_features()))
    throw Error(ErrorCode::bad_input, fmt::format("scaling: fitted on {} features, but the data has {}",
                                                  scaling.shift.size(), data.num_features()));
}

Dataset apply_scaling(const Scaling& scaling, const Dataset& data, std::size_t threads) {
  if (scaling.kind == ScalingKind::none || data.num_documents() == 0) return data;
  require_fitted(scaling, data);
  if (!data.dense()) return scale_compressed(scaling, data, threads);
  const std::uint64_t stride = dense_stride(data.num_features());
  auto block = std::make_shared<ScaledBlock>();
  block->columns = gather_columns(data);
  block->values = PageBuffer<float>(data.num_documents() * stride);
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    scale_rows(scaling, dense_rows(data.query(q)), block->values.data() + data.first_document(q) * stride, stride);
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

ScalingKind choose_scaling(const Dataset& data, std::size_t threads) {
  std::atomic<bool> outside = false;
  parallel_for(kFitPieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t end = piece_begin(data.num_queries(), kFitPieces, piece + 1);
    for (std::size_t q = piece_begin(data.num_queries(), kFitPieces, piece); q < end && !outside; ++q) {
      const Query query = data.query(q);
      for (std::size_t i = 0; i < query.size(); ++i)
        if (any_outside(query.rows.dense() ? std::span(query.rows.dense_row(i), data.num_features())
                                           : query.rows.sparse_row(i).values))
          outside = true;
    }
  });
  return outside ? ScalingKind::log_query_zscore : ScalingKind::none;
}

}  // namespace dorm
