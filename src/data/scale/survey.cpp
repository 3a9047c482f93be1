// SPDX-License-Identifier: Apache-2.0
#include "data/scale/survey.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "base/vector/ordered_sum.h"
#include "data/scale/scale_rows.h"
#include "data/storage.h"

namespace dorm {
namespace {

// Compressed data may have a great many columns, of which each piece would keep statistics.
std::size_t compressed_pieces(std::size_t columns) {
  constexpr std::size_t kMostColumns = std::size_t{1} << 20;
  return std::clamp<std::size_t>(kMostColumns / std::max<std::size_t>(1, columns), 1, Survey::kPieces);
}

// Scaled compressed rows are sums of two: as they are seen, one by one.
void add_whole_rows(const Query& query, ColumnStatistics& statistics) {
  std::vector<float> row(query.rows.num_features());
  for (std::size_t i = 0; i < query.size(); ++i) {
    query.rows.load(i, row);
    statistics.add({row.data(), 1, row.size(), row.size()});
  }
}

/// Of the values that are there, of data that keeps its gaps.
void known_values(const Dataset& data, std::size_t feature, FeatureStatistics& statistics) {
  double low = 0, high = 0, sum = 0;
  std::size_t count = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) {
      const double value = query.rows.at(i, feature);
      if (std::isnan(value)) continue;
      low = count == 0 ? value : std::min(low, value);
      high = count == 0 ? value : std::max(high, value);
      sum += value;
      ++count;
    }
  }
  statistics.minimum[feature] = low;
  statistics.maximum[feature] = high;
  statistics.mean[feature] = count == 0 ? 0 : std::clamp(sum / static_cast<double>(count), low, high);
}

}  // namespace

Survey::Survey(const Dataset& data)
    : data_(data),
      fingerprint_(data),
      pieces_(data.dense() ? kPieces : compressed_pieces(data.num_features()),
              ColumnStatistics(data.dense() ? data.num_features() : 0, false, false)) {}

void Survey::add(std::size_t query, std::size_t piece) {
  fingerprint_.add(query);
  pieces_[piece].add(dense_rows(data_.query(query)));
}

void Survey::add_all(std::size_t threads) {
  if (!data_.dense()) return add_compressed(threads);
  parallel_for(kPieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t end = piece_begin(data_.num_queries(), kPieces, piece + 1);
    for (std::size_t q = piece_begin(data_.num_queries(), kPieces, piece); q < end; ++q) add(q, piece);
  });
}

void Survey::add_hashes(std::size_t first, std::size_t last, const std::uint64_t* hashes) {
  for (std::size_t q = first; q < last; ++q) {
    fingerprint_.add(q, hashes);
    hashes += data_.query(q).size();
  }
}

void Survey::add_statistics(std::size_t piece, std::span<const double> low, std::span<const double> high,
                            std::span<const double> mean) {
  const std::size_t queries = data_.num_queries();
  const std::size_t documents = data_.first_document(piece_begin(queries, kPieces, piece + 1)) -
                                data_.first_document(piece_begin(queries, kPieces, piece));
  if (documents == 0) return;
  std::vector<double> numbers = {static_cast<double>(documents)};
  for (const std::span<const double> part : {low, high, mean}) numbers.insert(numbers.end(), part.begin(), part.end());
  numbers.resize(numbers.size() + low.size());  // no squares
  pieces_[piece].add(numbers);
}

void Survey::add_compressed(std::size_t threads) {
  fingerprint_.add_all(threads);
  const bool scaled = !data_.storage().background_end.empty();
  parallel_for(pieces_.size(), threads, [&](std::size_t piece, std::size_t) {
    const std::size_t first = piece_begin(data_.num_queries(), pieces_.size(), piece);
    const std::size_t end = piece_begin(data_.num_queries(), pieces_.size(), piece + 1);
    if (!scaled) {
      pieces_[piece] = column_statistics(data_, first, end, false);
      return;
    }
    pieces_[piece] = ColumnStatistics(data_.num_features(), false, false);
    for (std::size_t q = first; q < end; ++q) add_whole_rows(data_.query(q), pieces_[piece]);
  });
}

FeatureStatistics Survey::statistics() const {
  ColumnStatistics all(data_.num_features(), false, false);
  for (const ColumnStatistics& piece : pieces_) all.add(piece);
  FeatureStatistics statistics = all.summary();
  for (std::size_t j = 0; j < statistics.mean.size(); ++j)
    if (std::isnan(statistics.mean[j])) known_values(data_, j, statistics);
  return statistics;
}

}  // namespace dorm
