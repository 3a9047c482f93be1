// SPDX-License-Identifier: Apache-2.0
// Data and truths the tests of kernels share.
#pragma once

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/learning/kernel.h"
#include "support/random_data.h"

namespace dorm::test {

/// A wrong spelling and what must be said about it.
struct Misspelt {
  const char *text, *expected;
};

inline std::vector<float> row_of(const Documents& documents, std::size_t i) {
  std::vector<float> row(documents.num_features());
  documents.load(i, row);
  return row;
}

/// The whole matrix, row by row.
inline std::vector<float> gram_of(const Kernel& kernel, const Documents& left, const Documents& right) {
  std::vector<std::uint32_t> all(left.size());
  std::iota(all.begin(), all.end(), 0u);
  std::vector<float> values(left.size() * right.size());
  kernel.against(right)->compute(left, all, 0, right.size(), values.data(), right.size());
  return values;
}

/// Two features on a ring around the origin whose radius falls with the label: no line ranks them.
inline Dataset rings(std::uint64_t seed, std::size_t queries = 40, std::size_t documents = 20) {
  Rng rng(seed);
  DatasetBuilder builder;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0; i < documents; ++i) {
      const std::size_t label = rng.below(3);
      const double radius = 3.0 - static_cast<double>(label) + 0.6 * (rng.uniform() - 0.5);
      const double angle = 6.283185307179586 * rng.uniform();
      const float row[] = {static_cast<float>(radius * std::cos(angle)), static_cast<float>(radius * std::sin(angle))};
      builder.add({static_cast<float>(label), std::to_string(q)}, row);
    }
  return builder.finish();
}

}  // namespace dorm::test
