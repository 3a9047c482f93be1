// SPDX-License-Identifier: Apache-2.0
// The kernels that scale rows, measure their spread and score them. A block of threads takes a query, each thread whole
// columns of it, so that sums are made in the order of the documents.
#pragma once

#include <cfloat>
#include <cstdint>

#include "device/cuda/row_carrier.cuh"
#include "device/cuda/score_rows.cuh"
#include "device/row_device.h"

namespace dorm::cuda {

/// Consecutive queries whose rows lie one after the other.
struct QueryRows {
  float* rows;
  std::uint32_t stride, features;
  const std::uint64_t* query_begin;  // of the first of them
};

/// One column of a query.
struct Column {
  float* first;
  std::uint32_t stride;
  int size;

  __device__ float& operator[](int i) const { return first[static_cast<std::size_t>(i) * stride]; }
};

__device__ inline Column column_of(const QueryRows& queries, std::uint32_t query, std::uint32_t j) {
  const std::uint64_t first = queries.query_begin[query] - queries.query_begin[0];
  const auto size = static_cast<int>(queries.query_begin[query + 1] - queries.query_begin[query]);
  return {queries.rows + first * queries.stride + j, queries.stride, size};
}

struct Range {
  float low = FLT_MAX, high = -FLT_MAX;
};

__device__ inline Range range_of(const Column& x) {
  Range range;
#pragma unroll 8
  for (int i = 0; i < x.size; ++i) {
    range.low = fminf(range.low, x[i]);
    range.high = fmaxf(range.high, x[i]);
  }
  return range;
}

__device__ inline float narrowed(double x) {
  constexpr double kLargest = FLT_MAX;
  return static_cast<float>(fmax(-kLargest, fmin(kLargest, x)));
}

__device__ inline void scale_affine(const Column& x, bool logarithm, double shift, double factor) {
#pragma unroll 8
  for (int i = 0; i < x.size; ++i) {
    auto value = static_cast<double>(x[i]);
    if (logarithm) value = copysign(log1p(fabs(value)), value);
    x[i] = narrowed((value - shift) * factor);
  }
}

__device__ inline void scale_to_range(const Column& x) {
  const Range range = range_of(x);
  const double low = range.low, width = static_cast<double>(range.high) - low;
  scale_affine(x, false, low, width > 0 ? 1 / width : 0.0);
}

/// As data/scale/scale_rows.cpp does it, and why: logarithms relative to the value that is nearest to 0, divided by the
/// largest of them; then mean 0 and variance 1.
__device__ inline void scale_log_standard(const Column& x) {
  const Range range = range_of(x);
  const float nearest = range.low > 0 ? range.low : (range.high < 0 ? range.high : 0.0F);
  const float unit = 1.0F / (1.0F + fabsf(nearest));
  const float largest = fmaxf(log1pf((range.high - nearest) * unit), log1pf((nearest - range.low) * unit));
  const float inverse = largest > 0 ? fminf(1.0F / largest, FLT_MAX) : 0.0F;
  double sum = 0, squares = 0;
#pragma unroll 8
  for (int i = 0; i < x.size; ++i) {
    const float apart = x[i] - nearest;
    const float value = copysignf(log1pf(fabsf(apart) * unit) * inverse, apart);
    x[i] = value;
    sum += value;
  }
  const auto mean = static_cast<float>(sum / x.size);
#pragma unroll 8
  for (int i = 0; i < x.size; ++i) {
    const double apart = x[i] - mean;
    squares = fma(apart, apart, squares);
  }
  const auto factor = static_cast<float>(squares > 0 ? 1 / sqrt(squares / x.size) : 0.0);
#pragma unroll 8
  for (int i = 0; i < x.size; ++i) x[i] = (x[i] - mean) * factor;
}

static __global__ void scale_queries(const QueryRows queries, RowScaling::Kind kind, const double* shift,
                                     const double* factor) {
  for (std::uint32_t j = threadIdx.x; j < queries.features; j += blockDim.x) {
    const Column x = column_of(queries, blockIdx.x, j);
    if (kind == RowScaling::Kind::log_standard)
      scale_log_standard(x);
    else if (kind == RowScaling::Kind::range)
      scale_to_range(x);
    else
      scale_affine(x, kind == RowScaling::Kind::log_affine, shift[j], factor[j]);
  }
}

/// Hashes of rows and sums and ranges of columns, of queries from `first` on. A warp takes a row, a thread a column.
static __global__ void survey_queries(const QueryRows queries, std::uint64_t first, const SurveyView survey) {
  constexpr unsigned kWarp = 32;
  const std::uint64_t query = first + blockIdx.x;
  for (std::uint32_t j = threadIdx.x; j < queries.features; j += blockDim.x) {
    const Column x = column_of(queries, blockIdx.x, j);
    Range range;
    double sum = 0;
#pragma unroll 8
    for (int i = 0; i < x.size; ++i) {
      sum += x[i];
      range.low = fminf(range.low, x[i]);
      range.high = fmaxf(range.high, x[i]);
    }
    const std::uint64_t at = query * queries.features + j;
    survey.sum[at] = sum;
    survey.low[at] = range.low;
    survey.high[at] = range.high;
  }
  const std::uint64_t begin = queries.query_begin[blockIdx.x], end = queries.query_begin[blockIdx.x + 1];
  const unsigned lane = threadIdx.x % kWarp;
  for (std::uint64_t i = begin + threadIdx.x / kWarp; i < end; i += blockDim.x / kWarp) {
    const float* const row = queries.rows + (i - queries.query_begin[0]) * queries.stride;
    std::uint64_t hash = 0;
    for (std::uint32_t j = lane; j < queries.features; j += kWarp) {
      const std::uint64_t bits = __float_as_uint(row[j]);
      if (bits & 0x7fffffffU) hash += (bits + survey.added[j]) * (bits ^ survey.crossed[j]);
    }
    for (unsigned step = kWarp / 2; step > 0; step /= 2) hash += __shfl_xor_sync(0xffffffffU, hash, step);
    if (lane == 0) survey.hash[i] = hash;
  }
}

/// Statistics of the queries of a part, by feature: low, high, mean. No product and sum are fused, as on the host.
static __global__ void add_surveys(const SurveyView survey, const std::uint64_t* query_begin,
                                   const std::uint64_t* part_begin, std::uint32_t features, double* out) {
  const std::uint32_t j = blockIdx.y * blockDim.x + threadIdx.x;
  if (j >= features) return;
  const std::uint64_t first = part_begin[blockIdx.x], last = part_begin[blockIdx.x + 1];
  Range range;
  double mean = 0;
  for (std::uint64_t q = first; q < last; ++q) {
    const std::uint64_t at = q * features + j, size = query_begin[q + 1] - query_begin[q];
    if (size == 0) continue;
    range.low = fminf(range.low, survey.low[at]);
    range.high = fmaxf(range.high, survey.high[at]);
    const double share = 1 / static_cast<double>(query_begin[q + 1] - query_begin[first]);
    const double rest = __dadd_rn(survey.sum[at], -__dmul_rn(mean, static_cast<double>(size)));
    mean = __dadd_rn(mean, __dmul_rn(rest, share));
  }
  double* const found = out + std::uint64_t{blockIdx.x} * 3 * features + j;
  found[0] = range.low;
  found[features] = range.high;
  found[2 * features] = mean;
}

/// By query: the sum of |x - mean|^2. kThreads threads.
static __global__ void add_centred_squares(const QueryRows queries, double* out) {
  __shared__ double of_thread[kThreads];
  double mine = 0;
  for (std::uint32_t j = threadIdx.x; j < queries.features; j += kThreads) {
    const Column x = column_of(queries, blockIdx.x, j);
    double sum = 0;
#pragma unroll 8
    for (int i = 0; i < x.size; ++i) sum += x[i];
    const double mean = x.size > 0 ? sum / x.size : 0;
#pragma unroll 8
    for (int i = 0; i < x.size; ++i) {
      const double apart = x[i] - mean;
      mine = fma(apart, apart, mine);
    }
  }
  of_thread[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x > 0) return;
  double sum = 0;
  for (int k = 0; k < kThreads; ++k) sum += of_thread[k];
  out[blockIdx.x] = sum;
}

/// Scores of documents, kScoredAtOnce by each block. 4 columns weights in shared memory.
constexpr std::uint32_t kScoredAtOnce = 1024;
template <int kChunks>
__global__ void __launch_bounds__(kThreads)
    score_documents(const float* rows, std::uint32_t columns, std::uint64_t count, const double* w, double* out) {
  extern __shared__ double shared[];
  for (std::uint32_t j = threadIdx.x; j < 4 * columns; j += kThreads) shared[j] = w[j];
  __syncthreads();
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kScoredAtOnce;
  const int size = static_cast<int>(min(static_cast<std::uint64_t>(kScoredAtOnce), count - first));
  score_rows<kChunks>(reinterpret_cast<const float4*>(rows) + first * columns, columns, size, shared, out + first);
}

}  // namespace dorm::cuda
