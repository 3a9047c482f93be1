// SPDX-License-Identifier: Apache-2.0
#include "data/row_hash.h"

#include <bit>

#include "base/vector/lanes_of.h"

namespace dorm {
namespace {

// A word for each number: the bits of consecutive ones have nothing in common.
std::uint64_t random_word(std::uint64_t number) {
  number = (number + 1) * 0x9E3779B97F4A7C15u;
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9u;
  number = (number ^ number >> 27) * 0x94D049BB133111EBu;
  return number ^ number >> 31;
}
std::uint64_t added_word(std::uint32_t number) { return random_word(2 * std::uint64_t{number}); }
std::uint64_t crossed_word(std::uint32_t number) { return random_word(2 * std::uint64_t{number} + 1); }

constexpr std::uint64_t kMagnitude = 0x7fffffffu;  // the bits of a float but for its sign: 0 for both zeros

[[gnu::always_inline]] inline std::uint64_t term(std::uint64_t bits, std::uint64_t added, std::uint64_t crossed) {
  return (bits & kMagnitude) == 0 ? 0 : (bits + added) * (bits ^ crossed);
}

template <std::size_t N>
[[gnu::always_inline]] inline std::uint64_t hash_row(const float* row, std::size_t columns, const std::uint64_t* added,
                                                     const std::uint64_t* crossed) {
  using Words = typename LanesOf<N>::LongWords;
  typename LanesOf<N>::Words narrow;
  Words a, b, sum = {};
  const Words nothing = {};
  std::size_t j = 0;
  for (; j + N <= columns; j += N) {
    load_vector(row + j, narrow);
    load_vector(added + j, a);
    load_vector(crossed + j, b);
    const Words bits = __builtin_convertvector(narrow, Words);
    const Words product = (bits + a) * (bits ^ b);
    sum += (bits & kMagnitude) == nothing ? nothing : product;
  }
  std::uint64_t total = 0;
  for (std::size_t lane = 0; lane < N; ++lane) total += sum[lane];
  for (; j < columns; ++j) total += term(std::bit_cast<std::uint32_t>(row[j]), added[j], crossed[j]);
  return total;
}

auto row_kernel(SimdLevel level) {
  return level == SimdLevel::avx512 ? compiled_for<hash_row<8>>(level)
         : level == SimdLevel::avx2 ? compiled_for<hash_row<4>>(level)
                                    : compiled_for<hash_row<2>>(level);
}

}  // namespace

RowHash::RowHash(const Dataset& data) : data_(data) {
  for (std::size_t j = 0; data.dense() && j < data.num_features(); ++j) {
    added_.push_back(added_word(data.feature_number(j)));
    crossed_.push_back(crossed_word(data.feature_number(j)));
  }
}

std::uint64_t RowHash::of(const FeatureRows& rows, std::size_t i, SimdLevel level) const {
  if (rows.dense()) return row_kernel(level)(rows.dense_row(i), added_.size(), added_.data(), crossed_.data());
  std::uint64_t sum = 0;
  const auto add = [&](std::size_t column, float value) {
    const std::uint32_t number = data_.feature_number(column);
    sum += term(std::bit_cast<std::uint32_t>(value), added_word(number), crossed_word(number));
  };
  const SparseRow row = rows.sparse_row(i);
  if (rows.background().columns.empty()) {
    for (std::size_t k = 0; k < row.columns.size(); ++k) add(row.columns[k], row.values[k]);
    return sum;
  }
  std::vector<float> whole(rows.num_features());
  rows.load(i, whole);
  for (std::size_t j = 0; j < whole.size(); ++j) add(j, whole[j]);
  return sum;
}

}  // namespace dorm
