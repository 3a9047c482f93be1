// SPDX-License-Identifier: Apache-2.0
// One Cholesky decomposition in blocks: blocks of a column, and columns of the inverse, are shared out among threads.
#include "recommend/implicit/ease.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>

#include "dorm/error.h"

namespace dorm {
namespace {

using Square = Eigen::MatrixXd;

constexpr std::size_t kBlock = 128;

Eigen::Index index_of(std::size_t n) { return static_cast<Eigen::Index>(n); }

/// Blocks of rows or columns of an n x n matrix.
struct Blocks {
  std::size_t n;
  std::size_t count() const { return (n + kBlock - 1) / kBlock; }
  Eigen::Index begin(std::size_t b) const { return index_of(b * kBlock); }
  Eigen::Index size(std::size_t b) const { return index_of(std::min(kBlock, n - b * kBlock)); }
};

/// Runs the pieces unless a stop is asked for; false: it was.
bool run(ThreadPool& pool, std::size_t count, const StopAsked& stop,
         const std::function<void(std::size_t piece, std::size_t worker)>& body) {
  std::atomic<bool> stopped = false;
  pool.run(count, [&](std::size_t piece, std::size_t worker) {
    if (stopped || (stop && stop()))
      stopped = true;
    else
      body(piece, worker);
  });
  return !stopped;
}

/// The lower triangle of X^T X + ridge I, column by column.
bool fill_gram(const Ratings& events, double ridge, Square& gram, ThreadPool& pool, const StopAsked& stop) {
  const Blocks blocks{events.num_items()};
  return run(pool, blocks.count(), stop, [&](std::size_t b, std::size_t) {
    for (Eigen::Index j = blocks.begin(b); j < blocks.begin(b) + blocks.size(b); ++j) {
      gram.col(j).setZero();
      for (const std::uint32_t user : events.of_item(static_cast<std::size_t>(j)).index)
        for (const std::uint32_t item : events.of_user(user).index) gram(index_of(item), j) += 1;
      gram(j, j) += ridge;
    }
  });
}

/// Replaces the lower triangle by its Cholesky factor.
bool decompose(Square& a, ThreadPool& pool, const StopAsked& stop) {
  const Blocks blocks{static_cast<std::size_t>(a.rows())};
  for (std::size_t k = 0; k < blocks.count(); ++k) {
    const Eigen::Index at = blocks.begin(k), size = blocks.size(k);
    const Eigen::LLT<Square> factor(Square(a.block(at, at, size, size)));
    if (factor.info() != Eigen::Success)
      throw Error(ErrorCode::bad_option, "the ridge of EASE is too small for these events");
    const Square corner = factor.matrixL();
    a.block(at, at, size, size) = corner;
    const std::size_t below = blocks.count() - k - 1;
    const auto block = [&](std::size_t i, std::size_t j) {
      return a.block(blocks.begin(i), blocks.begin(j), blocks.size(i), blocks.size(j));
    };
    const bool whole =
        run(pool, below, stop,
            [&](std::size_t i, std::size_t) {
              corner.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(block(k + 1 + i, k));
            }) &&
        run(pool, below, stop, [&](std::size_t i, std::size_t) {
          for (std::size_t j = 0; j <= i; ++j)
            block(k + 1 + i, k + 1 + j).noalias() -= block(k + 1 + i, k) * block(k + 1 + j, k).transpose();
        });
    if (!whole) return false;
  }
  return true;
}

}  // namespace

double ease_bytes(std::size_t items) {
  const double n = static_cast<double>(items);
  return (sizeof(double) + 2 * sizeof(float)) * n * n;
}

std::optional<std::vector<float>> fit_ease(const Ratings& events, double ridge, ThreadPool& pool,
                                           const StopAsked& stop) {
  const std::size_t n = events.num_items();
  const Blocks blocks{n};
  Square factor(index_of(n), index_of(n));
  if (!fill_gram(events, ridge, factor, pool, stop) || !decompose(factor, pool, stop)) return std::nullopt;
  std::vector<float> b(n * n);  // P first; it is symmetric, so that its columns are its rows
  std::vector<double> diagonal(n);
  const bool inverted = run(pool, blocks.count(), stop, [&](std::size_t c, std::size_t) {
    const Eigen::Index at = blocks.begin(c), size = blocks.size(c), rest = index_of(n) - at;
    Square columns = Square::Zero(index_of(n), size);
    columns.block(at, 0, size, size).setIdentity();
    factor.bottomRightCorner(rest, rest).triangularView<Eigen::Lower>().solveInPlace(columns.bottomRows(rest));
    factor.transpose().triangularView<Eigen::Upper>().solveInPlace(columns);
    for (Eigen::Index k = 0; k < size; ++k) {
      const auto column = static_cast<std::size_t>(at + k);
      diagonal[column] = columns(at + k, k);
      for (std::size_t i = 0; i < n; ++i) b[column * n + i] = static_cast<float>(columns(index_of(i), k));
    }
  });
  if (!inverted) return std::nullopt;
  pool.run(n, [&](std::size_t j, std::size_t) {
    for (std::size_t i = 0; i < n; ++i)
      b[j * n + i] = i == j ? 0.0f : static_cast<float>(-static_cast<double>(b[j * n + i]) / diagonal[i]);
  });
  return b;
}

}  // namespace dorm
