// SPDX-License-Identifier: Apache-2.0
// Columns go side by side through the lanes of vectors, several rows' worth of them before the next columns: sums stay
// in registers, and a block of columns of one query fits into the first cache.
//
// The logarithms of a query are taken relative to its value x0 that is nearest to 0,
//   f(x) - f(x0) = sign(x - x0) log(1 + |x - x0| / (1 + |x0|)),
// which 32 bits hold to the last digits also where a column is nearly constant and large; shifts do not change what is
// scaled to mean 0. Divided by the largest of them they lie in [-1, 1], so that no square is lost.
#include "data/scale/scale_rows.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/vector/log_lanes.h"
#include "data/scale/column_lanes.h"
#include "data/scale/scale_rules.h"

namespace dorm {
namespace {

/// What the kernels need of a call.
struct ScaleJob {
  DenseRows rows;
  float* out;
  std::size_t stride;
  ScalingKind kind;
  const double *shift, *factor;  // global kinds
  float* noted = nullptr;        // where numbers of the columns are to be left
  const float* known = nullptr;  // where they are found
};

// Blocks of columns begin at multiples of the width, the last one where it ends with the last column: columns that two
// blocks share come out the same twice.
template <std::size_t N>
[[gnu::always_inline]] inline std::size_t block_begin(std::size_t j, std::size_t columns) {
  return j + N <= columns ? j : columns - N;
}

/// Sums in 64 bits, of each half of a vector of floats: they depend on the order of the documents so little that what
/// is scaled by them hardly ever does.
template <std::size_t N>
struct WideSums {
  using Floats = typename LanesOf<N>::Floats;
  using Half = typename LanesOf<N / 2>::Floats;
  using Doubles = typename LanesOf<N / 2>::Doubles;

  Doubles first = {}, second = {};

  [[gnu::always_inline]] static void widen(const Floats& x, Doubles& low, Doubles& high) {
    Half half[2];
    std::memcpy(&half, &x, sizeof x);
    low = __builtin_convertvector(half[0], Doubles);
    high = __builtin_convertvector(half[1], Doubles);
  }
  [[gnu::always_inline]] static void narrow(const Doubles& low, const Doubles& high, Floats& out) {
    const Half half[2] = {__builtin_convertvector(low, Half), __builtin_convertvector(high, Half)};
    std::memcpy(&out, &half, sizeof out);
  }

  [[gnu::always_inline]] void add(const Floats& x) {
    Doubles low, high;
    widen(x, low, high);
    first += low;
    second += high;
  }
  [[gnu::always_inline]] void add_square(const Floats& x) {
    Doubles low, high;
    widen(x, low, high);
    first += low * low;
    second += high * high;
  }
};

/// 1 / sqrt(x) by Newton's method, 0 where x is; x is 0 or in the range of ordinary numbers.
template <std::size_t N>
[[gnu::always_inline]] inline void inverse_root(typename LanesOf<N>::Doubles& x) {
  using Doubles = typename LanesOf<N>::Doubles;
  using Words = typename LanesOf<N>::LongWords;
  Doubles y = reinterpret_cast<Doubles>(0x5fe6eb50c7b537a9u - (reinterpret_cast<Words>(x) >> 1));
  for (int step = 0; step < 4; ++step) y = y * (1.5 - (0.5 * x * y) * y);
  x = ((x * y) * y) * y;  // x y is 0 at 0, where y is large
}

/// Of some columns: f(x) - f(nearest) times `inverse`, less `mean`, times `factor`.
template <std::size_t N>
struct LogColumns {
  using Floats = typename LanesOf<N>::Floats;
  using Words = typename LanesOf<N>::Words;

  Floats nearest, unit, inverse, mean, factor;

  [[gnu::always_inline]] void set_nearest(const Floats& x) {
    nearest = x;
    unit = 1.0f / (1.0f + (x < Floats{} ? -x : x));
  }

  /// In [-1, 1].
  [[gnu::always_inline]] void relative(Floats& x) const {
    constexpr std::uint32_t kSign = 0x80000000u;
    const Words difference = reinterpret_cast<Words>(x - nearest);
    log1p_floats<N>(reinterpret_cast<Floats>(difference & ~kSign) * unit, x);
    x = reinterpret_cast<Floats>(reinterpret_cast<Words>(x * inverse) | (difference & kSign));
  }

  /// Of `columns` numbers each, from this column on.
  [[gnu::always_inline]] void store(float* numbers, std::size_t columns) const {
    store_vector(nearest, numbers);
    store_vector(inverse, numbers + columns);
    store_vector(mean, numbers + 2 * columns);
    store_vector(factor, numbers + 3 * columns);
  }
  [[gnu::always_inline]] void load(const float* numbers, std::size_t columns) {
    Floats x;
    load_vector(numbers, x);
    set_nearest(x);
    load_vector(numbers + columns, inverse);
    load_vector(numbers + 2 * columns, mean);
    load_vector(numbers + 3 * columns, factor);
  }
};

template <std::size_t N>
[[gnu::always_inline]] inline void find_nearest(const float* x, const DenseRows& rows, LogColumns<N>& columns) {
  using Floats = typename LanesOf<N>::Floats;
  constexpr float kLargest = std::numeric_limits<float>::max();
  const Floats zero = {};
  Floats low, high, top, bottom;
  find_range<N>(x, rows.rows, rows.stride, N, low, high);
  columns.set_nearest(low > zero ? low : (high < zero ? high : zero));
  log1p_floats<N>((high - columns.nearest) * columns.unit, top);
  log1p_floats<N>((columns.nearest - low) * columns.unit, bottom);
  greater(bottom, top);
  Floats inverse = 1.0f / top;
  lesser(zero + kLargest, inverse);
  columns.inverse = top > zero ? inverse : zero;
}

/// Leaves the relative logarithms in `out`.
template <std::size_t N>
[[gnu::always_inline]] inline void find_spread(const float* x, const ScaleJob& job, float* out,
                                               LogColumns<N>& columns) {
  const auto documents = static_cast<double>(job.rows.rows);
  typename LanesOf<N>::Floats value;
  WideSums<N> sum, squares;
  for (std::size_t i = 0; i < job.rows.rows; ++i) {
    load_vector(x + i * job.rows.stride, value);
    columns.relative(value);
    store_vector(value, out + i * job.stride);
    sum.add(value);
  }
  WideSums<N>::narrow(sum.first / documents, sum.second / documents, columns.mean);
  for (std::size_t i = 0; i < job.rows.rows; ++i) {
    load_vector(out + i * job.stride, value);
    squares.add_square(value - columns.mean);
  }
  squares.first /= documents;
  squares.second /= documents;
  inverse_root<N / 2>(squares.first);
  inverse_root<N / 2>(squares.second);
  WideSums<N>::narrow(squares.first, squares.second, columns.factor);
}

/// While the columns from j on are scaled: their share of what comes next. The first rows of a piece are nobody's next,
/// and come as they are read.
[[gnu::always_inline]] inline void prefetch_upcoming(const DenseRows& rows, std::size_t j, std::size_t columns) {
  constexpr std::size_t kLine = 64 / sizeof(float), kMost = std::size_t{1} << 16;
  const std::size_t size = std::min(rows.upcoming.size(), kMost);
  const std::size_t begin = size * j / rows.columns;
  const std::size_t end = size * std::min(j + columns, rows.columns) / rows.columns;
  for (std::size_t k = begin; k < end; k += kLine) __builtin_prefetch(rows.upcoming.data() + k, 0, 2);
}

template <std::size_t N>
[[gnu::always_inline]] inline void log_query_zscore(const ScaleJob& job) {
  typename LanesOf<N>::Floats value;
  LogColumns<N> columns;
  if (job.rows.upcoming.empty()) prefetch_rows(job.rows);
  for (std::size_t j = 0; j < job.rows.columns; j += N) {
    prefetch_upcoming(job.rows, j, N);
    const std::size_t begin = block_begin<N>(j, job.rows.columns);
    const float* const x = job.rows.data + begin;
    float* const out = job.out + begin;
    if (job.known != nullptr) {
      columns.load(job.known + begin, job.rows.columns);
      for (std::size_t i = 0; i < job.rows.rows; ++i) {
        load_vector(x + i * job.rows.stride, value);
        columns.relative(value);
        value = (value - columns.mean) * columns.factor;
        store_vector(value, out + i * job.stride);
      }
      continue;
    }
    find_nearest<N>(x, job.rows, columns);
    find_spread<N>(x, job, out, columns);
    if (job.noted != nullptr) columns.store(job.noted + begin, job.rows.columns);
    for (std::size_t i = 0; i < job.rows.rows; ++i) {
      load_vector(out + i * job.stride, value);
      value = (value - columns.mean) * columns.factor;
      store_vector(value, out + i * job.stride);
    }
  }
}

/// The other kinds, in 64 bits.
template <std::size_t N>
[[gnu::always_inline]] inline void affine(const ScaleJob& job) {
  using Floats = typename LanesOf<N>::Floats;
  using Doubles = typename LanesOf<N>::Doubles;
  const Doubles zero = {}, largest = zero + std::numeric_limits<float>::max();
  const bool logarithm = takes_logarithm(job.kind);
  prefetch_rows(job.rows);
  for (std::size_t j = 0; j < job.rows.columns; j += N) {
    const std::size_t begin = block_begin<N>(j, job.rows.columns);
    Floats narrow, high;
    Doubles shift, factor, value;
    if (job.shift == nullptr) {
      find_range<N>(job.rows.data + begin, job.rows.rows, job.rows.stride, N, narrow, high);
      shift = __builtin_convertvector(narrow, Doubles);
      const Doubles width = __builtin_convertvector(high, Doubles) - shift;
      factor = width > zero ? 1.0 / width : zero;
    } else {
      load_vector(job.shift + begin, shift);
      load_vector(job.factor + begin, factor);
    }
    for (std::size_t i = 0; i < job.rows.rows; ++i) {
      load_vector(job.rows.data + i * job.rows.stride + begin, narrow);
      value = __builtin_convertvector(narrow, Doubles);
      if (logarithm) signed_log1p_doubles<N>(value);
      value = (value - shift) * factor;
      lesser(largest, value);
      greater(-largest, value);
      narrow = __builtin_convertvector(value, Floats);
      store_vector(narrow, job.out + i * job.stride + begin);
    }
  }
}

using ScaleKernel = void (*)(const ScaleJob&);

// The widest that the registers of the level hold and the columns fill; four columns there must be.
ScaleKernel kernel_for(SimdLevel level, ScalingKind kind, std::size_t columns) {
  if (kind == ScalingKind::log_query_zscore) {
    if (level == SimdLevel::avx512 && columns >= 16) return compiled_for<log_query_zscore<16>>(level);
    if (level >= SimdLevel::avx2 && columns >= 8) return compiled_for<log_query_zscore<8>>(level);
    return compiled_for<log_query_zscore<4>>(level);
  }
  if (level == SimdLevel::avx512 && columns >= 8) return compiled_for<affine<8>>(level);
  if (level >= SimdLevel::avx2) return compiled_for<affine<4>>(level);
  return compiled_for<affine<2>>(level);
}

constexpr std::size_t kLeastColumns = 4;

// Few columns, with columns of zeros beside them.
void scale_narrow(const ScaleJob& job, SimdLevel level) {
  const std::size_t columns = job.rows.columns;
  std::vector<float> rows(job.rows.rows * kLeastColumns, 0.0f);
  double shift[kLeastColumns] = {}, factor[kLeastColumns] = {};
  for (std::size_t i = 0; i < job.rows.rows; ++i)
    std::copy_n(job.rows.data + i * job.rows.stride, columns,
                rows.begin() + static_cast<std::ptrdiff_t>(i * kLeastColumns));
  ScaleJob wide = job;
  wide.rows = {rows.data(), job.rows.rows, kLeastColumns, kLeastColumns};
  std::vector<float> out(rows.size());
  wide.out = out.data();
  wide.stride = kLeastColumns;
  if (job.shift != nullptr) {
    std::copy_n(job.shift, columns, shift);
    std::copy_n(job.factor, columns, factor);
    wide.shift = shift;
    wide.factor = factor;
  }
  kernel_for(level, job.kind, kLeastColumns)(wide);
  for (std::size_t i = 0; i < job.rows.rows; ++i)
    std::copy_n(out.begin() + static_cast<std::ptrdiff_t>(i * kLeastColumns), columns, job.out + i * job.stride);
}

ScaleJob job_of(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride) {
  ScaleJob job = {
      .rows = rows, .out = out, .stride = stride, .kind = scaling.kind, .shift = nullptr, .factor = nullptr};
  if (scaling.per_query()) return job;
  job.shift = scaling.shift.data();
  job.factor = scaling.factor.data();
  return job;
}

void run_job(const ScaleJob& job, SimdLevel level) {
  if (job.rows.rows == 0 || job.rows.columns == 0) return;
  if (job.rows.columns < kLeastColumns)
    scale_narrow(job, level);
  else
    kernel_for(level, job.kind, job.rows.columns)(job);
}

}  // namespace

std::size_t num_scale_numbers(const Scaling& scaling, std::size_t columns) {
  return scaling.kind == ScalingKind::log_query_zscore && columns >= kLeastColumns ? 4 * columns : 0;
}

void scale_rows(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride, SimdLevel level) {
  run_job(job_of(scaling, rows, out, stride), level);
}

void scale_rows_noting(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride, float* numbers,
                       SimdLevel level) {
  ScaleJob job = job_of(scaling, rows, out, stride);
  job.noted = numbers;
  run_job(job, level);
}

void scale_rows_again(const Scaling& scaling, const DenseRows& rows, float* out, std::size_t stride,
                      const float* numbers, SimdLevel level) {
  ScaleJob job = job_of(scaling, rows, out, stride);
  job.known = numbers;
  run_job(job, level);
}

}  // namespace dorm
