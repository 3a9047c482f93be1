// SPDX-License-Identifier: Apache-2.0
// What stands between the products of cuBLAS and the values of a kernel: entry by entry, and sums in a fixed order.
// Entry (i, j) of a matrix of left-hand documents i and right-hand documents j is at i * columns + j.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel_device.h"

namespace dorm::cuda {

inline constexpr unsigned kEntries = 256;  // threads of a block
inline constexpr unsigned kWarp = 32;

/// One part of one term, where it stands among the others.
struct PartWork {
  KernelPart::Form form;
  double gamma, coef0, weight;
  std::uint32_t degree;
  bool first, last;  // of its term
  bool first_term;
  std::uint32_t codes;  // of a document
  std::uint32_t columns;
  const double* product;
  const double *left_norm, *right_norm;           // decay
  const std::uint32_t *left_codes, *right_codes;  // equal: from this code on
  double *term, *sum;                             // may be `product`, where nothing else needs it
};

inline __device__ double part_value(const PartWork& work, std::size_t entry, std::size_t i, std::size_t j) {
  switch (work.form) {
    case KernelPart::Form::equal:
      return work.left_codes[i * work.codes] == work.right_codes[j * work.codes] ? 1.0 : 0.0;
    case KernelPart::Form::decay: {
      const double square = (work.left_norm[i] + work.right_norm[j]) - 2 * work.product[entry];
      return exp(-work.gamma * fmax(0.0, square));
    }
    case KernelPart::Form::power: {
      const double base = work.gamma * work.product[entry] + work.coef0;
      double value = base;
      for (std::uint32_t d = 1; d < work.degree; ++d) value *= base;
      return value;
    }
    default:
      return work.product[entry];
  }
}

static __global__ void add_part(PartWork work) {
  const std::size_t i = blockIdx.y, j = std::size_t{blockIdx.x} * kEntries + threadIdx.x;
  if (j >= work.columns) return;
  const std::size_t entry = i * work.columns + j;
  const double value = (work.first ? work.weight : work.term[entry]) * part_value(work, entry, i, j);
  if (!work.last)
    work.term[entry] = value;
  else
    work.sum[entry] = work.first_term ? value : work.sum[entry] + value;
}

/// out[i] = |row i|^2 over so many columns; a warp for each row, whose lanes add in order, then they by halves.
static __global__ void squared_norms(const double* rows, std::uint32_t count, std::uint32_t stride,
                                     std::uint32_t columns, double* out) {
  const std::size_t i = (std::size_t{blockIdx.x} * kEntries + threadIdx.x) / kWarp;
  if (i >= count) return;
  double sum = 0;
  for (std::uint32_t k = threadIdx.x % kWarp; k < columns; k += kWarp)
    sum += rows[i * stride + k] * rows[i * stride + k];
  for (unsigned half = kWarp / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
  if (threadIdx.x % kWarp == 0) out[i] = sum;
}

template <class From, class To>
__global__ void convert(const From* from, std::size_t count, To* to) {
  const std::size_t step = std::size_t{gridDim.x} * kEntries;
  for (std::size_t k = std::size_t{blockIdx.x} * kEntries + threadIdx.x; k < count; k += step)
    to[k] = static_cast<To>(from[k]);
}

static __global__ void make_waves(const double* angle, std::uint32_t columns, double factor, float* out) {
  const std::size_t i = blockIdx.y, j = std::size_t{blockIdx.x} * kEntries + threadIdx.x;
  if (j >= columns) return;
  double sine = 0, cosine = 0;
  sincos(angle[i * columns + j], &sine, &cosine);
  out[(i * columns + j) * 2] = static_cast<float>(factor * cosine);
  out[(i * columns + j) * 2 + 1] = static_cast<float>(factor * sine);
}

/// out[i] = sum over the values of document i, a block for each: every thread adds in order, then they by halves. With
/// waves the values are those of angles.
static __global__ void sum_values(const double* values, std::uint32_t columns, bool waves, double factor,
                                  const double* coefficients, double* out) {
  __shared__ double sums[kEntries];
  const std::size_t i = blockIdx.x;
  double sum = 0;
  for (std::size_t j = threadIdx.x; j < columns; j += kEntries) {
    const double value = values[i * columns + j];
    if (waves) {
      double sine = 0, cosine = 0;
      sincos(value, &sine, &cosine);
      sum += factor * (coefficients[2 * j] * cosine + coefficients[2 * j + 1] * sine);
    } else {
      sum += coefficients[j] * value;
    }
  }
  sums[threadIdx.x] = sum;
  for (unsigned half = kEntries / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) out[i] = sums[0];
}

}  // namespace dorm::cuda
