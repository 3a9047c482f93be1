// SPDX-License-Identifier: Apache-2.0
#include "data/scale/column_statistics.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/vector/log_lanes.h"
#include "data/scale/column_lanes.h"
#include "data/scale/scale_rows.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"

namespace dorm {
namespace {

/// Some rows of some columns; the statistics are those of `count` documents before.
struct StatisticsJob {
  DenseRows rows;
  bool logarithm;
  std::size_t count;
  double *low, *high, *mean, *squares;
};

template <std::size_t N>
[[gnu::always_inline]] inline void load_columns(const float* from, std::size_t columns, bool logarithm,
                                                typename LanesOf<N>::Doubles& out) {
  typename LanesOf<N>::Floats narrow;
  load_some(from, columns, narrow);
  out = __builtin_convertvector(narrow, typename LanesOf<N>::Doubles);
  if (logarithm) signed_log1p_doubles<N>(out);
}

/// Without the squares: what goes along with every visit of the rows.
template <std::size_t N>
[[gnu::always_inline]] inline void add_ranges_to(const StatisticsJob& job) {
  typename LanesOf<N>::Doubles low, high, mean, value;
  const auto rows = static_cast<double>(job.rows.rows), share = 1 / (static_cast<double>(job.count) + rows);
  for (std::size_t j = 0; j < job.rows.columns; j += N) {
    load_vector(job.low + j, low);
    load_vector(job.high + j, high);
    load_vector(job.mean + j, mean);
    typename LanesOf<N>::Doubles sum = {};
    for (std::size_t i = 0; i < job.rows.rows; ++i) {
      load_columns<N>(job.rows.data + i * job.rows.stride + j, job.rows.columns - j, job.logarithm, value);
      sum += value;
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    mean += (sum - mean * rows) * share;
    store_vector(low, job.low + j);
    store_vector(high, job.high + j);
    store_vector(mean, job.mean + j);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void add_rows_to(const StatisticsJob& job) {
  typename LanesOf<N>::Doubles low, high, mean, squares, value;
  for (std::size_t j = 0; j < job.rows.columns; j += N) {
    load_vector(job.low + j, low);
    load_vector(job.high + j, high);
    load_vector(job.mean + j, mean);
    load_vector(job.squares + j, squares);
    for (std::size_t i = 0; i < job.rows.rows; ++i) {
      load_columns<N>(job.rows.data + i * job.rows.stride + j, job.rows.columns - j, job.logarithm, value);
      const double share = 1 / static_cast<double>(job.count + i + 1);
      const auto difference = value - mean;
      mean += difference * share;
      squares += difference * (value - mean);
      low = value < low ? value : low;
      high = value > high ? value : high;
    }
    store_vector(low, job.low + j);
    store_vector(high, job.high + j);
    store_vector(mean, job.mean + j);
    store_vector(squares, job.squares + j);
  }
}

using StatisticsKernel = void (*)(const StatisticsJob&);

StatisticsKernel statistics_kernel(SimdLevel level, bool spread) {
  if (!spread)
    return level == SimdLevel::avx512 ? compiled_for<add_ranges_to<8>>(level)
           : level == SimdLevel::avx2 ? compiled_for<add_ranges_to<4>>(level)
                                      : compiled_for<add_ranges_to<2>>(level);
  return level == SimdLevel::avx512 ? compiled_for<add_rows_to<8>>(level)
         : level == SimdLevel::avx2 ? compiled_for<add_rows_to<4>>(level)
                                    : compiled_for<add_rows_to<2>>(level);
}

}  // namespace

void StoredColumn::add(double x) {
  low = count == 0 ? x : std::min(low, x);
  high = count == 0 ? x : std::max(high, x);
  const double difference = x - mean;
  mean += difference / static_cast<double>(++count);
  squares += difference * (x - mean);
}

void StoredColumn::complete(std::size_t documents) {
  if (count == documents) return;
  const auto stored = static_cast<double>(count), all = static_cast<double>(documents);
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  squares += mean * mean * stored * (all - stored) / all;
  mean *= stored / all;
  count = documents;
}

ColumnStatistics::ColumnStatistics(std::size_t columns, bool logarithm, bool spread)
    : columns_(columns), logarithm_(logarithm), spread_(spread) {
  constexpr std::size_t kWidest = 8;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t padded = (columns + kWidest - 1) / kWidest * kWidest;
  low_.assign(padded, kInfinity);
  high_.assign(padded, -kInfinity);
  mean_.assign(padded, 0.0);
  squares_.assign(padded, 0.0);
}

ColumnStatistics::ColumnStatistics(std::span<const StoredColumn> columns, std::size_t documents, bool logarithm)
    : ColumnStatistics(columns.size(), logarithm) {
  count_ = documents;
  for (std::size_t j = 0; j < columns_ && documents > 0; ++j) {
    low_[j] = columns[j].low;
    high_[j] = columns[j].high;
    mean_[j] = columns[j].mean;
    squares_[j] = columns[j].squares;
  }
}

ColumnStatistics column_statistics(const Dataset& data, std::size_t first, std::size_t end, bool logarithm) {
  if (data.dense()) {
    ColumnStatistics statistics(data.num_features(), logarithm);
    for (std::size_t q = first; q < end; ++q) statistics.add(dense_rows(data.query(q)));
    return statistics;
  }
  std::vector<StoredColumn> columns(data.num_features());
  for (std::size_t q = first; q < end; ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const SparseRow row = query.rows.sparse_row(i);
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const auto x = static_cast<double>(row.values[k]);
        columns[row.columns[k]].add(logarithm ? signed_logarithm(x) : x);
      }
    }
  }
  const std::size_t documents = data.first_document(end) - data.first_document(first);
  for (StoredColumn& column : columns) column.complete(documents);
  return ColumnStatistics(columns, documents, logarithm);
}

void ColumnStatistics::add(const DenseRows& rows) {
  if (rows.rows == 0) return;
  const StatisticsJob job = {rows, logarithm_, count_, low_.data(), high_.data(), mean_.data(), squares_.data()};
  statistics_kernel(simd_level(), spread_)(job);
  count_ += rows.rows;
}

void ColumnStatistics::add(const ColumnStatistics& others) {
  if (others.count_ == 0) return;
  const auto mine = static_cast<double>(count_), theirs = static_cast<double>(others.count_), all = mine + theirs;
  for (std::size_t j = 0; j < columns_; ++j) {
    const double difference = others.mean_[j] - mean_[j];
    mean_[j] += difference * (theirs / all);
    squares_[j] += others.squares_[j] + difference * difference * (mine * theirs / all);
    low_[j] = std::min(low_[j], others.low_[j]);
    high_[j] = std::max(high_[j], others.high_[j]);
  }
  count_ += others.count_;
}

std::vector<double> ColumnStatistics::numbers() const {
  std::vector<double> numbers = {static_cast<double>(count_)};
  for (const std::vector<double>* part : {&low_, &high_, &mean_, &squares_})
    numbers.insert(numbers.end(), part->begin(), part->begin() + static_cast<std::ptrdiff_t>(columns_));
  return numbers;
}

void ColumnStatistics::add(std::span<const double> numbers) {
  if (numbers.size() != 1 + 4 * columns_)
    throw Error(ErrorCode::bad_input, fmt::format("{} numbers of column statistics; expected {}, of {} columns",
                                                  numbers.size(), 1 + 4 * columns_, columns_));
  ColumnStatistics others(columns_, logarithm_);
  others.count_ = static_cast<std::size_t>(numbers[0]);
  std::span<const double> rest = numbers.subspan(1);
  for (std::vector<double>* part : {&others.low_, &others.high_, &others.mean_, &others.squares_}) {
    std::copy_n(rest.begin(), columns_, part->begin());
    rest = rest.subspan(columns_);
  }
  add(others);
}

void ColumnStatistics::scale(bool range, std::vector<double>& shift, std::vector<double>& factor) const {
  shift.resize(columns_);
  factor.resize(columns_);
  for (std::size_t j = 0; j < columns_; ++j) {
    shift[j] = range ? low_[j] : mean_[j];
    factor[j] = factor_of({low_[j], high_[j], squares_[j], std::max<std::size_t>(1, count_)}, range);
  }
}

// Rounding may have left the mean of a constant beside it.
FeatureStatistics ColumnStatistics::summary() const {
  FeatureStatistics summary;
  for (std::size_t j = 0; j < columns_ && count_ > 0; ++j) {
    summary.minimum.push_back(low_[j]);
    summary.maximum.push_back(high_[j]);
    summary.mean.push_back(std::clamp(mean_[j], low_[j], high_[j]));
  }
  return summary;
}

void FeatureStatistics::add(std::size_t documents, const FeatureStatistics& others, std::size_t other_documents) {
  if (other_documents == 0) return;
  if (documents == 0) {
    *this = others;
    return;
  }
  if (minimum.size() != others.minimum.size()) {
    *this = {};
    return;
  }
  const double share = static_cast<double>(other_documents) / static_cast<double>(documents + other_documents);
  for (std::size_t j = 0; j < minimum.size(); ++j) {
    minimum[j] = std::min(minimum[j], others.minimum[j]);
    maximum[j] = std::max(maximum[j], others.maximum[j]);
    mean[j] = std::clamp(mean[j] + share * (others.mean[j] - mean[j]), minimum[j], maximum[j]);
  }
}

}  // namespace dorm
