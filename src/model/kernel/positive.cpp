// SPDX-License-Identifier: Apache-2.0
// Checks of kernels that are not positive semidefinite by construction.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rng.h"
#include "base/vector/linear_algebra.h"
#include "dorm/error.h"
#include "dorm/learning/kernel.h"

namespace dorm {
namespace {

constexpr std::size_t kTested = 300;
constexpr double kNegligible = 1e-5;  // relative to the largest entry or eigenvalue: float32 and its sums

std::vector<std::uint32_t> sample_of(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0u);
  Rng(seed).shuffle(std::span(all));
  if (all.size() > kTested) all.resize(kTested);
  std::sort(all.begin(), all.end());
  return all;
}

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::bad_input, "kernel " + why); }

// Row by row.
std::vector<double> sample_gram(const Kernel& kernel, const Documents& documents,
                                std::span<const std::uint32_t> sample) {
  const auto columns = kernel.against(documents);
  std::vector<float> row(columns->size());
  std::vector<double> gram;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    columns->compute(documents, sample.subspan(i, 1), 0, row.size(), row.data(), row.size());
    for (const std::uint32_t j : sample) gram.push_back(static_cast<double>(row[j]));
  }
  return gram;
}

}  // namespace

void check_positive(const Kernel& kernel, const Documents& documents, std::uint64_t seed) {
  const std::vector<std::uint32_t> sample = sample_of(documents.size(), seed);
  const std::size_t size = sample.size();
  const std::vector<double> gram = sample_gram(kernel, documents, sample);
  const std::string name = kernel.spec();
  double largest = 0, asymmetry = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < size; ++j) {
      const double x = gram[i * size + j];
      if (!std::isfinite(x)) refuse(fmt::format("\"{}\" has values that are not finite", name));
      largest = std::max(largest, std::abs(x));
      asymmetry = std::max(asymmetry, std::abs(x - gram[j * size + i]));
    }
  if (asymmetry > kNegligible * largest)
    refuse(fmt::format("\"{}\" is not symmetric: k(x, y) and k(y, x) differ by up to {:.3g}", name, asymmetry));
  const std::vector<double> values = symmetric_eigen(gram, size).values;
  if (values.front() < -kNegligible * std::max(values.back(), 0.0) || values.back() <= 0)
    refuse(
        fmt::format("\"{}\" is not positive semidefinite: on a sample of {} documents its Gram matrix has "
                    "eigenvalues from {:.3g} to {:.3g}; expected none below 0",
                    name, size, values.front(), values.back()));
}

void check_precomputed(const Dataset& data) {
  const std::size_t size = data.num_documents();
  if (data.num_features() != size)
    refuse(
        fmt::format("\"precomputed\": {} documents with {} features; expected a square Gram matrix, one "
                    "column per document in input order",
                    size, data.num_features()));
  const Documents documents(data);
  std::vector<float> gram(size * size);
  for (std::size_t i = 0; i < size; ++i) documents.load(i, std::span(gram).subspan(data.source_row(i) * size, size));
  float largest = 0;
  for (const float x : gram) largest = std::max(largest, std::fabs(x));
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (!(std::fabs(gram[i * size + j] - gram[j * size + i]) <= static_cast<float>(kNegligible) * largest))
        refuse(
            fmt::format("\"precomputed\": the Gram matrix is not symmetric: row {}, column {} is {}, row {}, "
                        "column {} is {}",
                        i + 1, j + 1, gram[i * size + j], j + 1, i + 1, gram[j * size + i]));
}

}  // namespace dorm
