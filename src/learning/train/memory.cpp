// SPDX-License-Identifier: Apache-2.0
#include "learning/train/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "dorm/error.h"
#include "dorm/solver.h"
#include "learning/train/training_set.h"
#include "model/kernel/feature_map.h"

namespace dorm {
namespace {

// Per document: labels, gains, sorted order and reference coefficient of the prepared query, row number, scores.
constexpr std::uint64_t kPerDocument = 64;
// Per query: id, prepared query and block of planes, without their arrays.
constexpr std::uint64_t kPerQuery = 600;
// Planes with weight are never dropped; near the optimum most queries have up to this many.
constexpr std::uint64_t kLeastPlanes = 4;
constexpr std::uint64_t kScratch = 64;  // rows of a Gram matrix beside those that are kept

std::uint64_t rows_of_kernel(const MemoryInput& input) {
  return input.learnable > 0 ? input.learnable : input.documents;
}

// Dense rows are padded to whole blocks of 8 floats.
std::uint64_t dense_bytes(const MemoryInput& input) {
  return input.documents * ((input.features + 7) / 8 * 8) * sizeof(float);
}

std::uint64_t feature_bytes(const MemoryInput& input) {
  if (input.dense) return dense_bytes(input);
  return input.nonzeros * (sizeof(float) + sizeof(std::uint32_t)) + input.documents * sizeof(std::uint64_t);
}

// A plane of a query is at most as long as the columns its documents have.
std::uint64_t plane_bytes(const MemoryInput& input) {
  if (input.plane_length > 0) return sizeof(Plane) + input.plane_length * (sizeof(float) + sizeof(std::uint32_t));
  if (input.dense) return sizeof(Plane) + input.features * sizeof(float);
  const std::uint64_t columns = input.queries == 0 ? 0 : input.nonzeros / input.queries;
  return sizeof(Plane) + std::min(columns, input.features) * (sizeof(float) + sizeof(std::uint32_t));
}

// With their Gram matrix, of n^2 doubles.
std::uint64_t block_bytes(const MemoryInput& input, std::uint64_t planes) {
  return planes * plane_bytes(input) + planes * planes * sizeof(double);
}

// Dense rows of a linear ranker are scaled where they are visited, and some are kept, in validation data in
// 64 bits; else there is a copy. That of compressed data is compressed: a column that most documents have is stored
// for all of them.
void count_scaled(const MemoryInput& input, std::uint64_t read, std::uint64_t held, MemoryForecast& forecast) {
  const bool copied = !input.dense || input.kernel > 0;
  forecast.most_scaled = copied ? (input.copies * read + held) * (input.dense ? 1 : 2) : input.copies * read + 2 * held;
  if (copied) {
    forecast.scaled = forecast.least_scaled = forecast.most_scaled;
    return;
  }
  forecast.scaled =
      input.copies * std::min(read, default_kept_bytes(read)) + 2 * std::min(held, default_kept_bytes(held));
}

double gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

}  // namespace

MemoryInput memory_input(const Dataset& data, ScalingKind scaling) {
  MemoryInput input;
  input.queries = data.num_queries();
  input.documents = data.num_documents();
  input.features = data.num_features();
  input.nonzeros = data.num_nonzeros();
  input.dense = data.dense();
  input.mapped = data.mapped();
  input.scaled = scaling != ScalingKind::none;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    if (const Query query = data.query(q); learnable(query)) input.learnable += query.size();
  return input;
}

// Exact: the cache, the documents once more in tiles, and their planes, which are as long as the query. Approximate:
// the mapped features; a Cholesky factor is as large again while its pivots are chosen.
void add_kernel(MemoryInput& input, const KernelOptions& kernel, std::uint64_t validation) {
  if (!kernel.used()) return;
  const std::uint64_t tiles = dense_bytes(input);
  if (kernel.exact()) {
    const std::uint64_t rows = rows_of_kernel(input), row = rows * sizeof(float);
    input.kernel = tiles + std::min(kernel.cache_bytes, (rows + kScratch) * row) +
                   (validation > 0 ? std::min(kernel.validation_cache(), (validation + kScratch) * row) : 0);
    input.plane_length = input.queries == 0 ? 0 : input.documents / input.queries + 1;
    return;
  }
  const Approximation approximation = parse_approximation(kernel.approximation);
  const std::uint64_t mapped = (input.documents + validation) * approximation.size * sizeof(float);
  const bool twice = approximation.kind == Approximation::Kind::cholesky;
  input.kernel = tiles + mapped * (twice ? 2 : 1) + approximation.size * approximation.size * 3 * sizeof(double);
  input.plane_length = approximation.size;
}

std::uint64_t num_weights(const MemoryInput& input, const KernelOptions& kernel) {
  if (kernel.exact()) return 2 * rows_of_kernel(input);  // coefficients and scores
  return kernel.used() ? parse_approximation(kernel.approximation).size : std::max(input.features, input.plane_length);
}

MemoryForecast predict_memory(const MemoryInput& input) {
  MemoryForecast forecast;
  MemoryInput held_out = input;
  held_out.documents = input.validation;
  held_out.nonzeros = input.documents == 0 ? 0 : input.nonzeros / input.documents * input.validation;
  const std::uint64_t read = feature_bytes(input), held = input.validation > 0 ? feature_bytes(held_out) : 0;
  const std::uint64_t running = input.running > 0 ? input.running : input.copies;
  (input.mapped ? forecast.mapped : forecast.features) = read + held;
  if (input.scaled) count_scaled(input, read, held, forecast);
  forecast.kernel = input.copies * input.kernel;
  forecast.kept = input.kept;
  forecast.queries = running * (input.documents * kPerDocument + input.queries * kPerQuery);
  const std::uint64_t blocks = running * input.plane_sets * input.queries;
  forecast.planes = blocks * block_bytes(input, input.planes_per_block);
  forecast.least_planes = std::min(forecast.planes, blocks * block_bytes(input, kLeastPlanes));
  return forecast;
}

void limit_memory(MemoryForecast& forecast, std::uint64_t limit) {
  if (forecast.least() > limit)
    throw Error(
        ErrorCode::bad_option,
        fmt::format("the limit on memory is {:.3f} GB, but training needs about {:.3f} GB (features {:.3f}, "
                    "scaled features {:.3f}, {}queries {:.3f}, planes {:.3f}); {}",
                    gigabytes(limit), gigabytes(forecast.least()), gigabytes(forecast.features),
                    gigabytes(forecast.least_scaled),
                    forecast.kernel > 0 ? fmt::format("kernel {:.3f}, ", gigabytes(forecast.kernel)) : "",
                    gigabytes(forecast.queries), gigabytes(forecast.least_planes),
                    forecast.kernel > 0 ? "allow more, or take an approximation"
                    : forecast.least_scaled > 0
                        ? "convert the data to .dorm, which is mapped, and train it without scaling, or allow more"
                    : forecast.features > 0 ? "convert the data to .dorm, which is mapped, or allow more"
                                            : "allow more, or train on fewer queries"));
  std::uint64_t left = limit - forecast.least();
  const auto take = [&left](std::uint64_t wanted) {
    const std::uint64_t taken = std::min(wanted, left);
    left -= taken;
    return taken;
  };
  forecast.scaled = forecast.least_scaled + take(std::min(forecast.scaled - forecast.least_scaled, left / 2));
  forecast.planes = forecast.least_planes + take(forecast.planes - forecast.least_planes);
  forecast.scaled += take(forecast.most_scaled - forecast.scaled);
}

}  // namespace dorm
