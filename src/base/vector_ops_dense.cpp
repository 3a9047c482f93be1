// SPDX-License-Identifier: Apache-2.0
// The dense kernels, written once over vectors of eight doubles and compiled for each instruction set.
//
// Two accumulators of eight lanes, then the tail one by one; compiled without fused operations (see CMakeLists.txt), so
// that every level gives the same bits.
#include <cstring>

#include "base/vector_ops.h"

namespace dorm {
namespace {

using Doubles = double __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(32)));
constexpr std::size_t kLanes = 8;

[[gnu::always_inline]] inline void load(const double* from, Doubles& to) { std::memcpy(&to, from, sizeof to); }

[[gnu::always_inline]] inline void load(const float* from, Doubles& to) {
  Floats narrow;
  std::memcpy(&narrow, from, sizeof narrow);
  to = __builtin_convertvector(narrow, Doubles);
}

[[gnu::always_inline]] inline double total(const Doubles& v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

template <class X, class Y>
[[gnu::always_inline]] inline double dot_body(const X* x, const Y* y, std::size_t n) {
  Doubles even{}, odd{}, a, b;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    load(x + i, a);
    load(y + i, b);
    const Doubles first = a * b;
    even += first;
    load(x + i + kLanes, a);
    load(y + i + kLanes, b);
    const Doubles second = a * b;
    odd += second;
  }
  if (i + kLanes <= n) {
    load(x + i, a);
    load(y + i, b);
    const Doubles first = a * b;
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
  Doubles a, b;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load(x + i, a);
    load(y + i, b);
    const Doubles product = scale * a;
    b += product;
    std::memcpy(y + i, &b, sizeof b);
  }
  for (; i < n; ++i) {
    const double product = scale * static_cast<double>(x[i]);
    y[i] += product;
  }
}

// Four rows against one y: each row is summed exactly as by dot_body.
[[gnu::always_inline]] inline void dot4_body(const float* const x[4], const double* y, std::size_t n, double out[4]) {
  Doubles even[4] = {}, odd[4] = {}, a, b;
  std::size_t i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    load(y + i, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i, a);
      const Doubles product = a * b;
      even[r] += product;
    }
    load(y + i + kLanes, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i + kLanes, a);
      const Doubles product = a * b;
      odd[r] += product;
    }
  }
  if (i + kLanes <= n) {
    load(y + i, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i, a);
      const Doubles product = a * b;
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
  Doubles a, b;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    load(y + i, b);
    for (int r = 0; r < 4; ++r) {
      load(x[r] + i, a);
      const Doubles product = scale[r] * a;
      b += product;
    }
    std::memcpy(y + i, &b, sizeof b);
  }
  for (; i < n; ++i) {
    for (int r = 0; r < 4; ++r) {
      const double product = scale[r] * static_cast<double>(x[r][i]);
      y[i] += product;
    }
  }
}

struct Portable {
  static double dot_ff(const float* x, const float* y, std::size_t n) { return dot_body(x, y, n); }
  static double dot_fd(const float* x, const double* y, std::size_t n) { return dot_body(x, y, n); }
  static double dot_dd(const double* x, const double* y, std::size_t n) { return dot_body(x, y, n); }
  static void axpy_f(double s, const float* x, double* y, std::size_t n) { axpy_body(s, x, y, n); }
  static void axpy_d(double s, const double* x, double* y, std::size_t n) { axpy_body(s, x, y, n); }
  static void dot4(const float* const x[4], const double* y, std::size_t n, double out[4]) { dot4_body(x, y, n, out); }
  static void axpy4(const double s[4], const float* const x[4], double* y, std::size_t n) { axpy4_body(s, x, y, n); }
};

#if defined(__x86_64__)
struct Avx2 {
  [[gnu::target("avx2")]] static double dot_ff(const float* x, const float* y, std::size_t n) {
    return dot_body(x, y, n);
  }
  [[gnu::target("avx2")]] static double dot_fd(const float* x, const double* y, std::size_t n) {
    return dot_body(x, y, n);
  }
  [[gnu::target("avx2")]] static double dot_dd(const double* x, const double* y, std::size_t n) {
    return dot_body(x, y, n);
  }
  [[gnu::target("avx2")]] static void axpy_f(double s, const float* x, double* y, std::size_t n) {
    axpy_body(s, x, y, n);
  }
  [[gnu::target("avx2")]] static void axpy_d(double s, const double* x, double* y, std::size_t n) {
    axpy_body(s, x, y, n);
  }
  [[gnu::target("avx2")]] static void dot4(const float* const x[4], const double* y, std::size_t n, double out[4]) {
    dot4_body(x, y, n, out);
  }
  [[gnu::target("avx2")]] static void axpy4(const double s[4], const float* const x[4], double* y, std::size_t n) {
    axpy4_body(s, x, y, n);
  }
};

struct Avx512 {
  [[gnu::target("avx512f")]] static double dot_ff(const float* x, const float* y, std::size_t n) {
    return dot_body(x, y, n);
  }
  [[gnu::target("avx512f")]] static double dot_fd(const float* x, const double* y, std::size_t n) {
    return dot_body(x, y, n);
  }
  [[gnu::target("avx512f")]] static double dot_dd(const double* x, const double* y, std::size_t n) {
    return dot_body(x, y, n);
  }
  [[gnu::target("avx512f")]] static void axpy_f(double s, const float* x, double* y, std::size_t n) {
    axpy_body(s, x, y, n);
  }
  [[gnu::target("avx512f")]] static void axpy_d(double s, const double* x, double* y, std::size_t n) {
    axpy_body(s, x, y, n);
  }
  [[gnu::target("avx512f")]] static void dot4(const float* const x[4], const double* y, std::size_t n, double out[4]) {
    dot4_body(x, y, n, out);
  }
  [[gnu::target("avx512f")]] static void axpy4(const double s[4], const float* const x[4], double* y, std::size_t n) {
    axpy4_body(s, x, y, n);
  }
};
#endif

template <class Level>
constexpr DenseKernels kKernels{Level::dot_ff, Level::dot_fd, Level::dot_dd, Level::axpy_f,
                                Level::axpy_d, Level::dot4,   Level::axpy4};

}  // namespace

const DenseKernels& dense_kernels(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return kKernels<Avx512>;
  if (level == SimdLevel::avx2) return kKernels<Avx2>;
#endif
  (void)level;
  return kKernels<Portable>;
}

}  // namespace dorm
