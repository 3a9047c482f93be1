// SPDX-License-Identifier: Apache-2.0
// The learning problem by its definition, all rankings listed, and its optimum by a method of its own: nothing here
// asks an oracle, a reference or a solver of the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dorm/measure.h"
#include "dorm/oracle.h"
#include "ranking/measure/enumerate.h"

namespace dorm::test {

using Rows = std::vector<std::vector<double>>;

struct ListedQuery {
  double weight = 1;
  std::vector<float> labels;
  Rows rows;  // by document, in the order of the file
};

/// One ranking of one query: the hinge is max over rankings of loss - <w, direction>.
struct ListedRanking {
  double loss = 0;
  std::vector<double> direction;
};

/// By document, the decay of its position.
inline std::vector<double> coefficients_of(const std::vector<double>& c, const Ranking& ranking) {
  std::vector<double> out(ranking.size());
  for (std::size_t j = 0; j < ranking.size(); ++j) out[ranking[j]] = c[j];
  return out;
}

inline double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += x[j] * y[j];
  return sum;
}

/// The reference of a bound, by document.
inline std::vector<double> listed_reference(Bound bound, const Factors& factors, const std::vector<double>& c,
                                            const ListedQuery& query, const std::vector<double>& w) {
  const std::size_t l = query.labels.size();
  const double ideal = ideal_value(factors);
  double highest = -std::numeric_limits<double>::infinity();
  std::vector<double> chosen, mean(l, 0.0);
  double sorted_rankings = 0;
  for_each_ranking(l, [&](const Ranking& ranking) {
    const std::vector<double> coefficients = coefficients_of(c, ranking);
    bool by_label = true, in_order = true;
    for (std::size_t j = 1; j < l; ++j) {
      const float above = query.labels[ranking[j - 1]], below = query.labels[ranking[j]];
      by_label &= above >= below;
      in_order &= above > below || (above == below && ranking[j - 1] < ranking[j]);
    }
    if (bound == Bound::given && in_order) chosen = coefficients;
    if (bound == Bound::average && by_label) {
      ++sorted_rankings;
      for (std::size_t i = 0; i < l; ++i) mean[i] += coefficients[i];
    }
    if (bound != Bound::best && bound != Bound::predicted) return;
    if (bound == Bound::best && ideal - value(factors, ranking) > 1e-12) return;
    double score = 0;
    for (std::size_t i = 0; i < l; ++i) score += coefficients[i] * dot(w, query.rows[i]);
    if (score > highest) highest = score, chosen = coefficients;
  });
  if (bound == Bound::average)
    for (double& x : mean) x /= sorted_rankings;
  return bound == Bound::average ? mean : chosen;
}

class IndependentProblem {
 public:
  /// References at the weights `w`; the weights of queries in which rankings differ are C on average.
  IndependentProblem(const std::vector<ListedQuery>& queries, const FactoredMeasure& measure, const Decay& decay,
                     Bound bound, const std::vector<double>& w, double C) {
    double total = 0;
    for (const ListedQuery& query : queries) {
      std::vector<ListedRanking> block = listed(query, measure, decay, bound, w);
      const auto no_loss = [](const ListedRanking& ranking) { return ranking.loss < 1e-12; };
      if (std::all_of(block.begin(), block.end(), no_loss)) continue;
      blocks_.push_back(std::move(block));
      weight_.push_back(query.weight);
      total += query.weight;
    }
    for (double& weight : weight_) weight *= C * static_cast<double>(weight_.size()) / total;
    solve(w.size());
  }

  double primal(const std::vector<double>& w) const {
    double sum = dot(w, w) / 2;
    for (std::size_t q = 0; q < blocks_.size(); ++q) {
      double highest = -std::numeric_limits<double>::infinity();
      for (const ListedRanking& ranking : blocks_[q])
        highest = std::max(highest, ranking.loss - dot(w, ranking.direction));
      sum += weight_[q] * highest;
    }
    return sum;
  }

  bool empty() const { return blocks_.empty(); }
  /// The primal value where the method ended, and how far the dual value is below it, as a share of it.
  double optimum() const { return optimum_; }
  const std::vector<double>& weights() const { return w_; }  // there
  double gap() const { return gap_; }

 private:
  static std::vector<ListedRanking> listed(const ListedQuery& query, const FactoredMeasure& measure, const Decay& decay,
                                           Bound bound, const std::vector<double>& w) {
    const Factors factors = measure.factor(query.labels);
    const std::vector<double> c = decay.values(factors.a);
    const std::vector<double> reference = listed_reference(bound, factors, c, query, w);
    std::vector<ListedRanking> out;
    std::vector<std::pair<std::vector<double>, double>> seen;  // coefficients and loss
    for_each_ranking(query.labels.size(), [&](const Ranking& ranking) {
      seen.emplace_back(coefficients_of(c, ranking), ideal_value(factors) - value(factors, ranking));
    });
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    for (const auto& [coefficients, loss] : seen) {
      ListedRanking ranking{loss, std::vector<double>(w.size(), 0.0)};
      for (std::size_t i = 0; i < coefficients.size(); ++i)
        for (std::size_t j = 0; j < w.size(); ++j)
          ranking.direction[j] += (reference[i] - coefficients[i]) * query.rows[i][j];
      out.push_back(std::move(ranking));
    }
    return out;
  }

  struct Held {
    std::size_t block;
    const ListedRanking* ranking;
    double alpha;
  };

  // The dual, alpha of a simplex per query, by an active-set method: the optimum over the rankings that are held, then
  // the most violated one joins, until there is none.
  void solve(std::size_t dimension) {
    std::vector<Held> held;
    for (std::size_t q = 0; q < blocks_.size(); ++q) held.push_back({q, &blocks_[q][0], weight_[q]});
    for (std::size_t step = 0; step < 500; ++step) {
      while (!move_to_optimum(held)) {
      }
      std::vector<double> w(dimension, 0.0);
      double dual = 0;
      for (const Held& each : held) {
        dual += each.alpha * each.ranking->loss;
        for (std::size_t j = 0; j < dimension; ++j) w[j] += each.alpha * each.ranking->direction[j];
      }
      w_ = w;
      optimum_ = primal(w);
      gap_ = (optimum_ - dual + dot(w, w) / 2) / std::max(optimum_, 1e-300);
      if (gap_ < 1e-9 || !add_most_violated(w, held)) return;
    }
  }

  bool add_most_violated(const std::vector<double>& w, std::vector<Held>& held) const {
    std::vector<double> slack(blocks_.size(), -std::numeric_limits<double>::infinity());
    const auto value = [&](const ListedRanking& ranking) { return ranking.loss - dot(w, ranking.direction); };
    for (const Held& each : held) slack[each.block] = std::max(slack[each.block], value(*each.ranking));
    double most = 1e-13;
    Held found{0, nullptr, 0};
    for (std::size_t q = 0; q < blocks_.size(); ++q)
      for (const ListedRanking& ranking : blocks_[q])
        if (const double excess = weight_[q] * (value(ranking) - slack[q]); excess > most)
          most = excess, found = {q, &ranking, 0};
    if (found.ranking) held.push_back(found);
    return found.ranking != nullptr;
  }

  // False: a ranking has left on the way, and the optimum is to be found again.
  bool move_to_optimum(std::vector<Held>& held) const {
    const std::vector<double> target = optimum_over(held);
    double step = 1;
    std::size_t first = held.size();
    for (std::size_t k = 0; k < held.size(); ++k)
      if (target[k] < 0)
        if (const double reach = held[k].alpha / (held[k].alpha - target[k]); reach < step) step = reach, first = k;
    for (std::size_t k = 0; k < held.size(); ++k) held[k].alpha += step * (target[k] - held[k].alpha);
    if (first == held.size()) return true;
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(first));
    return false;
  }

  // The alphas that are best where only their sums per query are prescribed.
  std::vector<double> optimum_over(const std::vector<Held>& held) const {
    const std::size_t n = held.size(), size = n + blocks_.size();
    std::vector<std::vector<double>> matrix(size, std::vector<double>(size + 1, 0.0));
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t m = 0; m < n; ++m) matrix[k][m] = dot(held[k].ranking->direction, held[m].ranking->direction);
      matrix[k][k] += 1e-11;  // of rankings with the same direction, only one is needed
      matrix[k][n + held[k].block] = matrix[n + held[k].block][k] = 1;
      matrix[k][size] = held[k].ranking->loss;
    }
    for (std::size_t q = 0; q < blocks_.size(); ++q) matrix[n + q][size] = weight_[q];
    return solved(std::move(matrix));
  }

  // By Gaussian elimination; the last column is the right-hand side.
  static std::vector<double> solved(std::vector<std::vector<double>> matrix) {
    const std::size_t size = matrix.size();
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < size; ++i)
        if (std::abs(matrix[i][k]) > std::abs(matrix[pivot][k])) pivot = i;
      std::swap(matrix[k], matrix[pivot]);
      for (std::size_t i = 0; i < size; ++i) {
        if (i == k || matrix[i][k] == 0) continue;
        const double factor = matrix[i][k] / matrix[k][k];
        for (std::size_t j = k; j <= size; ++j) matrix[i][j] -= factor * matrix[k][j];
      }
    }
    std::vector<double> x(size);
    for (std::size_t k = 0; k < size; ++k) x[k] = matrix[k][size] / matrix[k][k];
    return x;
  }

  std::vector<std::vector<ListedRanking>> blocks_;
  std::vector<double> weight_, w_;
  double optimum_ = 0, gap_ = 0;
};

}  // namespace dorm::test
