// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/feature_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/rng.h"
#include "base/vector/vector_ops.h"
#include "data/replace_features.h"
#include "dorm/error.h"
#include "model/kernel/expression_kernel.h"
#include "model/kernel/fourier.h"
#include "model/kernel/landmarks.h"
#include "model/kernel/pick.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 4> kApproximations = {{
    {"none", "none", "exact: the Gram matrix, row by row"},
    {"nystroem", "nystroem:N[,landmarks=kmeans|uniform|greedy]", "features from N documents of the data"},
    {"fourier", "fourier:N", "N random cosines and sines; rbf only"},
    {"cholesky", "cholesky:N", "incomplete Cholesky factor with at most N pivots"},
}};

constexpr std::size_t kSample = 300;
constexpr std::size_t kLargest = 1000000;
constexpr std::size_t kValuesAtOnce = 1'000'000;  // of features, by each thread: a fraction of a second

[[noreturn]] void refuse(std::string_view text, const std::string& problem) {
  throw Error(ErrorCode::bad_option, fmt::format("approximation \"{}\": {}", text, problem));
}

std::size_t parse_size(std::string_view text, std::string_view digits) {
  std::size_t size = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9' || size > kLargest) size = kLargest + 1;
    if (size <= kLargest) size = size * 10 + static_cast<std::size_t>(c - '0');
  }
  if (size < 2 || size > kLargest)
    refuse(text, fmt::format("\"{}\" features; expected a whole number from 2 to {}", digits, kLargest));
  return size;
}

Approximation::Landmarks parse_landmarks(std::string_view text, std::string_view setting) {
  constexpr std::string_view kKey = "landmarks=";
  const std::string_view name = setting.starts_with(kKey) ? setting.substr(kKey.size()) : "";
  if (name == "uniform") return Approximation::Landmarks::uniform;
  if (name == "kmeans") return Approximation::Landmarks::kmeans;
  if (name == "greedy") return Approximation::Landmarks::greedy;
  refuse(text, fmt::format("\"{}\"; expected landmarks=kmeans, uniform or greedy", setting));
}

const Part& single_rbf(const Kernel& kernel) {
  const auto* expression = dynamic_cast<const ExpressionKernel*>(&kernel);
  const bool single = expression != nullptr && expression->terms().size() == 1 && expression->terms()[0].weight == 1 &&
                      expression->terms()[0].parts.size() == 1 && expression->terms()[0].parts[0].kind == PartKind::rbf;
  if (!single)
    throw Error(ErrorCode::bad_option,
                fmt::format("approximation fourier needs a single rbf, not \"{}\"; expected nystroem or cholesky "
                            "for other kernels",
                            kernel.spec()));
  return expression->terms()[0].parts[0];
}

Dataset map_on_device(const FeatureMap& map, const Documents& documents, const ComputeOptions& place) {
  const std::unique_ptr<const DeviceKernel> device = map.on_device(place);
  const std::size_t width = map.size();
  std::vector<std::uint32_t> all(documents.size());
  std::iota(all.begin(), all.end(), 0u);
  return replace_features(documents.data(), width, {}, [&](float* rows, std::size_t stride) {
    device->values(documents, all, 0, width, [&](std::size_t i) { return rows + i * stride; });
  });
}

}  // namespace

std::span<const CatalogEntry> approximation_catalog() { return kApproximations; }

Approximation parse_approximation(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  Approximation out;
  if (name == "nystroem")
    out.kind = Approximation::Kind::nystroem;
  else if (name == "fourier")
    out.kind = Approximation::Kind::fourier;
  else if (name == "cholesky")
    out.kind = Approximation::Kind::cholesky;
  else
    throw_unknown_name("approximation", name, kApproximations);
  if (colon == std::string_view::npos)
    refuse(text, "of what size? expected a number, such as " + std::string(name) + ":1000");
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t comma = rest.find(',');
  out.size = parse_size(text, rest.substr(0, comma));
  if (comma == std::string_view::npos) return out;
  if (out.kind != Approximation::Kind::nystroem) refuse(text, fmt::format("{} takes nothing but a size", name));
  out.landmarks = parse_landmarks(text, rest.substr(comma + 1));
  return out;
}

std::unique_ptr<const FeatureMap> fit_feature_map(const Approximation& approximation, const Kernel& kernel,
                                                  const Documents& documents, std::uint64_t seed, std::size_t threads,
                                                  const MapWatch& watch) {
  if (approximation.kind == Approximation::Kind::fourier)
    return std::make_unique<FourierMap>(single_rbf(kernel), documents, approximation.size, seed);
  return std::make_unique<LandmarkMap>(kernel, documents,
                                       choose_landmarks(approximation, kernel, documents, seed, threads, watch));
}

Dataset apply_feature_map(const FeatureMap& map, const Documents& documents, const ComputeOptions& place,
                          const MapWatch& watch) {
  const Dataset& data = documents.data();
  if (place.on_device()) return map_on_device(map, documents, place);
  return replace_features(data, map.size(), {}, [&](float* rows, std::size_t stride) {
    ThreadPool pool(place.threads);
    const std::size_t some = std::max<std::size_t>(1, pool.size() * kValuesAtOnce / map.size());  // documents
    for (std::size_t begin = 0, end = 0; begin < data.num_queries(); begin = end) {
      while (end < data.num_queries() && data.first_document(end) < data.first_document(begin) + some) ++end;
      pool.run(end - begin, [&](std::size_t k, std::size_t) {
        const std::size_t first = data.first_document(begin + k);
        std::vector<std::uint32_t> which(data.query(begin + k).size());
        std::iota(which.begin(), which.end(), static_cast<std::uint32_t>(first));
        map.compute(documents, which, rows + first * stride, stride);
      });
      if (watch) watch(static_cast<double>(data.first_document(end)) / static_cast<double>(documents.size()));
    }
  });
}

MapError map_error(const FeatureMap& map, const Kernel& kernel, const Documents& documents, std::uint64_t seed) {
  std::vector<std::uint32_t> sample(documents.size());
  std::iota(sample.begin(), sample.end(), 0u);
  Rng(seed ^ 0x5eed).shuffle(std::span(sample));
  sample.resize(std::min(sample.size(), kSample));
  std::sort(sample.begin(), sample.end());
  const Documents picked(pick_documents(documents, sample, kernel));
  const std::size_t size = picked.size(), width = map.size();
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0u);
  std::vector<float> exact(size * size), features(size * width);
  kernel.against(picked)->compute(picked, all, 0, size, exact.data(), size);
  map.compute(picked, all, features.data(), width);
  double trace = 0, lost = 0, squares = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<const float> x(features.data() + i * width, width);
    const auto own = static_cast<double>(exact[i * size + i]);
    trace += own;
    lost += std::fabs(own - dot(x, x));
    for (std::size_t j = 0; j < i; ++j) {
      const double error =
          static_cast<double>(exact[i * size + j]) - dot(x, std::span<const float>(features.data() + j * width, width));
      squares += error * error;
    }
  }
  if (!(trace > 0)) return {};
  const double mean = trace / static_cast<double>(size);
  const auto pairs = static_cast<double>(std::max<std::size_t>(1, size * (size - 1) / 2));
  return {std::sqrt(squares / pairs) / mean, lost / trace};
}

}  // namespace dorm
