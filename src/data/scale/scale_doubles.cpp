// SPDX-License-Identifier: Apache-2.0
// The logarithms of a query are taken relative to its value x0 that is nearest to 0,
//   f(x) - f(x0) = sign(x - x0) log(1 + |x - x0| / (1 + |x0|)),
// which moves their mean but nothing that is scaled: digits remain also where a column is nearly constant and large.
#include "data/scale/scale_doubles.h"

#include <algorithm>
#include <cmath>

#include "base/vector/log_lanes.h"
#include "base/vector/wide_sum.h"
#include "data/scale/column_lanes.h"
#include "data/scale/scale_rows.h"
#include "data/scale/scale_rules.h"

namespace dorm {
namespace {

/// Some columns of a query.
struct ColumnJob {
  DenseRows rows;  // beginning at the first column
  std::size_t columns;
  ScalingKind kind;
  const double *shift, *factor;  // global kinds
  double* out;
};

/// A sum with what rounding has cut off beside it: it hardly ever depends on the order of the documents.
template <class Doubles>
struct LaneSum {
  Doubles sum = {}, rest = {};

  [[gnu::always_inline]] void add(const Doubles& x) {
    const Doubles next = sum + x, taken = next - sum;
    rest += (sum - (next - taken)) + (x - taken);
    sum = next;
  }
};

/// Relative to the nearest to 0, then to mean 0 and standard deviation 1.
template <std::size_t N>
[[gnu::always_inline]] inline void log_query_columns(const ColumnJob& job, std::size_t j) {
  using Floats = typename LanesOf<N>::Floats;
  using Doubles = typename LanesOf<N>::Doubles;
  const std::size_t count = job.columns - j, rows = job.rows.rows;
  const auto documents = static_cast<double>(rows);
  const float* const x = job.rows.data + j;
  double* const out = job.out + j;
  const Floats none = {};
  Floats low, high, narrow;
  find_range<N>(x, rows, job.rows.stride, count, low, high);
  narrow = low > none ? low : (high < none ? high : none);
  const Doubles nearest = __builtin_convertvector(narrow, Doubles), zero = {};
  const Doubles unit = 1.0 / (1.0 + (nearest < zero ? -nearest : nearest));
  Doubles value;
  LaneSum<Doubles> sum, squares;
  for (std::size_t i = 0; i < rows; ++i) {
    load_some(x + i * job.rows.stride, count, narrow);
    value = (__builtin_convertvector(narrow, Doubles) - nearest) * unit;
    signed_log1p_doubles<N>(value);
    store_some(value, count, out + i * job.columns);
    sum.add(value);
  }
  const Doubles mean = (sum.sum + sum.rest) / documents;
  for (std::size_t i = 0; i < rows; ++i) {
    load_some(out + i * job.columns, count, value);
    value -= mean;
    squares.add(value * value);
  }
  Doubles spread = (squares.sum + squares.rest) / documents;
  for (std::size_t k = 0; k < N; ++k) spread[k] = __builtin_sqrt(spread[k]);
  const Doubles factor = spread > zero ? 1.0 / spread : zero;
  for (std::size_t i = 0; i < rows; ++i) {
    load_some(out + i * job.columns, count, value);
    value = (value - mean) * factor;
    store_some(value, count, out + i * job.columns);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void affine_columns(const ColumnJob& job, std::size_t j) {
  using Floats = typename LanesOf<N>::Floats;
  using Doubles = typename LanesOf<N>::Doubles;
  const std::size_t count = job.columns - j;
  const bool logarithm = takes_logarithm(job.kind);
  Floats narrow, high;
  Doubles shift = {}, factor = shift + 1.0, value;
  if (job.kind == ScalingKind::query_minmax) {
    find_range<N>(job.rows.data + j, job.rows.rows, job.rows.stride, count, narrow, high);
    shift = __builtin_convertvector(narrow, Doubles);
    const Doubles zero = {}, width = __builtin_convertvector(high, Doubles) - shift;
    factor = width > zero ? 1.0 / width : zero;
  } else if (job.shift != nullptr) {
    load_some(job.shift + j, count, shift);
    load_some(job.factor + j, count, factor);
  }
  for (std::size_t i = 0; i < job.rows.rows; ++i) {
    load_some(job.rows.data + i * job.rows.stride + j, count, narrow);
    value = __builtin_convertvector(narrow, Doubles);
    if (logarithm) signed_log1p_doubles<N>(value);
    value = (value - shift) * factor;
    store_some(value, count, job.out + i * job.columns + j);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void scale_body(const ColumnJob& job) {
  for (std::size_t j = 0; j < job.columns; j += N) {
    if (job.kind == ScalingKind::log_query_zscore)
      log_query_columns<N>(job, j);
    else
      affine_columns<N>(job, j);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void range_body(const DenseRows& rows, float* low, float* high) {
  prefetch_rows(rows);
  typename LanesOf<N>::Floats least, most;
  for (std::size_t j = 0; j < rows.columns; j += N) {
    find_range<N>(rows.data + j, rows.rows, rows.stride, rows.columns - j, least, most);
    store_some(least, rows.columns - j, low + j);
    store_some(most, rows.columns - j, high + j);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void logarithms_body(double* x, std::size_t size) {
  typename LanesOf<N>::Doubles value;
  for (std::size_t i = 0; i < size; i += N) {
    load_some(x + i, size - i, value);
    signed_log1p_doubles<N>(value);
    store_some(value, size - i, x + i);
  }
}

void take_logarithms(std::span<double> x, SimdLevel level) {
  (level == SimdLevel::avx512 ? compiled_for<logarithms_body<8>>(level)
   : level == SimdLevel::avx2 ? compiled_for<logarithms_body<4>>(level)
                              : compiled_for<logarithms_body<2>>(level))(x.data(), x.size());
}

/// The values that a column of a query stores: entries [first, last) of those sorted by column.
struct StoredValues {
  std::span<const std::uint64_t> places;  // indices into `values`, in the lower half
  std::vector<double>& values;
  std::size_t documents;

  bool complete() const { return places.size() == documents; }
  double& at(std::size_t k) const { return values[static_cast<std::uint32_t>(places[k])]; }

  /// The least and the largest, zeros included.
  ColumnSpread range() const {
    ColumnSpread spread{at(0), at(0), 0, documents};
    for (std::size_t k = 1; k < places.size(); ++k) {
      spread.low = std::min(spread.low, at(k));
      spread.high = std::max(spread.high, at(k));
    }
    if (!complete()) spread = {std::min(spread.low, 0.0), std::max(spread.high, 0.0), 0, documents};
    return spread;
  }

  /// To mean 0 and standard deviation 1; returns what a zero becomes.
  double standardize() const {
    ColumnSpread spread = range();
    const auto all = static_cast<double>(documents), lacking = all - static_cast<double>(places.size());
    WideSum sum, squares;
    for (std::size_t k = 0; k < places.size(); ++k) sum.add(at(k));
    const double mean = sum.value() / all;
    for (std::size_t k = 0; k < places.size(); ++k) squares.add((at(k) - mean) * (at(k) - mean));
    squares.add(lacking * mean * mean);
    spread.squares = squares.value();
    return move(mean, factor_of(spread, false));
  }

  double move(double shift, double factor) const {
    for (std::size_t k = 0; k < places.size(); ++k) at(k) = (at(k) - shift) * factor;
    return (0 - shift) * factor;
  }
};

/// Calls body(column, stored values) for every column that the query stores, in their order.
template <class Body>
void for_each_column(std::span<const std::uint64_t> sorted, std::vector<double>& values, std::size_t documents,
                     const Body& body) {
  for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
    const std::uint64_t column = sorted[first] >> 32;
    while (last < sorted.size() && sorted[last] >> 32 == column) ++last;
    body(static_cast<std::uint32_t>(column), StoredValues{sorted.subspan(first, last - first), values, documents});
  }
}

void scale_within_query(ScalingKind kind, std::span<const std::uint64_t> sorted, std::size_t documents,
                        ScaledStored& out, SimdLevel level) {
  const auto note_zeros = [&](std::uint32_t column, const StoredValues& stored, double zero) {
    if (stored.complete()) return;
    out.columns.push_back(column);
    out.zeros.push_back(zero);
  };
  if (kind == ScalingKind::query_minmax) {
    for_each_column(sorted, out.values, documents, [&](std::uint32_t column, const StoredValues& stored) {
      const ColumnSpread range = stored.range();
      note_zeros(column, stored, stored.move(range.low, factor_of(range, true)));
    });
    return;
  }
  for_each_column(sorted, out.values, documents, [](std::uint32_t, const StoredValues& stored) {
    const ColumnSpread range = stored.range();  // with 0 in it where documents lack the column, which then stays 0
    const double nearest = range.low > 0 ? range.low : std::min(range.high, 0.0);
    stored.move(nearest, 1 / (1 + std::fabs(nearest)));
  });
  take_logarithms(out.values, level);
  for_each_column(sorted, out.values, documents, [&](std::uint32_t column, const StoredValues& stored) {
    note_zeros(column, stored, stored.standardize());
  });
}

}  // namespace

void scale_columns(const Scaling& scaling, const DenseRows& rows, std::size_t first, std::size_t count, double* out,
                   SimdLevel level) {
  if (rows.rows == 0) return;
  const bool fitted = !scaling.shift.empty();
  ColumnJob job = {.rows = rows,
                   .columns = count,
                   .kind = scaling.kind,
                   .shift = fitted ? scaling.shift.data() + first : nullptr,
                   .factor = fitted ? scaling.factor.data() + first : nullptr,
                   .out = out};
  job.rows.data += first;
  (level == SimdLevel::avx512 ? compiled_for<scale_body<8>>(level)
   : level == SimdLevel::avx2 ? compiled_for<scale_body<4>>(level)
                              : compiled_for<scale_body<2>>(level))(job);
}

void column_ranges(const DenseRows& rows, std::span<float> low, std::span<float> high, SimdLevel level) {
  (level == SimdLevel::avx512 ? compiled_for<range_body<16>>(level)
   : level == SimdLevel::avx2 ? compiled_for<range_body<8>>(level)
                              : compiled_for<range_body<4>>(level))(rows, low.data(), high.data());
}

void scale_stored(const Scaling& scaling, const Query& query, ScaledStored& out, SimdLevel level) {
  out.values.clear();
  out.columns.clear();
  out.zeros.clear();
  std::vector<std::uint64_t> sorted;
  for (std::size_t i = 0; i < query.size(); ++i) {
    const SparseRow row = query.rows.sparse_row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      if (scaling.per_query()) sorted.push_back(std::uint64_t{row.columns[k]} << 32 | out.values.size());
      out.values.push_back(static_cast<double>(row.values[k]));
    }
  }
  if (scaling.per_query()) {
    std::sort(sorted.begin(), sorted.end());
    scale_within_query(scaling.kind, sorted, query.size(), out, level);
    return;
  }
  if (scaling.kind == ScalingKind::none) return;
  if (takes_logarithm(scaling.kind)) take_logarithms(out.values, level);
  std::size_t place = 0;
  for (std::size_t i = 0; i < query.size(); ++i)
    for (const std::uint32_t j : query.rows.sparse_row(i).columns) {
      out.values[place] = (out.values[place] - scaling.shift[j]) * scaling.factor[j];
      ++place;
    }
}

}  // namespace dorm
