// SPDX-License-Identifier: Apache-2.0
#include "recommend/implicit/als_kernels.h"

#include <algorithm>
#include <cmath>

#include "base/vector/lanes.h"
#include "base/vector/lanes_of.h"

namespace dorm {
namespace {

constexpr std::size_t kAhead = 6;  // events, from the other caches
constexpr std::size_t kPart = 16;  // of a substitution

[[gnu::always_inline]] inline void fetch_event(const AlsEvents& events, std::size_t k, std::size_t stride) {
  if (k >= events.count) return;
  const float* const row = events.fixed + events.index[k] * stride;
  for (std::size_t j = 0; j < events.factors; j += 16) __builtin_prefetch(row + j);
}

// R rows and two vectors of columns of c += sum over k of a_k b_k^T (or -=), all of them in registers.
template <std::size_t N, std::size_t R, bool minus>
[[gnu::always_inline]] inline void add_tile(const float* a, const float* b, std::size_t count, std::size_t stride,
                                            float* c) {
  typename LanesOf<N>::Floats first[R], second[R], left, right;
  for (std::size_t r = 0; r < R; ++r) {
    load_vector(c + r * stride, first[r]);
    load_vector(c + r * stride + N, second[r]);
  }
  for (std::size_t k = 0; k < count; ++k, a += stride, b += stride) {
    load_vector(b, left);
    load_vector(b + N, right);
    for (std::size_t r = 0; r < R; ++r) {
      const float factor = minus ? -a[r] : a[r];
      first[r] += factor * left;
      second[r] += factor * right;
    }
  }
  for (std::size_t r = 0; r < R; ++r) {
    store_vector(first[r], c + r * stride);
    store_vector(second[r], c + r * stride + N);
  }
}

template <std::size_t N, std::size_t R>
[[gnu::always_inline]] inline void add_products_body(const AlsEvents& events, float* gathered, float* matrix) {
  const std::size_t n = events.factors, stride = als_stride(n);
  typename LanesOf<N>::Floats row;
  for (std::size_t begin = 0; begin < events.count; begin += kAlsGathered) {
    const std::size_t count = std::min(kAlsGathered, events.count - begin);
    for (std::size_t k = 0; k < count; ++k) {
      fetch_event(events, begin + k + kAhead, stride);
      const float* const from = events.fixed + events.index[begin + k] * stride;
      const float scale = static_cast<float>(std::sqrt(events.alpha * static_cast<double>(events.weight[begin + k])));
      for (std::size_t j = 0; j < stride; j += N) {
        load_vector(from + j, row);
        store_vector(scale * row, gathered + k * stride + j);
      }
    }
    for (std::size_t i = 0; i < n; i += R)
      for (std::size_t j = i / (2 * N) * (2 * N); j < n; j += 2 * N)
        add_tile<N, R, false>(gathered + i, gathered + j, count, stride, matrix + i * stride + j);
  }
}

// R rows at a time: all rows above are subtracted, then those of the R that come before.
template <std::size_t N, std::size_t R>
[[gnu::always_inline]] inline bool decompose_body(float* matrix, std::size_t n, float* inverse) {
  const std::size_t stride = als_stride(n);
  typename LanesOf<N>::Floats row, above;
  for (std::size_t top = 0; top < n; top += R) {
    for (std::size_t j = top / (2 * N) * (2 * N); j < n; j += 2 * N)
      add_tile<N, R, true>(matrix + top, matrix + j, top, stride, matrix + top * stride + j);
    const std::size_t end = std::min(top + R, n);
    for (std::size_t i = top; i < end; ++i) {
      float* const pivot = matrix + i * stride;
      if (!(pivot[i] > 0)) return false;
      inverse[i] = 1 / std::sqrt(pivot[i]);
      for (std::size_t j = i / N * N; j < n; j += N) {
        load_vector(pivot + j, row);
        store_vector(inverse[i] * row, pivot + j);
      }
      for (std::size_t below = i + 1; below < end; ++below)
        for (std::size_t j = below / N * N; j < n; j += N) {
          load_vector(pivot + j, above);
          load_vector(matrix + below * stride + j, row);
          store_vector(row - pivot[below] * above, matrix + below * stride + j);
        }
    }
  }
  return true;
}

// U^T y = x from the first element on, then U x = y from the last, `kPart` elements at a time.
template <std::size_t N>
[[gnu::always_inline]] inline void solve_body(const float* matrix, const float* inverse, std::size_t n, float* half,
                                              float* x) {
  const std::size_t stride = als_stride(n);
  typename LanesOf<N>::Floats row, left;
  for (std::size_t k = 0; k < n; ++k) {
    half[k] = x[k] * inverse[k];
    for (std::size_t j = k / N * N; j < n; j += N) {
      load_vector(matrix + k * stride + j, row);
      load_vector(x + j, left);
      store_vector(left - half[k] * row, x + j);
    }
  }
  typename LanesOf<kPart>::Floats sum, other, solved;
  float parts[kPart], todo[kPart];
  for (std::size_t begin = (n - 1) / kPart * kPart + kPart; begin > 0;) {
    begin -= kPart;
    const std::size_t end = std::min(begin + kPart, n);
    for (std::size_t k = begin; k < end; ++k) {
      sum = typename LanesOf<kPart>::Floats{};
      for (std::size_t j = begin + kPart; j < n; j += kPart) {
        load_vector(matrix + k * stride + j, other);
        load_vector(x + j, solved);
        sum += other * solved;
      }
      store_vector(sum, parts);
      for (std::size_t width = kPart / 2; width > 0; width /= 2)
        for (std::size_t i = 0; i < width; ++i) parts[i] += parts[i + width];
      todo[k - begin] = half[k] - parts[0];
    }
    for (std::size_t k = end; k-- > begin;) {
      x[k] = todo[k - begin] * inverse[k];
      for (std::size_t i = begin; i < k; ++i) todo[i - begin] -= matrix[i * stride + k] * x[k];
    }
  }
}

[[gnu::always_inline]] inline void load_doubles_of(const float* from, Lanes& to) {
  LanesOf<kLanes>::Floats narrow;
  load_vector(from, narrow);
  to = __builtin_convertvector(narrow, Lanes);
}

[[gnu::always_inline]] inline void add_scaled_row(double scale, const float* row, std::size_t n, double* out) {
  Lanes value, sum;
  for (std::size_t j = 0; j < n; j += kLanes) {
    load_doubles_of(row + j, value);
    load_lanes(out + j, sum);
    store_lanes(sum + scale * value, out + j);
  }
}

[[gnu::always_inline]] inline void subtract_products_body(const AlsEvents& events, const double* x, double* out) {
  const std::size_t stride = als_stride(events.factors);
  Lanes value, other, sum;
  for (std::size_t k = 0; k < events.count; ++k) {
    fetch_event(events, k + kAhead, stride);
    const float* const row = events.fixed + events.index[k] * stride;
    sum = Lanes{};
    for (std::size_t j = 0; j < events.factors; j += kLanes) {
      load_doubles_of(row + j, value);
      load_lanes(x + j, other);
      sum += value * other;
    }
    const double product = ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
    add_scaled_row(-events.alpha * static_cast<double>(events.weight[k]) * product, row, events.factors, out);
  }
}

[[gnu::always_inline]] inline void add_targets_body(const AlsEvents& events, double* out) {
  const std::size_t stride = als_stride(events.factors);
  for (std::size_t k = 0; k < events.count; ++k) {
    fetch_event(events, k + kAhead, stride);
    add_scaled_row(1 + events.alpha * static_cast<double>(events.weight[k]), events.fixed + events.index[k] * stride,
                   events.factors, out);
  }
}

template <std::size_t N, std::size_t R>
AlsKernels kernels_of(SimdLevel level) {
  return {compiled_for<add_products_body<N, R>>(level), compiled_for<decompose_body<N, R>>(level),
          compiled_for<solve_body<N>>(level), compiled_for<subtract_products_body>(level),
          compiled_for<add_targets_body>(level)};
}

}  // namespace

const AlsKernels& als_kernels(SimdLevel level) {
  static const AlsKernels portable = kernels_of<4, 4>(SimdLevel::portable);
  static const AlsKernels avx2 = kernels_of<8, 4>(SimdLevel::avx2);
  static const AlsKernels avx512 = kernels_of<16, 8>(SimdLevel::avx512);
  return level == SimdLevel::avx512 ? avx512 : level == SimdLevel::avx2 ? avx2 : portable;
}

}  // namespace dorm
