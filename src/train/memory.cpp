// SPDX-License-Identifier: Apache-2.0
#include "train/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/storage.h"
#include "dorm/error.h"
#include "dorm/solver.h"

namespace dorm {
namespace {

// Per document: labels, gains, sorted order and reference coefficient of the prepared query, row number,
// scores.
constexpr std::uint64_t kPerDocument = 64;
// Per query: id, prepared query and block of planes, without their arrays.
constexpr std::uint64_t kPerQuery = 600;
// Planes with weight are never dropped; near the optimum most queries have up to this many.
constexpr std::uint64_t kLeastPlanes = 4;

std::uint64_t dense_bytes(const MemoryInput& input) {
  return input.documents * dense_stride(input.features) * sizeof(float);
}

std::uint64_t feature_bytes(const MemoryInput& input) {
  if (input.dense) return dense_bytes(input);
  return input.nonzeros * (sizeof(float) + sizeof(std::uint32_t)) + input.documents * sizeof(std::uint64_t);
}

// A plane of a query is at most as long as the columns its documents have.
std::uint64_t plane_bytes(const MemoryInput& input) {
  if (input.dense || input.scaled) return sizeof(Plane) + input.features * sizeof(float);
  const std::uint64_t columns = input.queries == 0 ? 0 : input.nonzeros / input.queries;
  return sizeof(Plane) + std::min(columns, input.features) * (sizeof(float) + sizeof(std::uint32_t));
}

// With their Gram matrix, of n^2 doubles.
std::uint64_t block_bytes(const MemoryInput& input, std::uint64_t planes) {
  return planes * plane_bytes(input) + planes * planes * sizeof(double);
}

double gigabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e9; }

}  // namespace

MemoryInput memory_input(const Dataset& data, ScalingKind scaling, bool mapped) {
  MemoryInput input;
  input.queries = data.num_queries();
  input.documents = data.num_documents();
  input.features = data.num_features();
  input.nonzeros = data.num_nonzeros();
  input.dense = data.dense();
  input.mapped = mapped;
  input.scaled = scaling != ScalingKind::none;
  return input;
}

MemoryForecast predict_memory(const MemoryInput& input) {
  MemoryForecast forecast;
  (input.mapped ? forecast.mapped : forecast.features) = feature_bytes(input);
  if (input.scaled) forecast.scaled_copy = input.copies * dense_bytes(input);
  forecast.queries = input.copies * (input.documents * kPerDocument + input.queries * kPerQuery);
  forecast.planes = input.copies * input.queries * block_bytes(input, input.planes_per_block);
  forecast.least_planes =
      std::min(forecast.planes, input.copies * input.queries * block_bytes(input, kLeastPlanes));
  return forecast;
}

void limit_memory(MemoryForecast& forecast, std::uint64_t limit) {
  if (forecast.least() > limit)
    throw Error(
        ErrorCode::bad_option,
        fmt::format(
            "--memory is {:.3f} GB, but training needs about {:.3f} GB (features {:.3f}, scaled copy {:.3f}, "
            "queries "
            "{:.3f}, planes {:.3f}); {}",
            gigabytes(limit), gigabytes(forecast.least()), gigabytes(forecast.features),
            gigabytes(forecast.scaled_copy), gigabytes(forecast.queries), gigabytes(forecast.least_planes),
            forecast.features > 0 || forecast.scaled_copy > 0
                ? "convert the data to .dorm, which is mapped, and train it with --scale none, or allow more"
                : "allow more, or train on fewer queries"));
  forecast.planes = std::min(forecast.planes, limit - (forecast.total() - forecast.planes));
}

}  // namespace dorm
