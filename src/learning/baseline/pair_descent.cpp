// SPDX-License-Identifier: Apache-2.0
// RankSVM with one slack per pair, as it was first solved: the same problem as `ranksvm`, whose constraints are the
// differences d of all pairs, written out. Dual coordinate descent (Hsieh et al. 2008): in
//
//   min 1/2 |sum_p alpha_p d_p|^2 - sum_p alpha_p,   0 <= alpha_p <= C_q / pairs of q,
//
// one alpha after another goes to its optimum, w = sum_p alpha_p d_p alongside. There for run times: counting pairs
// (`ranksvm`) finds the same weights faster.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "learning/baseline/method.h"

namespace dorm {
namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 28;  // of differences: 1 GiB

class PairDescent {
 public:
  explicit PairDescent(const LinearFeatures& features) : features_(features), w_(features.dimension(), 0.0) {
    const Dataset& data = features.data();
    double total = 0;
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      if (data.query(q).weight == 0) continue;
      const std::size_t first = limit_.size();
      add_pairs(q);
      const std::size_t pairs = limit_.size() - first;
      if (pairs == 0) continue;
      std::fill(limit_.begin() + static_cast<std::ptrdiff_t>(first), limit_.end(),
                data.query(q).weight / static_cast<double>(pairs));
      total += data.query(q).weight;
      ++queries_;
    }
    if (queries_ == 0)
      throw Error(ErrorCode::bad_input, "nothing to learn from: no query has documents of different labels");
    for (double& limit : limit_) limit *= static_cast<double>(queries_) / total;
    alpha_.assign(limit_.size(), 0.0);
    order_.resize(limit_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  std::size_t queries() const { return queries_; }
  std::vector<double> take_weights() { return std::move(w_); }

  void set_trade_off(double trade_off) {
    for (double& limit : limit_) limit *= trade_off;
  }

  /// Of w = 0, where every pair loses 1.
  double value_at_zero() const { return std::accumulate(limit_.begin(), limit_.end(), 0.0); }

  /// Every pair once, in random order.
  void pass(Rng& rng) {
    rng.shuffle(std::span(order_));
    for (std::size_t p : order_) {
      if (norm_[p] == 0) continue;
      const double old = alpha_[p];
      const double wanted = old + (1 - margin(p)) / norm_[p];
      alpha_[p] = std::clamp(wanted, 0.0, limit_[p]);
      const double step = alpha_[p] - old;
      if (step == 0) continue;
      const float* row = difference(p);
      for (std::size_t j = 0; j < w_.size(); ++j) w_[j] += step * static_cast<double>(row[j]);
    }
  }

  /// Primal, dual, gap and support vectors at the weights at hand.
  void evaluate(SolveReport& report) const {
    const double half_norm = 0.5 * std::inner_product(w_.begin(), w_.end(), w_.begin(), 0.0);
    report.primal = half_norm;
    report.dual = -half_norm;
    report.support_vectors = 0;
    for (std::size_t p = 0; p < limit_.size(); ++p) {
      report.primal += limit_[p] * std::max(0.0, 1 - margin(p));
      report.dual += alpha_[p];
      report.support_vectors += alpha_[p] > 0 ? 1 : 0;
    }
    report.gap = relative_gap(report.primal, report.dual);
  }

 private:
  const float* difference(std::size_t pair) const { return differences_.data() + pair * w_.size(); }

  double margin(std::size_t pair) const {
    const float* row = difference(pair);
    double sum = 0;
    for (std::size_t j = 0; j < w_.size(); ++j) sum += w_[j] * static_cast<double>(row[j]);
    return sum;
  }

  void add_pairs(std::size_t q) {
    const Labels labels = features_.data().query(q).labels;
    std::vector<double> row(w_.size());
    for (std::size_t better = 0; better < labels.size(); ++better)
      for (std::size_t worse = 0; worse < labels.size(); ++worse) {
        if (!(labels[better] > labels[worse])) continue;
        if (differences_.size() + row.size() > kMostNumbers)
          throw Error(ErrorCode::unsupported,
                      fmt::format("the pairs of documents have more than {} numbers; use ranksvm, which counts them",
                                  kMostNumbers));
        std::fill(row.begin(), row.end(), 0.0);
        features_.add_row(q, better, 1, row);
        features_.add_row(q, worse, -1, row);
        norm_.push_back(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
        for (double x : row) differences_.push_back(static_cast<float>(x));
        limit_.push_back(0);
      }
  }

  const LinearFeatures& features_;
  std::vector<double> w_, norm_, limit_, alpha_;  // all but w by pair
  std::vector<float> differences_;                // one row per pair
  std::vector<std::size_t> order_;
  std::size_t queries_ = 0;
};

}  // namespace

// The gap costs as much as a pass, so it is taken ever more rarely.
BaselineFit fit_ranksvm_pairs(const BaselineProblem& problem) {
  const SolveOptions& solve = problem.options.solve;
  const Stopwatch watch;
  const TimeLimit limit(solve.seconds);
  PairDescent descent(problem.set.linear_features());
  descent.set_trade_off(problem.set.units().trade_off(problem.options.C, descent.queries()));
  Rng rng(solve.seed);
  SolveReport report;
  report.status = SolveStatus::pass_limit;
  for (std::uint64_t next = 1; report.passes < solve.max_passes;) {
    descent.pass(rng);
    if (++report.passes < next && report.passes < solve.max_passes) continue;
    next += 1 + next / 4;
    descent.evaluate(report);
    if (report.gap <= solve.tolerance) report.status = SolveStatus::converged;
    if (limit.over()) report.status = SolveStatus::time_limit;
    Progress progress;
    progress.pass = report.passes;
    progress.primal = report.primal;
    progress.dual = report.dual;
    progress.gap = report.gap;
    if (problem.observer && !problem.observer(progress)) report.status = SolveStatus::interrupted;
    if (report.status != SolveStatus::pass_limit) break;
  }
  report.seconds = watch.seconds();
  SolveReport constant;
  constant.primal = descent.value_at_zero();
  const UnitsOfC units = problem.set.units();
  return {descent.take_weights(), units.objective(std::move(report)), units.objective(std::move(constant)).primal};
}

}  // namespace dorm
