// SPDX-License-Identifier: Apache-2.0
#include "model/features/centred_products.h"

#include <algorithm>
#include <numeric>

#include "base/vector/lanes_of.h"
#include "data/scale/scale_rows.h"

namespace dorm {
namespace {

constexpr std::size_t kCentredRows = 64;  // centred rows that stay in the cache while their products are summed

// The columns that do not fill a vector are taken one by one, by the same arithmetic.
template <std::size_t N>
[[gnu::always_inline]] inline std::size_t whole_vectors(std::size_t columns) {
  return columns / N * N;
}

template <std::size_t N>
[[gnu::always_inline]] inline void load_doubles(const float* from, typename LanesOf<N>::Doubles& to) {
  typename LanesOf<N>::Floats narrow;
  load_vector(from, narrow);
  to = __builtin_convertvector(narrow, typename LanesOf<N>::Doubles);
}

template <std::size_t N>
[[gnu::always_inline]] inline void column_means(const DenseRows& x, double* out) {
  const auto documents = static_cast<double>(x.rows);
  typename LanesOf<N>::Doubles sum, value;
  for (std::size_t j = 0; j < whole_vectors<N>(x.columns); j += N) {
    sum = typename LanesOf<N>::Doubles{};
    for (std::size_t i = 0; i < x.rows; ++i) {
      load_doubles<N>(x.data + i * x.stride + j, value);
      sum += value;
    }
    store_vector(sum / documents, out + j);
  }
  for (std::size_t j = whole_vectors<N>(x.columns); j < x.columns; ++j) {
    double total = 0;
    for (std::size_t i = 0; i < x.rows; ++i) total += static_cast<double>(x.data[i * x.stride + j]);
    out[j] = total / documents;
  }
}

// By column, in place of the means.
template <std::size_t N>
[[gnu::always_inline]] inline void square_sums(const DenseRows& x, double* sums) {
  prefetch_rows(x);
  column_means<N>(x, sums);
  typename LanesOf<N>::Doubles mean, sum, value;
  for (std::size_t j = 0; j < whole_vectors<N>(x.columns); j += N) {
    load_vector(sums + j, mean);
    sum = typename LanesOf<N>::Doubles{};
    for (std::size_t i = 0; i < x.rows; ++i) {
      load_doubles<N>(x.data + i * x.stride + j, value);
      value -= mean;
      sum += value * value;
    }
    store_vector(sum, sums + j);
  }
  for (std::size_t j = whole_vectors<N>(x.columns); j < x.columns; ++j) {
    double total = 0;
    for (std::size_t i = 0; i < x.rows; ++i) {
      const double difference = static_cast<double>(x.data[i * x.stride + j]) - sums[j];
      total += difference * difference;
    }
    sums[j] = total;
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void centre_row(const float* row, const double* mean, std::size_t columns, double* out) {
  typename LanesOf<N>::Doubles value, shift;
  std::size_t j = 0;
  for (; j < whole_vectors<N>(columns); j += N) {
    load_doubles<N>(row + j, value);
    load_vector(mean + j, shift);
    store_vector(value - shift, out + j);
  }
  for (; j < columns; ++j) out[j] = static_cast<double>(row[j]) - mean[j];
}

// Products of four columns with two vectors of columns at a time: eight sums in registers.
template <std::size_t N>
[[gnu::always_inline]] inline void add_products(const double* rows, std::size_t count, std::size_t width, double* sum) {
  constexpr std::size_t kFew = 4, kWide = 2 * N;
  typename LanesOf<N>::Doubles a, b;
  for (std::size_t k = 0; k < width; k += kFew)
    for (std::size_t j = k / kWide * kWide; j < width; j += kWide) {
      typename LanesOf<N>::Doubles first[kFew] = {}, second[kFew] = {};
      for (std::size_t i = 0; i < count; ++i) {
        const double* const row = rows + i * width;
        load_vector(row + j, a);
        load_vector(row + j + N, b);
        for (std::size_t r = 0; r < kFew; ++r) {
          first[r] += row[k + r] * a;
          second[r] += row[k + r] * b;
        }
      }
      for (std::size_t r = 0; r < kFew; ++r) {
        double* const out = sum + (k + r) * width + j;
        load_vector(out, a);
        load_vector(out + N, b);
        store_vector(a + first[r], out);
        store_vector(b + second[r], out + N);
      }
    }
}

struct ProductJob {
  DenseRows x;
  const double* targets;
  double mean_target;
  double *means, *rows, *sum;
  std::size_t width;
};

template <std::size_t N>
[[gnu::always_inline]] inline void sum_products(const ProductJob& job) {
  const DenseRows& x = job.x;
  prefetch_rows(x);
  column_means<N>(x, job.means);
  for (std::size_t begin = 0; begin < x.rows; begin += kCentredRows) {
    const std::size_t count = std::min(kCentredRows, x.rows - begin);
    for (std::size_t i = 0; i < count; ++i) {
      double* const row = job.rows + i * job.width;
      centre_row<N>(x.data + (begin + i) * x.stride, job.means, x.columns, row);
      row[x.columns] = job.targets[begin + i] - job.mean_target;
    }
    add_products<N>(job.rows, count, job.width, job.sum);
  }
}

}  // namespace

double centred_squares(const DenseRows& rows, CentringWorkspace& workspace, SimdLevel level) {
  if (rows.rows == 0) return 0;
  workspace.sums.resize(rows.columns);
  (level == SimdLevel::avx512 ? compiled_for<square_sums<8>>(level)
   : level == SimdLevel::avx2 ? compiled_for<square_sums<4>>(level)
                              : compiled_for<square_sums<2>>(level))(rows, workspace.sums.data());
  return std::accumulate(workspace.sums.begin(), workspace.sums.end(), 0.0);
}

void add_centred_products(const DenseRows& rows, std::span<const double> targets, CentringWorkspace& workspace,
                          std::span<double> sum, SimdLevel level) {
  if (rows.rows == 0) return;
  const std::size_t width = product_width(rows.columns);
  workspace.sums.resize(rows.columns);
  workspace.rows.assign(kCentredRows * width, 0.0);
  const double mean = std::accumulate(targets.begin(), targets.end(), 0.0) / static_cast<double>(targets.size());
  const ProductJob job = {rows, targets.data(), mean, workspace.sums.data(), workspace.rows.data(), sum.data(), width};
  (level == SimdLevel::avx512 ? compiled_for<sum_products<8>>(level)
   : level == SimdLevel::avx2 ? compiled_for<sum_products<4>>(level)
                              : compiled_for<sum_products<2>>(level))(job);
}

}  // namespace dorm
