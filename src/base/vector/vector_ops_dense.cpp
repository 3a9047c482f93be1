// SPDX-License-Identifier: Apache-2.0
// The dense kernels, written once and compiled for each instruction set, over vectors of its own width.
//
// Sixteen lanes, two sets of eight, then the tail one by one; compiled without fused operations (see CMakeLists.txt),
// so that every level gives the same bits.
#include <algorithm>
#include <cstring>

#include "base/vector/lanes.h"
#include "base/vector/lanes_of.h"
#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

// The eight lanes in vectors of `width` doubles. Wider ones than the processor has are kept in memory by the compiler.
template <std::size_t width>
struct LaneSet {
  using Doubles = typename LanesOf<width>::Doubles;
  using Floats = typename LanesOf<width>::Floats;
  static constexpr std::size_t kVectors = kLanes / width;
  Doubles vector[kVectors];
};

template <std::size_t width>
[[gnu::always_inline]] inline void load(const double* from, LaneSet<width>& to) {
  for (std::size_t k = 0; k < LaneSet<width>::kVectors; ++k)
    std::memcpy(&to.vector[k], from + k * width, sizeof to.vector[k]);
}

template <std::size_t width>
[[gnu::always_inline]] inline void load(const float* from, LaneSet<width>& to) {
  using Set = LaneSet<width>;
  for (std::size_t k = 0; k < Set::kVectors; ++k) {
#if defined(__x86_64__) && !defined(__clang__)
    if constexpr (width == kLanes) {  // gcc 12 makes four instructions of the conversion
      asm("vcvtps2pd %1, %0" : "=v"(to.vector[k]) : "m"(*reinterpret_cast<const float(*)[width]>(from + k * width)));
      continue;
    }
#endif
    typename Set::Floats narrow;
    std::memcpy(&narrow, from + k * width, sizeof narrow);
    to.vector[k] = __builtin_convertvector(narrow, typename Set::Doubles);
  }
}

template <std::size_t width>
[[gnu::always_inline]] inline void store(const LaneSet<width>& from, double* to) {
  for (std::size_t k = 0; k < LaneSet<width>::kVectors; ++k)
    std::memcpy(to + k * width, &from.vector[k], sizeof from.vector[k]);
}

template <std::size_t width>
[[gnu::always_inline]] inline void add_products(const LaneSet<width>& x, const LaneSet<width>& y, LaneSet<width>& sum) {
  for (std::size_t k = 0; k < LaneSet<width>::kVectors; ++k) {
    const auto product = x.vector[k] * y.vector[k];
    sum.vector[k] += product;
  }
}

template <std::size_t width>
[[gnu::always_inline]] inline double total(const LaneSet<width>& lanes) {
  double v[kLanes];
  store(lanes, v);
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/// Values as they are.
template <class X>
struct Plain {
  const X* x;

  template <std::size_t width>
  [[gnu::always_inline]] void load_at(std::size_t i, LaneSet<width>& to) const {
    load(x + i, to);
  }
  [[gnu::always_inline]] double at(std::size_t i) const { return static_cast<double>(x[i]); }
};

/// Values less a shift each.
struct Shifted {
  const float* x;
  const double* shift;

  template <std::size_t width>
  [[gnu::always_inline]] void load_at(std::size_t i, LaneSet<width>& to) const {
    LaneSet<width> less;
    load(x + i, to);
    load(shift + i, less);
    for (std::size_t k = 0; k < LaneSet<width>::kVectors; ++k) to.vector[k] -= less.vector[k];
  }
  [[gnu::always_inline]] double at(std::size_t i) const { return static_cast<double>(x[i]) - shift[i]; }
};

template <std::size_t width, class Values, class Y>
[[gnu::always_inline]] inline double sum_of_products(const Values& x, const Y* y, std::size_t n) {
  LaneSet<width> even{}, odd{}, a, b;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    x.load_at(i, a);
    load(y + i, b);
    add_products(a, b, even);
    x.load_at(i + kLanes, a);
    load(y + i + kLanes, b);
    add_products(a, b, odd);
  }
  if (i + kLanes <= n) {
    x.load_at(i, a);
    load(y + i, b);
    add_products(a, b, even);
    i += kLanes;
  }
  for (std::size_t k = 0; k < LaneSet<width>::kVectors; ++k) even.vector[k] += odd.vector[k];
  double sum = total(even);
  for (; i < n; ++i) {
    const double product = x.at(i) * static_cast<double>(y[i]);
    sum += product;
  }
  return sum;
}

template <std::size_t width, class X, class Y>
[[gnu::always_inline]] inline double dot_body(const X* x, const Y* y, std::size_t n) {
  return sum_of_products<width>(Plain<X>{x}, y, n);
}

// `rows` rows added in turn, with one load and store of y.
template <std::size_t width, std::size_t rows, class X>
[[gnu::always_inline]] inline void axpy_body(const double* scale, const X* const* x, double* y, std::size_t n) {
  LaneSet<width> a, b;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load(y + i, b);
    for (std::size_t r = 0; r < rows; ++r) {
      load(x[r] + i, a);
      for (std::size_t k = 0; k < LaneSet<width>::kVectors; ++k) {
        const auto product = scale[r] * a.vector[k];
        b.vector[k] += product;
      }
    }
    store(b, y + i);
  }
  for (; i < n; ++i) {
    for (std::size_t r = 0; r < rows; ++r) {
      const double product = scale[r] * static_cast<double>(x[r][i]);
      y[i] += product;
    }
  }
}

template <std::size_t width, class X>
[[gnu::always_inline]] inline void axpy_one(double scale, const X* x, double* y, std::size_t n) {
  axpy_body<width, 1>(&scale, &x, y, n);
}

template <std::size_t width>
[[gnu::always_inline]] inline void axpy_four(const double scale[4], const float* const x[4], double* y, std::size_t n) {
  axpy_body<width, 4>(scale, x, y, n);
}

// Asks for the floats [begin, end) of x followed by what comes after it, to be brought into the second-level cache.
[[gnu::always_inline]] inline void fetch_ahead(const DenseRows& x, std::size_t begin, std::size_t end) {
  constexpr std::size_t kLine = 64 / sizeof(float);  // floats
  const std::size_t own = x.rows * x.stride;
  for (std::size_t k = begin; k < std::min(end, own); k += kLine) __builtin_prefetch(x.data + k, 0, 2);
  const std::size_t last = std::min(std::max(end, own) - own, x.upcoming.size());
  for (std::size_t k = std::max(begin, own) - own; k < last; k += kLine)
    __builtin_prefetch(x.upcoming.data() + k, 0, 2);
}

// One row after the other, as they lie in memory. Each asks for as much as it reads, from a little further on: of this
// query, then of the next. (The processor drops what is asked for in larger bursts.)
template <class Score>
[[gnu::always_inline]] inline void score_rows(const DenseRows& x, double* scores, const Score& score) {
  constexpr std::size_t kAhead = 4096;  // floats
  const std::size_t distance = x.resident ? x.rows * x.stride : kAhead;
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (!x.upcoming.empty()) fetch_ahead(x, i * x.stride + distance, (i + 1) * x.stride + distance);
    scores[i] = score(x.data + i * x.stride);
  }
}

template <std::size_t width>
struct PlainScore {
  const double* w;
  std::size_t columns;
  [[gnu::always_inline]] double operator()(const float* row) const { return dot_body<width>(row, w, columns); }
};

template <std::size_t width>
struct ShiftedScore {
  const double *shift, *w;
  std::size_t columns;
  [[gnu::always_inline]] double operator()(const float* row) const {
    return sum_of_products<width>(Shifted{row, shift}, w, columns);
  }
};

template <std::size_t width>
[[gnu::always_inline]] inline void multiply_body(const DenseRows& x, const double* w, double* scores) {
  score_rows(x, scores, PlainScore<width>{w, x.columns});
}

template <std::size_t width>
[[gnu::always_inline]] inline void multiply_shifted_body(const DenseRows& x, const double* shift, const double* w,
                                                         double* scores) {
  score_rows(x, scores, ShiftedScore<width>{shift, w, x.columns});
}

template <std::size_t width>
constexpr DenseKernels kernels_for(SimdLevel level) {
  return {compiled_for<dot_body<width, float, float>>(level),
          compiled_for<dot_body<width, float, double>>(level),
          compiled_for<dot_body<width, double, double>>(level),
          compiled_for<axpy_one<width, float>>(level),
          compiled_for<axpy_one<width, double>>(level),
          compiled_for<axpy_four<width>>(level),
          compiled_for<multiply_body<width>>(level),
          compiled_for<multiply_shifted_body<width>>(level)};
}

constexpr DenseKernels kKernels[] = {kernels_for<2>(SimdLevel::portable), kernels_for<4>(SimdLevel::avx2),
                                     kernels_for<8>(SimdLevel::avx512)};

}  // namespace

const DenseKernels& dense_kernels(SimdLevel level) { return kKernels[static_cast<std::size_t>(level)]; }

}  // namespace dorm
