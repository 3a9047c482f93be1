// SPDX-License-Identifier: Apache-2.0
// The dense kernels, written once over vectors of eight doubles and compiled for each instruction set.
//
// Two accumulators of eight lanes, then the tail one by one; compiled without fused operations (see CMakeLists.txt), so
// that every level gives the same bits.
#include <cstring>

#include "base/lanes.h"
#include "base/vector_ops.h"

namespace dorm {
namespace {

[[gnu::always_inline]] inline void load(const double* from, Lanes& to) { load_lanes(from, to); }

[[gnu::always_inline]] inline void load(const float* from, Lanes& to) {
  float narrow __attribute__((vector_size(kLanes * sizeof(float))));
  std::memcpy(&narrow, from, sizeof narrow);
  to = __builtin_convertvector(narrow, Lanes);
}

[[gnu::always_inline]] inline double total(const Lanes& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

template <class X, class Y>
[[gnu::always_inline]] inline double dot_body(const X* x, const Y* y, std::size_t n) {
  Lanes even{}, odd{}, a, b;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    load(x + i, a);
    load(y + i, b);
    const Lanes first = a * b;
    even += first;
    load(x + i + kLanes, a);
    load(y + i + kLanes, b);
    const Lanes second = a * b;
    odd += second;
  }
  if (i + kLanes <= n) {
    load(x + i, a);
    load(y + i, b);
    const Lanes first = a * b;
    even += first;
    i += kLanes;
  }
  even += odd;
  double sum = total(even);
  for (; i < n; ++i) {
    const double product = static_cast<double>(x[i]) * static_cast<double>(y[i]);
    sum += product;
  }
  return sum;
}

template <class X>
[[gnu::always_inline]] inline void axpy_body(double scale, const X* x, double* y, std::size_t n) {
  Lanes a, b;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load(x + i, a);
    load(y + i, b);
    const Lanes product = scale * a;
    b += product;
    store_lanes(b, y + i);
  }
  for (; i < n; ++i) {
    const double product = scale * static_cast<double>(x[i]);
    y[i] += product;
  }
}

// Four rows against one y: each row is summed exactly as by dot_body.
[[gnu::always_inline]] inline void dot4_body(const float* const x[4], const double* y, std::size_t n, double out[4]) {
  Lanes even[4] = {}, odd[4] = {}, a, b;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    load(y + i, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i, a);
      const Lanes product = a * b;
      even[r] += product;
    }
    load(y + i + kLanes, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i + kLanes, a);
      const Lanes product = a * b;
      odd[r] += product;
    }
  }
  if (i + kLanes <= n) {
    load(y + i, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i, a);
      const Lanes product = a * b;
      even[r] += product;
    }
    i += kLanes;
  }
  for (int r = 0; r < 4; ++r) {
    even[r] += odd[r];
    out[r] = total(even[r]);
    for (std::size_t k = i; k < n; ++k) {
      const double product = static_cast<double>(x[r][k]) * y[k];
      out[r] += product;
    }
  }
}

// Four rows added in turn: the same sums as four calls of axpy_body, with one load and store of y.
[[gnu::always_inline]] inline void axpy4_body(const double scale[4], const float* const x[4], double* y,
                                              std::size_t n) {
  Lanes a, b;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load(y + i, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i, a);
      const Lanes product = scale[r] * a;
      b += product;
    }
    store_lanes(b, y + i);
  }
  for (; i < n; ++i) {
    for (int r = 0; r < 4; ++r) {
      const double product = scale[r] * static_cast<double>(x[r][i]);
      y[i] += product;
    }
  }
}

constexpr DenseKernels kernels_for(SimdLevel level) {
  return {compiled_for<dot_body<float, float>>(level),
          compiled_for<dot_body<float, double>>(level),
          compiled_for<dot_body<double, double>>(level),
          compiled_for<axpy_body<float>>(level),
          compiled_for<axpy_body<double>>(level),
          compiled_for<dot4_body>(level),
          compiled_for<axpy4_body>(level)};
}

constexpr DenseKernels kKernels[] = {kernels_for(SimdLevel::portable), kernels_for(SimdLevel::avx2),
                                     kernels_for(SimdLevel::avx512)};

}  // namespace

const DenseKernels& dense_kernels(SimdLevel level) { return kKernels[static_cast<std::size_t>(level)]; }

}  // namespace dorm
