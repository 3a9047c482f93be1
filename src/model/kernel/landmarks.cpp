// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/landmarks.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "base/rng.h"
#include "base/vector/vector_ops.h"
#include "model/kernel/pick.h"

namespace dorm {
namespace {

constexpr std::size_t kSampleFactor = 20;     // greedy landmarks are chosen among this many times as many
constexpr std::size_t kLandmarkPiece = 1024;  // documents a thread takes at a time, a multiple of the tile
constexpr double kExplained = 1e-6;           // of the trace: less than that is noise of float32

std::vector<std::uint32_t> uniform_sample(std::size_t size, std::size_t count, Rng& rng) {
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0u);
  rng.shuffle(std::span(all));
  all.resize(std::min(size, count));
  std::sort(all.begin(), all.end());
  return all;
}

/// Some of the documents, with kernel values of any of them against all.
struct Candidates {
  const Documents documents;
  std::unique_ptr<const KernelColumns> columns;
  std::vector<float> diagonal;
  std::size_t threads;

  Candidates(const Kernel& kernel, Dataset data, std::size_t worker_threads)
      : documents(std::move(data)),
        columns(kernel.against(documents)),
        diagonal(documents.size()),
        threads(worker_threads) {
    kernel.diagonal(documents, diagonal);
  }

  std::size_t size() const { return documents.size(); }

  /// body(first, last) over pieces of the documents, with k(document, .) in `row`.
  template <class Body>
  void against_all(std::uint32_t document, std::vector<float>& row, const Body& body) const {
    row.resize(size());
    parallel_for((size() + kLandmarkPiece - 1) / kLandmarkPiece, threads, [&](std::size_t piece, std::size_t) {
      const std::size_t first = piece * kLandmarkPiece, last = std::min(size(), first + kLandmarkPiece);
      columns->compute(documents, std::span(&document, 1), first, last, row.data() + first, size());
      body(first, last);
    });
  }
};

std::vector<std::uint32_t> kmeans_landmarks(const Candidates& candidates, std::size_t count, Rng& rng,
                                            const MapWatch& watch) {
  std::vector<std::uint32_t> chosen{static_cast<std::uint32_t>(rng.below(candidates.size()))};
  std::vector<double> distance(candidates.diagonal.begin(), candidates.diagonal.end());
  std::vector<float> row;
  const std::vector<float>& diagonal = candidates.diagonal;
  bool first_one = true;
  while (true) {
    const std::uint32_t newest = chosen.back();
    candidates.against_all(newest, row, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const double square = std::max(0.0, static_cast<double>(diagonal[i]) + static_cast<double>(diagonal[newest]) -
                                                2 * static_cast<double>(row[i]));
        distance[i] = first_one ? square : std::min(distance[i], square);
      }
    });
    first_one = false;
    if (watch) watch(static_cast<double>(chosen.size()) / static_cast<double>(count));
    distance[newest] = 0;
    const double total = std::accumulate(distance.begin(), distance.end(), 0.0);
    if (chosen.size() == count || !(total > 0)) break;
    double left = rng.uniform() * total;
    std::size_t next = 0;
    while (next + 1 < distance.size() && (left -= distance[next]) >= 0) ++next;
    while (distance[next] == 0) --next;  // rounding may have passed the last document of positive probability
    chosen.push_back(static_cast<std::uint32_t>(next));
  }
  return chosen;
}

// Pivoted Cholesky: column t of the factor is the part of k(pivot, .) that the columns before do not explain.
std::vector<std::uint32_t> greedy_landmarks(const Candidates& candidates, std::size_t count, const MapWatch& watch) {
  std::vector<double> residual(candidates.diagonal.begin(), candidates.diagonal.end());
  const double trace = std::accumulate(residual.begin(), residual.end(), 0.0);
  std::vector<float> factor(candidates.size() * count), row;  // [document][column]
  std::vector<std::uint32_t> chosen;
  while (chosen.size() < count) {
    const auto pivot =
        static_cast<std::uint32_t>(std::max_element(residual.begin(), residual.end()) - residual.begin());
    if (!(std::accumulate(residual.begin(), residual.end(), 0.0) > kExplained * trace)) break;
    const double root = std::sqrt(residual[pivot]);
    const std::size_t t = chosen.size();
    const std::span<const float> pivot_row(factor.data() + pivot * count, t);
    candidates.against_all(pivot, row, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const std::span<const float> own(factor.data() + i * count, t);
        const double value = (static_cast<double>(row[i]) - (t == 0 ? 0.0 : dot(own, pivot_row))) / root;
        factor[i * count + t] = static_cast<float>(value);
        residual[i] = std::max(0.0, residual[i] - value * value);
      }
    });
    residual[pivot] = 0;
    chosen.push_back(pivot);
    if (watch) watch(static_cast<double>(chosen.size()) / static_cast<double>(count));
  }
  return chosen;
}

std::vector<double> factor_of(const KernelColumns& columns, const Documents& landmarks) {
  const std::size_t size = landmarks.size();
  std::vector<std::uint32_t> all(size);
  std::iota(all.begin(), all.end(), 0u);
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> values(static_cast<Eigen::Index>(size),
                                                                               static_cast<Eigen::Index>(size));
  columns.compute(landmarks, all, 0, size, values.data(), size);
  Eigen::MatrixXd gram = values.cast<double>();
  const double mean = gram.trace() / static_cast<double>(size);
  // Landmarks that explain each other leave nothing to divide by; a millionth of the diagonal does no harm above the
  // noise of float32.
  for (double ridge = kExplained;; ridge *= 10) {
    Eigen::LLT<Eigen::MatrixXd> cholesky(gram + ridge * mean * Eigen::MatrixXd::Identity(gram.rows(), gram.cols()));
    if (cholesky.info() != Eigen::Success && ridge < 1) continue;
    const Eigen::MatrixXd factor = cholesky.matrixL();
    return {factor.data(), factor.data() + factor.size()};
  }
}

Eigen::Map<const Eigen::MatrixXd> factor_view(const std::vector<double>& factor) {
  const auto size = static_cast<Eigen::Index>(std::lround(std::sqrt(static_cast<double>(factor.size()))));
  return {factor.data(), size, size};
}

}  // namespace

std::vector<std::uint32_t> choose_landmarks(const Approximation& approximation, const Kernel& kernel,
                                            const Documents& documents, std::uint64_t seed, std::size_t threads,
                                            const MapWatch& watch) {
  Rng rng(seed);
  const std::size_t size = documents.size(), count = std::min(approximation.size, size);
  const bool cholesky = approximation.kind == Approximation::Kind::cholesky;
  if (!cholesky && approximation.landmarks == Approximation::Landmarks::uniform)
    return uniform_sample(size, count, rng);
  const bool greedy = cholesky || approximation.landmarks == Approximation::Landmarks::greedy;
  std::vector<std::uint32_t> sample;
  if (greedy && !cholesky) sample = uniform_sample(size, kSampleFactor * count, rng);
  const bool whole = sample.empty() || sample.size() == size;
  const Candidates candidates(kernel, whole ? documents.data() : pick_documents(documents, sample, kernel), threads);
  std::vector<std::uint32_t> chosen =
      greedy ? greedy_landmarks(candidates, count, watch) : kmeans_landmarks(candidates, count, rng, watch);
  if (!whole)
    for (std::uint32_t& document : chosen) document = sample[document];
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

LandmarkMap::LandmarkMap(const Kernel& kernel, const Documents& documents, std::span<const std::uint32_t> landmarks)
    : kernel_(kernel), landmarks_(pick_documents(documents, landmarks, kernel)) {
  const Documents picked(landmarks_);
  columns_ = kernel.against(picked);
  factor_ = factor_of(*columns_, picked);
}

void LandmarkMap::compute(const Documents& documents, std::span<const std::uint32_t> rows, float* out,
                          std::size_t stride) const {
  Eigen::MatrixXf values(static_cast<Eigen::Index>(size()), static_cast<Eigen::Index>(rows.size()));
  columns_->compute(documents, rows, 0, size(), values.data(), size());
  Eigen::MatrixXd features = values.cast<double>();
  factor_view(factor_).triangularView<Eigen::Lower>().solveInPlace(features);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < size(); ++j)
      out[i * stride + j] = static_cast<float>(features(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(i)));
}

std::unique_ptr<const DeviceKernel> LandmarkMap::on_device(const ComputeOptions& place) const {
  return std::make_unique<DeviceKernel>(kernel_, Documents(landmarks_), place,
                                        DeviceKernel::Answer{.triangle = factor_});
}

KernelExpansion LandmarkMap::expansion(std::span<const double> w) const {
  const Eigen::Map<const Eigen::VectorXd> weights(w.data(), static_cast<Eigen::Index>(w.size()));
  const Eigen::VectorXd beta = factor_view(factor_).transpose().triangularView<Eigen::Upper>().solve(weights);
  KernelExpansion expansion;
  expansion.support = landmarks_;
  expansion.coefficients.assign(beta.data(), beta.data() + beta.size());
  return expansion;
}

}  // namespace dorm
