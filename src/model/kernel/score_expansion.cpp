// SPDX-License-Identifier: Apache-2.0
// Scores of an expansion: batches of documents against all of its support, many at a time.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/vector/vector_ops.h"
#include "dorm/learning/kernel.h"
#include "model/kernel/fourier.h"

namespace dorm {
namespace {

constexpr std::size_t kBatch = 64;     // documents
constexpr std::size_t kColumns = 512;  // support documents: a batch of values stays in the cache

// g = sum_j coefficients[j] k(x, support j), the support in pieces of fixed size, added in their order.
void score_batch(const KernelColumns& columns, std::span<const double> coefficients, const Documents& documents,
                 std::span<const std::uint32_t> batch, std::vector<float>& values, double* out) {
  values.resize(kBatch * kColumns);
  std::fill_n(out, batch.size(), 0.0);
  for (std::size_t first = 0; first < columns.size(); first += kColumns) {
    const std::size_t last = std::min(columns.size(), first + kColumns);
    columns.compute(documents, batch, first, last, values.data(), kColumns);
    for (std::size_t i = 0; i < batch.size(); ++i)
      out[i] += dot(std::span<const float>(values.data() + i * kColumns, last - first),
                    coefficients.subspan(first, last - first));
  }
}

std::vector<double> scores_on_device(const KernelExpansion& expansion, const Documents& documents,
                                     const Documents& support, const ComputeOptions& place, const Kernel* kernel) {
  if (expansion.fourier) return FourierMap(support).on_device(place, expansion.coefficients)->scores(documents);
  return DeviceKernel(*kernel, support, place, {.coefficients = expansion.coefficients}).scores(documents);
}

}  // namespace

std::vector<double> score_expansion(const KernelExpansion& expansion, const Dataset& data, std::size_t threads,
                                    const Kernel* kernel) {
  return score_expansion(expansion, data, ComputeOptions{.threads = threads}, kernel);
}

std::vector<double> score_expansion(const KernelExpansion& expansion, const Dataset& data, const ComputeOptions& place,
                                    const Kernel* kernel) {
  const Documents documents(data), support(expansion.support);
  const std::size_t threads = place.threads;
  std::unique_ptr<const Kernel> made;
  if (kernel == nullptr && !expansion.fourier) made = make_kernel(expansion.kernel, support);
  if (kernel == nullptr) kernel = made.get();
  if (place.on_device()) return scores_on_device(expansion, documents, support, place, kernel);
  std::vector<double> scores(documents.size());
  const std::size_t batches = (documents.size() + kBatch - 1) / kBatch;
  const auto batch_of = [&](std::size_t batch) {
    std::vector<std::uint32_t> rows(std::min(kBatch, documents.size() - batch * kBatch));
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(batch * kBatch));
    return rows;
  };
  if (expansion.fourier) {
    const FourierMap map(support);
    parallel_for(batches, threads, [&](std::size_t batch, std::size_t) {
      const std::vector<std::uint32_t> rows = batch_of(batch);
      std::vector<float> features(rows.size() * map.size());
      map.compute(documents, rows, features.data(), map.size());
      for (std::size_t i = 0; i < rows.size(); ++i)
        scores[batch * kBatch + i] =
            dot(std::span<const float>(features.data() + i * map.size(), map.size()), expansion.coefficients);
    });
    return scores;
  }
  const auto columns = kernel->against(support);
  std::vector<std::vector<float>> values(thread_count(threads));
  parallel_for(batches, threads, [&](std::size_t batch, std::size_t worker) {
    score_batch(*columns, expansion.coefficients, documents, batch_of(batch), values[worker],
                scores.data() + batch * kBatch);
  });
  return scores;
}

}  // namespace dorm
