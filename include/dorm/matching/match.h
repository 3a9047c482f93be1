// SPDX-License-Identifier: Apache-2.0
// Graph matching: which node of one graph is which node of another. A matching y is scored by how alike matched nodes
// are and, quadratic, how alike the edges that it lays onto each other are,
//
//     S_w(y) = sum_i <w, phi(i, y_i)> + sum over edges (i, k) of <w, psi((i, k), (y_i, y_k))>,
//
// and w is learnt so that the best matching is the true one, by the convex bound of the Hamming loss
//
//     H_w = max_y [loss(y) + S_w(y)] - S_w(truth),
//
// in which the quadratic maximum is replaced by an upper bound of it. docs/matching.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/matching/graphs.h"
#include "dorm/solver.h"

namespace dorm {

enum class MatchKind { linear, quadratic };
enum class Similarity { gaussian, squared };
enum class MatchScale { deviation, none };

std::span<const CatalogEntry> match_kind_catalog();
std::span<const CatalogEntry> similarity_catalog();
std::span<const CatalogEntry> match_scale_catalog();
std::string_view name_of(MatchKind kind);
std::string_view name_of(Similarity similarity);
std::string_view name_of(MatchScale scale);
MatchKind parse_match_kind(std::string_view name);  // these throw Error(unknown_name)
Similarity parse_similarity(std::string_view name);
MatchScale parse_match_scale(std::string_view name);

struct MatchOptions {
  MatchKind kind = MatchKind::quadratic;
  Similarity similarity = Similarity::gaussian;
  MatchScale scale = MatchScale::deviation;
  bool unmatched = false;   // any node may stay without a partner; else every node of the smaller graph has one
  double C = 10;            // of 1/2 |w|^2 + C (mean over pairs of H)
  std::size_t rounds = 3;   // quadratic: solved so often, the bound of every pair tightened in between
  std::size_t steps = 30;   // of tightening a bound, in training and prediction
  double edge_weight = 1;   // of an unlearnt model: that of edges, nodes having 1
  SolveOptions solve = {};  // of each round
  ComputeOptions compute = {.threads = 1};

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

/// Weights and what they are weights of: similarities of node features, then (unmatched) a constant per matched node,
/// then (quadratic) a constant per edge that is laid on an edge and similarities of edge features.
struct MatchModel {
  MatchKind kind = MatchKind::quadratic;
  Similarity similarity = Similarity::gaussian;
  bool unmatched = false, directed = false;
  std::vector<std::string> node_features, edge_features;
  std::vector<double> node_factors, edge_factors;  // by feature: differences are multiplied by it
  std::vector<double> weights;

  bool learnt = false;
  double C = 0;
  std::size_t pairs = 0, rounds = 0;     // trained on; solved
  double primal = 0, dual = 0, gap = 0;  // of the last round
  std::string status = "unlearnt";       // how it ended
  double loss_bound = 0;                 // mean of H over the training pairs: no less than their loss
  double looseness = 0;                  // by how much separation may be too large, in mean loss, at most
  double training_loss = 0;              // mean Hamming loss of what is predicted for them
  std::size_t below_truth = 0;           // pairs for which prediction found less than the truth scores
  double validation_loss = std::numeric_limits<double>::quiet_NaN();

  std::size_t dimension() const;
  std::vector<std::string> weight_names() const;
};

/// All similarities of nodes weigh the same, 1 together, and all of edges weigh options.edge_weight together; scales
/// come from the graphs of the pairs. What learning is compared with.
MatchModel unlearnt_match(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options = {});

struct MatchRound {
  double primal = 0, dual = 0, gap = 0;
  std::uint64_t passes = 0;
  double looseness = 0;  // mean over pairs: separation's bound less the best loss + score that was found
  double seconds = 0;
};

struct MatchResult {
  MatchModel model;
  std::vector<MatchRound> rounds;
  SolveReport solve;  // of the last
  double seconds = 0;
};

/// Throws Error(bad_input) for pairs without a true correspondence, or one that no prediction could have: a node of the
/// smaller graph without a partner, unless nodes may stay unmatched.
MatchResult train_match(const GraphSet& set, std::span<const GraphPair> pairs, const MatchOptions& options = {},
                        const Observer& observer = {});

/// A model that was tried on pairs to choose by.
struct MatchCandidate {
  double C = 0;
  double validation_loss = 0, training_loss = 0;
  double gap = 0, looseness = 0, seconds = 0;
};

struct ChosenMatch {
  MatchResult best;                        // of the least loss on the pairs to choose by; of equals that of the least C
  std::vector<MatchCandidate> candidates;  // one per C
};

/// Trains once per C, in increasing order, and lets other pairs decide.
ChosenMatch choose_match(const GraphSet& set, std::span<const GraphPair> pairs, std::span<const GraphPair> validation,
                         std::span<const double> trade_offs, const MatchOptions& options = {},
                         const Observer& observer = {});

struct PairOutcome {
  std::vector<std::uint32_t> match;  // by node of the first graph; kUnmatched: none
  double score = 0;
  double bound = 0;  // no matching scores more; equal to the score: the best there is, which linear ones always are
  double loss = std::numeric_limits<double>::quiet_NaN();  // where the truth is known

  bool proven() const;  // within rounding
};

/// One per pair. `steps` of tightening the bound; `threads` 0: all cores.
std::vector<PairOutcome> predict_matches(const MatchModel& model, const GraphSet& set, std::span<const GraphPair> pairs,
                                         std::size_t steps = 30, std::size_t threads = 0);

/// The share of nodes with a true partner that have another one or none; where nodes may stay unmatched, of all nodes
/// of the first graph that are not as they should be.
double hamming_loss(std::span<const std::uint32_t> truth, std::span<const std::uint32_t> match, bool unmatched);

/// The mean over outcomes whose loss is known; NaN: none.
double mean_loss(std::span<const PairOutcome> outcomes);

std::string to_json(const MatchModel& model);
MatchModel match_model_from_json(std::string_view text, const std::string& name);
void save_match_model(const MatchModel& model, const std::string& path);
MatchModel load_match_model(const std::string& path);

}  // namespace dorm
