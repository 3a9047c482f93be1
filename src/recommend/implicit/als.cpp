// SPDX-License-Identifier: Apache-2.0
#include "recommend/implicit/als.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/numeric.h"
#include "base/rng.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"

namespace dorm {
namespace {

using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t kGramPieces = 64, kGramRows = 1024;  // pieces of fixed size: sums in a fixed order
constexpr double kPieceProducts = 1e8;                     // of the rows between two looks at a stop
constexpr int kMostSteps = 12;
constexpr double kPrecision = 1e-8;

Eigen::Index signed_of(std::size_t n) { return static_cast<Eigen::Index>(n); }

double norm_of(std::span<const double> x) { return std::sqrt(dot(x, x)); }

/// V^T V, f x f; nothing when it was stopped.
std::vector<double> gram_of(const FactorMatrix& rows, ThreadPool& pool, const StopAsked& stop) {
  const std::size_t f = rows.width, step = std::max(kGramRows, (rows.rows + kGramPieces - 1) / kGramPieces);
  const std::size_t pieces = (rows.rows + step - 1) / step;
  std::vector<Eigen::MatrixXd> parts(pieces);
  std::atomic<bool> stopped = false;
  pool.run(pieces, [&](std::size_t p, std::size_t) {
    if (stopped || (stop && stop())) {
      stopped = true;
      return;
    }
    const Eigen::Map<const ByRows> block(rows.values.data() + p * step * f,
                                         signed_of(std::min(step, rows.rows - p * step)), signed_of(f));
    parts[p] = Eigen::MatrixXd::Zero(signed_of(f), signed_of(f));
    parts[p].selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
  });
  if (stopped) return {};
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(signed_of(f), signed_of(f));
  for (const Eigen::MatrixXd& part : parts) sum += part;
  sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
  return {sum.data(), sum.data() + f * f};
}

/// Where rows of about the same work begin and end, one behind the other.
std::vector<std::size_t> pieces_of(const Ratings& events, bool items, std::size_t factors) {
  const std::size_t rows = items ? events.num_items() : events.num_users();
  const double f = real(factors);
  std::vector<std::size_t> ends = {0};
  double products = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    products += f * f * (real((items ? events.of_item(r) : events.of_user(r)).size()) / 2 + f / 6);
    if (products < kPieceProducts && r + 1 < rows) continue;
    ends.push_back(r + 1);
    products = 0;
  }
  return ends;
}

}  // namespace

AlsSide::AlsSide(const FactorMatrix& rows, const AlsOptions& options, ThreadPool& pool, const StopAsked& stop)
    : width_(rows.width), alpha_(options.alpha), gram_(gram_of(rows, pool, stop)) {
  if (!complete()) return;
  const std::size_t stride = als_stride(width_);
  rows_.resize(rows.rows * stride);
  for (std::size_t r = 0; r < rows.rows; ++r)
    std::transform(rows.row(r).begin(), rows.row(r).end(), rows_.begin() + static_cast<std::ptrdiff_t>(r * stride),
                   [](double x) { return static_cast<float>(x); });
  start_.resize(stride * stride);
  for (std::size_t i = 0; i < width_; ++i) {
    gram_[i * width_ + i] += options.ridge;
    for (std::size_t j = 0; j < width_; ++j) start_[i * stride + j] = static_cast<float>(gram_[i * width_ + j]);
  }
}

void AlsRow::solve(const AlsSide& fixed, const RatingRow& events, std::span<double> out) {
  if (events.size() == 0) return std::fill(out.begin(), out.end(), 0.0);
  const AlsEvents row = {fixed.rows_.data(),  fixed.width_,  events.index.data(),
                         events.value.data(), events.size(), fixed.alpha_};
  right_.assign(als_stride(fixed.width_), 0);
  als_kernels(simd_level()).add_targets(row, right_.data());
  finish(fixed, row, out);
}

void AlsRow::answer(const AlsSide& fixed, const RatingRow& events, std::span<const double> right,
                    std::span<double> out) {
  right_.assign(als_stride(fixed.width_), 0);
  std::copy(right.begin(), right.end(), right_.begin());
  finish(fixed,
         {fixed.rows_.data(), fixed.width_, events.index.data(), events.value.data(), events.size(), fixed.alpha_},
         out);
}

void AlsRow::finish(const AlsSide& fixed, const AlsEvents& events, std::span<double> out) {
  if (!refine(fixed, events)) solve_in_double(fixed, events);
  std::copy_n(x_.begin(), out.size(), out.begin());
}

// The first step takes x to the solution up to the error of single precision, and each further one takes the share of
// the step before it away: their ratio tells what is left.
bool AlsRow::refine(const AlsSide& fixed, const AlsEvents& events) {
  const AlsKernels& kernels = als_kernels(simd_level());
  const std::size_t f = fixed.width_, stride = als_stride(f);
  for (std::vector<float>* const scratch : {&inverse_, &half_, &step_}) scratch->resize(stride);
  gathered_.resize(kAlsGathered * stride);
  matrix_ = fixed.start_;
  kernels.add_products(events, gathered_.data(), matrix_.data());
  if (!kernels.decompose(matrix_.data(), f, inverse_.data())) return false;
  left_ = right_;
  x_.assign(stride, 0);
  double last = 0;
  for (int k = 0; k < kMostSteps; ++k) {
    std::transform(left_.begin(), left_.end(), step_.begin(), [](double x) { return static_cast<float>(x); });
    kernels.solve(matrix_.data(), inverse_.data(), f, half_.data(), step_.data());
    double square = 0;
    for (std::size_t i = 0; i < f; ++i) {
      const double step = static_cast<double>(step_[i]);
      square += step * step;
      x_[i] += step;
    }
    const double size = std::sqrt(square);
    if (size == 0) return true;
    if (k > 0 && !(size < 0.5 * last)) return false;
    if (k > 0 && size * (size / last) <= kPrecision * norm_of(x_)) return true;
    last = size;
    const std::span<const double> x = std::span<const double>(x_).first(f);
    for (std::size_t i = 0; i < f; ++i) left_[i] = right_[i] - dot(std::span(fixed.gram_).subspan(i * f, f), x);
    kernels.subtract_products(events, x_.data(), left_.data());
  }
  return false;
}

void AlsRow::solve_in_double(const AlsSide& fixed, const AlsEvents& events) {
  const std::size_t f = fixed.width_;
  Eigen::MatrixXd matrix = Eigen::Map<const Eigen::MatrixXd>(fixed.gram_.data(), signed_of(f), signed_of(f));
  for (std::size_t begin = 0; begin < events.count; begin += kAlsGathered) {
    const std::size_t count = std::min(kAlsGathered, events.count - begin);
    ByRows rows(signed_of(count), signed_of(f));
    for (std::size_t k = 0; k < count; ++k)
      rows.row(signed_of(k)) =
          std::sqrt(events.alpha * static_cast<double>(events.weight[begin + k])) *
          Eigen::Map<const Eigen::RowVectorXf>(events.fixed + events.index[begin + k] * als_stride(f), signed_of(f))
              .cast<double>();
    matrix.selfadjointView<Eigen::Lower>().rankUpdate(rows.transpose());
  }
  x_ = right_;
  Eigen::Map<Eigen::VectorXd> x(x_.data(), signed_of(f));
  const Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>, Eigen::Lower> factor(matrix);
  factor.solveInPlace(x);
  if (factor.info() != Eigen::Success || !x.allFinite())
    throw Error(ErrorCode::bad_option, "the ridge of ALS is too small for weights as large as these");
}

Als::Als(const Ratings& events, const AlsOptions& options, ThreadPool& pool)
    : events_(events),
      options_(options),
      pool_(pool),
      solvers_(pool.size()),
      items_(events.num_items(), options.factors) {
  Rng rng(options.seed);
  const double spread = 1 / std::sqrt(real(options.factors));
  for (double& x : items_.values) x = static_cast<double>(static_cast<float>(spread * (2 * rng.uniform() - 1)));
}

std::optional<FactorMatrix> Als::solved(bool items, const FactorMatrix& fixed, const StopAsked& stop) {
  const AlsSide side(fixed, options_, pool_, stop);
  if (!side.complete()) return std::nullopt;
  const std::vector<std::size_t> ends = pieces_of(events_, items, options_.factors);
  FactorMatrix out(items ? events_.num_items() : events_.num_users(), options_.factors);
  std::atomic<bool> stopped = false;
  pool_.run(ends.size() - 1, [&](std::size_t piece, std::size_t worker) {
    if (stopped || (stop && stop())) {
      stopped = true;
      return;
    }
    for (std::size_t r = ends[piece]; r < ends[piece + 1]; ++r) {
      solvers_[worker].solve(side, items ? events_.of_item(r) : events_.of_user(r), out.row(r));
      if (items)
        for (double& x : out.row(r)) x = static_cast<double>(static_cast<float>(x));
    }
  });
  if (stopped) return std::nullopt;
  return out;
}

bool Als::iterate(const StopAsked& stop) {
  const auto take = [](FactorMatrix& to, std::optional<FactorMatrix> from) {
    if (from) to = std::move(*from);
    return from.has_value();
  };
  if (!started() && !take(users_, solved(false, items_, stop))) return false;
  auto items = solved(true, users_, stop);
  if (!items || !take(users_, solved(false, *items, stop))) return false;
  items_ = std::move(*items);
  return true;
}

}  // namespace dorm
