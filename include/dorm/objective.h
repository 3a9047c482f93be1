// SPDX-License-Identifier: Apache-2.0
// The loss for learners of any kind: from scores and labels to one gradient and one curvature per document, so that
// boosted trees and neural networks can train for a ranking measure.
//
//   H_q(g) = max_pi [margin Delta(pi) + sum_i c[pi(i)] g_i] - sum_i z0_i g_i
//   dH_q / dg_i = c[pi*(i)] - z0_i
//
// averaged over antithetic perturbations g + sigma z, g - sigma z of the scores, which smooths the steps of the
// reference and of pi*. Guide and measurements: docs/objective.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/measure.h"
#include "dorm/oracle.h"
#include "dorm/ranking/list_problem.h"

namespace dorm {

struct ObjectiveOptions {
  std::string measure = "ndcg@10";
  std::string convention = "standard";
  std::string reference = "best";  // best: hinge; predicted: ramp
  std::string decay = "auto";      // auto: discount for best, measure for predicted; or a name of decay_catalog()
  double sigma = 1;                // scale of the perturbation, in units of scores; 0: none
  std::size_t pairs = 1;           // antithetic pairs per round
  double margin = 1;               // of the loss against score differences
  double curvature_floor = 1e-3;   // added to every curvature of a document in a query with something to learn
  std::uint64_t seed = 1;
  std::size_t threads = 0;  // 0: all cores; results do not depend on it

  // Scores and noise, in margins, may not be larger: the oracles add them up, and the sums must stay finite.
  static constexpr double kLargestScore = 1e300;

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

/// The queries of one data set, prepared once. Immutable: a call depends on its arguments only, so threads may share
/// it. Queries in which every ranking is equally good have gradient, curvature and loss 0.
class Objective {
 public:
  /// Query q holds documents [query_end[q-1], query_end[q]); weights (finite, >= 0) are one per query, or none. Throws
  /// Error: bad_input when the ends do not match the labels, bad_option and unknown_name from options.
  Objective(Labels labels, std::span<const std::uint64_t> query_end, const ObjectiveOptions& options = {},
            std::span<const double> query_weights = {});
  /// The same for a measure of one's own; options.measure and options.convention are not read.
  Objective(const FactoredMeasure& measure, Labels labels, std::span<const std::uint64_t> query_end,
            const ObjectiveOptions& options = {}, std::span<const double> query_weights = {});

  std::size_t num_documents() const { return num_documents_; }
  std::size_t num_queries() const { return num_queries_; }
  std::size_t usable_queries() const { return queries_.size(); }

  /// gradient[i] = weight_q mean_m d_i and curvature[i] = weight_q (mean_m |d_i| + floor), d the gradient at the m-th
  /// perturbation of round `round`. Returns losses(scores, round). Throws Error(bad_input) on a wrong number of scores,
  /// NaN, infinity, or beyond kLargestScore margins.
  std::vector<double> gradient(std::span<const double> scores, std::uint64_t round, std::span<double> gradient,
                               std::span<double> curvature) const;

  /// weight_q H_q(g) of every query, without perturbation.
  std::vector<double> losses(std::span<const double> scores) const;
  /// The mean over the perturbations of that round: what gradient() is the gradient of.
  std::vector<double> losses(std::span<const double> scores, std::uint64_t round) const;

 private:
  struct Block {
    std::size_t query, first;
    double weight;
    ListProblem list;
  };
  struct Workspace;

  void prepare_queries(const FactoredMeasure& measure, Labels labels, std::span<const std::uint64_t> query_end,
                       std::span<const double> query_weights);
  void check(std::span<const double> scores) const;
  std::size_t perturbations() const;
  void perturb(const Block& block, std::span<const double> scores, std::uint64_t round, std::size_t m,
               Workspace& workspace) const;
  double linearize(const Block& block, Workspace& workspace) const;
  std::vector<double> mean_losses(std::span<const double> scores, std::uint64_t round, std::size_t first,
                                  std::size_t count) const;

  ObjectiveOptions options_;
  Bound bound_;
  Decay decay_;
  OracleTables tables_;
  std::size_t num_documents_ = 0, num_queries_ = 0;
  std::vector<Block> queries_;  // those with something to learn
};

}  // namespace dorm
