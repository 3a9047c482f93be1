// SPDX-License-Identifier: Apache-2.0
#include "recommend/implicit/als.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/numeric.h"
#include "base/rng.h"
#include "dorm/error.h"

namespace dorm {
namespace {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kGramPieces = 64, kGramRows = 1024;  // pieces of fixed size: sums in a fixed order
constexpr std::size_t kRankRows = 256;                     // events of a row that are added at once
constexpr std::size_t kPiece = 64;                         // rows between two looks at a stop

Eigen::Index signed_of(std::size_t n) { return static_cast<Eigen::Index>(n); }

Eigen::Map<const ByRows> map_of(const FactorMatrix& matrix, std::size_t first, std::size_t count) {
  return {matrix.values.data() + first * matrix.width, signed_of(count), signed_of(matrix.width)};
}

}  // namespace

std::vector<double> gram_of(const FactorMatrix& rows, ThreadPool& pool) {
  const std::size_t f = rows.width, step = std::max(kGramRows, (rows.rows + kGramPieces - 1) / kGramPieces);
  const std::size_t pieces = (rows.rows + step - 1) / step;
  std::vector<Eigen::MatrixXd> parts(pieces);
  pool.run(pieces, [&](std::size_t p, std::size_t) {
    const auto block = map_of(rows, p * step, std::min(step, rows.rows - p * step));
    parts[p] = Eigen::MatrixXd::Zero(signed_of(f), signed_of(f));
    parts[p].selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
  });
  std::vector<double> gram(f * f);
  Eigen::Map<Eigen::MatrixXd> sum(gram.data(), signed_of(f), signed_of(f));
  for (const Eigen::MatrixXd& part : parts) sum += part;
  return gram;
}

void AlsRow::solve(const FactorMatrix& fixed, const std::vector<double>& gram, const AlsOptions& options,
                   const RatingRow& events, std::span<double> out) {
  if (events.size() == 0) return std::fill(out.begin(), out.end(), 0.0);
  assemble(fixed, gram, options, events);
  Eigen::Map<Eigen::VectorXd> right(out.data(), signed_of(fixed.width));
  right.setZero();
  for (std::size_t k = 0; k < events.size(); ++k)
    right += (1 + options.alpha * static_cast<double>(events.value[k])) *
             map_of(fixed, events.index[k], 1).row(0).transpose();
  solve_in_place(out);
}

void AlsRow::answer(const FactorMatrix& fixed, const std::vector<double>& gram, const AlsOptions& options,
                    const RatingRow& events, std::span<const double> right, std::span<double> out) {
  assemble(fixed, gram, options, events);
  std::copy(right.begin(), right.end(), out.begin());
  solve_in_place(out);
}

void AlsRow::assemble(const FactorMatrix& fixed, const std::vector<double>& gram, const AlsOptions& options,
                      const RatingRow& events) {
  const std::size_t f = fixed.width;
  matrix_ = gram;
  rows_.resize(kRankRows * f);
  Eigen::Map<Eigen::MatrixXd> matrix(matrix_.data(), signed_of(f), signed_of(f));
  matrix.diagonal().array() += options.ridge;
  for (std::size_t begin = 0; begin < events.size(); begin += kRankRows) {
    const std::size_t count = std::min(kRankRows, events.size() - begin);
    Eigen::Map<ByRows> rows(rows_.data(), signed_of(count), signed_of(f));
    for (std::size_t k = 0; k < count; ++k) {
      const double excess = options.alpha * static_cast<double>(events.value[begin + k]);
      rows.row(signed_of(k)) = std::sqrt(excess) * map_of(fixed, events.index[begin + k], 1).row(0);
    }
    matrix.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
  }
}

void AlsRow::solve_in_place(std::span<double> out) {
  Eigen::Map<Eigen::VectorXd> right(out.data(), signed_of(out.size()));
  Eigen::Map<Eigen::MatrixXd> matrix(matrix_.data(), signed_of(out.size()), signed_of(out.size()));
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower> factor(matrix);
  factor.solveInPlace(right);
  if (factor.info() != Eigen::Success || !right.allFinite())
    throw Error(ErrorCode::bad_option, "the ridge of ALS is too small for weights as large as these");
}

Als::Als(const Ratings& events, const AlsOptions& options, ThreadPool& pool)
    : events_(events),
      options_(options),
      pool_(pool),
      solvers_(pool.size()),
      users_(events.num_users(), options.factors),
      items_(events.num_items(), options.factors) {
  Rng rng(options.seed);
  const double spread = 1 / std::sqrt(real(options.factors));
  for (double& x : items_.values) x = spread * (2 * rng.uniform() - 1);
  solve_rows(false, {});
}

bool Als::solve_rows(bool items, const StopAsked& stop) {
  const FactorMatrix& fixed = items ? users_ : items_;
  FactorMatrix solved((items ? items_ : users_).rows, options_.factors);
  const std::vector<double> gram = gram_of(fixed, pool_);
  std::atomic<bool> stopped = false;
  pool_.run((solved.rows + kPiece - 1) / kPiece, [&](std::size_t piece, std::size_t worker) {
    if (stopped || (stop && stop())) {
      stopped = true;
      return;
    }
    for (std::size_t r = piece * kPiece; r < std::min(solved.rows, (piece + 1) * kPiece); ++r)
      solvers_[worker].solve(fixed, gram, options_, items ? events_.of_item(r) : events_.of_user(r), solved.row(r));
  });
  if (!stopped) (items ? items_ : users_) = std::move(solved);
  return !stopped;
}

bool Als::iterate(const StopAsked& stop) {
  const FactorMatrix items = items_;
  if (!solve_rows(true, stop)) return false;
  if (solve_rows(false, stop)) return true;
  items_ = items;  // the users are still those of these
  return false;
}

}  // namespace dorm
