// SPDX-License-Identifier: Apache-2.0
// Scores of consecutive rows, by one block of threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dorm::cuda {

constexpr int kThreads = 128;
constexpr int kLanes = 8;  // threads that share a row in a score
constexpr int kRowsAtOnce = kThreads / kLanes;
constexpr int kWarps = kThreads / 32;

__device__ inline double sum_of_lanes(double x) {
  for (int step = kLanes / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
  return x;
}

__device__ inline double product(const float4& x, const double* w, double sum) {
  sum = fma(static_cast<double>(x.x), w[0], sum);
  sum = fma(static_cast<double>(x.y), w[1], sum);
  sum = fma(static_cast<double>(x.z), w[2], sum);
  return fma(static_cast<double>(x.w), w[3], sum);
}

/// The scores of a list: kLanes threads to a row, two rows at once. kChunks: how often kLanes threads go over a row; 0:
/// known at run time only.
template <int kChunks>
__device__ void score_rows(const float4* rows, std::uint32_t columns, int size, const double* w, double* out) {
  const int lane = threadIdx.x % kLanes, first = threadIdx.x / kLanes;
  for (int base = 0; base < size; base += 2 * kRowsAtOnce) {  // the same for all threads of a warp: they exchange sums
    const int i = base + first, j = i + kRowsAtOnce;
    const float4* const x = rows + static_cast<std::size_t>(min(i, size - 1)) * columns;
    const float4* const y = rows + static_cast<std::size_t>(min(j, size - 1)) * columns;
    double sum_x = 0, sum_y = 0;
    if constexpr (kChunks > 0) {
      float4 of_x[kChunks], of_y[kChunks];
#pragma unroll
      for (int k = 0; k < kChunks; ++k) {
        const std::uint32_t column = lane + k * kLanes;
        of_x[k] = of_y[k] = make_float4(0, 0, 0, 0);
        if (column < columns) {
          of_x[k] = x[column];
          of_y[k] = y[column];
        }
      }
#pragma unroll
      for (int k = 0; k < kChunks; ++k) {
        const double* const weights = w + 4 * min(lane + k * kLanes, static_cast<int>(columns) - 1);
        sum_x = product(of_x[k], weights, sum_x);
        sum_y = product(of_y[k], weights, sum_y);
      }
    } else {
      for (std::uint32_t column = lane; column < columns; column += kLanes) {
        sum_x = product(x[column], w + 4 * column, sum_x);
        sum_y = product(y[column], w + 4 * column, sum_y);
      }
    }
    sum_x = sum_of_lanes(sum_x);
    sum_y = sum_of_lanes(sum_y);
    if (lane == 0 && i < size) out[i] = sum_x;
    if (lane == 0 && j < size) out[j] = sum_y;
  }
}

/// body.template operator()<kChunks>(), for rows of so many columns of four.
template <class Body>
void with_chunks(std::uint32_t columns, const Body& body) {
  switch ((columns + kLanes - 1) / kLanes) {
    case 1:
      return body.template operator()<1>();
    case 2:
      return body.template operator()<2>();
    case 3:
      return body.template operator()<3>();
    case 4:
      return body.template operator()<4>();
    case 5:
      return body.template operator()<5>();
    case 6:
      return body.template operator()<6>();
    default:
      return body.template operator()<0>();
  }
}

}  // namespace dorm::cuda
