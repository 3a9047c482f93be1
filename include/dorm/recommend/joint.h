// SPDX-License-Identifier: Apache-2.0
// Joint kernels: a (user, item) pair is compared with another by how alike the users and how alike the items are,
//
//     k((u, i), (v, j)) = K_U(u, v) K_I(i, j),
//
// so that one ranker is learnt for all users, and what it learns from one serves those like him. DORM, JRank and PRank
// in the space of such a kernel. docs/joint-kernels.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/judgments.h"
#include "dorm/oracle.h"
#include "dorm/recommend/ratings.h"
#include "dorm/solver.h"

namespace dorm {

/// A symmetric matrix without negative eigenvalues: how alike any two users, or any two items, are.
struct Similarities {
  std::size_t size = 0;
  std::vector<double> values;  // size rows

  Similarities() = default;
  explicit Similarities(std::size_t n) : size(n), values(n * n) {}
  double& at(std::size_t i, std::size_t j) { return values[i * size + j]; }
  double at(std::size_t i, std::size_t j) const { return values[i * size + j]; }
  std::span<const double> row(std::size_t i) const { return std::span(values).subspan(i * size, size); }
};

/// Whether a user, or an item, is the same one.
Similarities identity_similarities(std::size_t size);

/// All alike: what is learnt from one serves all.
Similarities constant_similarities(std::size_t size);

/// <x, y> / (|x| |y|) of the rows of `features` that belong to `ids`; 0 where one has no row or only zeros.
Similarities attribute_similarities(const IdTable& ids, const SideFeatures& features);

/// With z the ratings less the mean of their user, and 0 where there is none: the cosine between the rows of z (of
/// users), or between its columns (of items). Taking the mean over all entries, not over the common ones, is what keeps
/// eigenvalues from being negative.
Similarities user_correlations(const Ratings& known);
Similarities item_correlations(const Ratings& known);

/// The mean of parts of one size.
Similarities mean_of(std::span<const Similarities> parts);

/// Of some of the users or items, in the order given.
Similarities selected(const Similarities& all, std::span<const std::uint32_t> members);

struct JointKernel {
  Similarities users, items;
};

/// Everything that is known: the mean of identity, correlation and, where there are features, attributes, and among
/// users also of a constant, without which little is learnt of an item that few have rated.
JointKernel make_joint_kernel(const Ratings& known, const SideFeatures* user_features = nullptr,
                              const SideFeatures* item_features = nullptr);

/// What similarities may be made from beside ratings; borrowed.
struct JointInputs {
  const SideFeatures* user_features = nullptr;
  const SideFeatures* item_features = nullptr;
  const Similarities* users = nullptr;  // the part `given`, one row per user or item of the ratings
  const Similarities* items = nullptr;
};

/// A kernel by its text,
///
///     user(PART + PART ...) * item(PART + PART ...)
///
/// the mean of the parts on either side: constant, identity, correlation, attributes (which need features) and given
/// (which needs a matrix); or `auto`, everything that is known, as make_joint_kernel() above takes it, with matrices in
/// the place of all other parts of their side.
class JointKernelText {
 public:
  /// Throws Error(bad_option) for a text that is none, or a part that the inputs do not allow.
  JointKernelText(std::string_view text, const JointInputs& inputs);

  std::string spelling() const;  // without auto
  bool has_user_part(std::string_view name) const;
  double share_of_constant() const;  // of the users' mean
  /// The same with users that are alike only to themselves.
  JointKernelText for_users_alone() const;

  Similarities users(const Ratings& known, const JointInputs& inputs) const;
  Similarities items(const Ratings& known, const JointInputs& inputs) const;

 private:
  std::vector<std::string> users_, items_;
};

/// A ranker in the space of a joint kernel: score(u, i) = sum over pairs of coefficient K_U K_I.
struct PairCoefficient {
  std::uint32_t user, item;
  double value;
};
using JointRanker = std::vector<PairCoefficient>;

/// One score per rating of `asked`, user by user (Ratings::first_of_user), whose values are not looked at. With A the
/// sparse matrix of coefficients this is K_U A K_I, and costs its two products.
std::vector<double> joint_scores(const JointKernel& kernel, const JointRanker& ranker, const Ratings& asked,
                                 std::size_t threads = 0);

struct JointOptions {
  std::string measure = "ndcg@10";
  std::string convention = "standard";
  std::string decay = "measure";
  Bound bound = Bound::best;
  double C = 100;           // of 1/2 |w|^2 + (C / m) sum_u H_u, pairs scaled to unit mean squared norm
  bool paper_C = false;     // the paper's: 1/2 |w|^2 + C sum_u H_u on the pairs as they are
  std::size_t rounds = 0;   // as in TrainOptions
  SolveOptions solve = {};  // of each round
  ComputeOptions compute = {.threads = 1};

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

struct JointResult {
  JointRanker ranker;
  SolveReport solve;          // of the last round, in the units of C
  double explained_risk = 0;  // 1 - P(w) / P(0)
  std::size_t dropped = 0;    // users without anything to rank
};

/// DORM: every user is a query, the items he rated are its documents. Rounds start from ridge regression on the
/// ratings, with the same kernel. Throws Error(bad_input) when there is nothing to learn, or when the kernel does not
/// fit the ratings.
JointResult train_joint(const JointKernel& kernel, const Ratings& ratings, const JointOptions& options = {},
                        const Observer& observer = {});

/// What rounds start from, as a ranker: ridge regression on the ratings less the mean of their user, with lambda in
/// units of the mean squared norm of pairs times their number.
JointRanker train_joint_ridge(const JointKernel& kernel, const Ratings& ratings, double lambda = 1e-3);

struct PerceptronOptions {
  std::size_t passes = 5;
  std::uint64_t seed = 1;  // the order of the ratings
};

/// JRank (Basilico and Hofmann 2004): a perceptron in the space of the kernel with one threshold between any two
/// neighbouring ratings, all of them shared by all users; the average over all steps.
JointRanker train_jrank(const JointKernel& kernel, const Ratings& ratings, const PerceptronOptions& options = {});

/// PRank (Crammer and Singer 2001): the same for each user alone, with the similarities of items only. Score it by
/// prank_scores: its coefficients mean nothing to other users.
JointRanker train_prank(const Similarities& items, const Ratings& ratings, const PerceptronOptions& options = {});
std::vector<double> prank_scores(const Similarities& items, const JointRanker& ranker, const Ratings& asked);

}  // namespace dorm
