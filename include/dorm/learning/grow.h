// SPDX-License-Identifier: Apache-2.0
// Growing trees by LightGBM, whose shared library is loaded when it is needed. The result is an ensemble as any that is
// read from a file (dorm/learning/trees.h). Guide: docs/trees.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/dataset.h"
#include "dorm/learning/trees.h"
#include "dorm/model.h"

namespace dorm {

/// What boosting minimises.
enum class TreeLoss : std::uint8_t {
  lambdarank,  // LightGBM's own; needs whole labels from 0
  dorm,        // the loss of dorm/objective.h for the measure
  regression   // squared error on labels
};
std::span<const CatalogEntry> tree_loss_catalog();
std::string_view name_of(TreeLoss loss);
TreeLoss parse_tree_loss(std::string_view name);  // throws Error(unknown_name)

struct GrowOptions {
  TreeLoss loss = TreeLoss::lambdarank;
  std::string measure = "ndcg@10";  // of the loss `dorm`
  std::string validated = "";       // by what rounds are chosen; empty: measure
  std::string convention = "standard";
  std::string one_per = "";          // limits on groups in validation (dorm/data/one_per.h)
  std::size_t leaves = 31;           // of a tree, at most
  double rate = 0.05;                // of learning
  std::size_t least_documents = 20;  // of a leaf
  std::size_t rounds = 500;          // trees at most
  std::size_t patience = 50;         // rounds without a better validation after which boosting stops
  std::uint64_t seed = 1;
  std::vector<std::int8_t> signs = {};  // by feature: 1, -1: scores only rise, fall with it; none: all are free

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

struct GrownTrees {
  TreeEnsemble trees;  // features by name; a split is at a missing value's default direction as LightGBM learnt it
  std::size_t rounds = 0;
  double spread = 0;  // root mean squared score over the training documents, centred within queries
  /// Of validation queries, NaN where the measure skips one; equal scores count as in random order. The number of
  /// rounds is chosen on the even queries for the values of the odd ones and the other way round, so that no query
  /// chose for itself. Empty without validation data.
  std::vector<double> per_query;
  std::vector<double> held_scores;                               // of the validation documents, by the same rounds
  double validation = std::numeric_limits<double>::quiet_NaN();  // the mean of those
  bool stopped = false;                                          // by the observer
};

struct GrowProgress {
  std::size_t round = 0, rounds = 0;                             // rounds: at most
  double validation = std::numeric_limits<double>::quiet_NaN();  // of this round, over all queries
};
using GrowObserver = std::function<bool(const GrowProgress&)>;  // false: stop, and use the rounds so far

/// Where LightGBM is: this file, or for an empty path the one that DORM_LIGHTGBM names, a copy of the Python package,
/// or one of the system. Throws Error(unsupported) where there is none, with how to install it.
class LightGbm;
std::shared_ptr<const LightGbm> load_lightgbm(const std::string& path);
std::string lightgbm_file(const LightGbm& library);

/// Training data in LightGBM's form. grow() may be called from several threads at once; a training uses one thread, so
/// that the result depends on the data and the options alone.
class TreeGrower {
 public:
  /// Borrows the data. `validation`: null, or with the features of `train` in the same columns.
  TreeGrower(std::shared_ptr<const LightGbm> library, const Dataset& train, const Dataset* validation);
  ~TreeGrower();
  TreeGrower(const TreeGrower&) = delete;
  TreeGrower& operator=(const TreeGrower&) = delete;

  /// With validation data the rounds up to the best one. Throws Error(bad_input) for labels that the loss cannot use,
  /// and with LightGBM's own message where it refuses the data.
  GrownTrees grow(const GrowOptions& options, const GrowObserver& observer = {}) const;

 private:
  struct State;
  class Boosting;
  std::unique_ptr<State> state_;
};

/// The ranker, with how it was grown and on what data.
Model model_of(GrownTrees grown, const Dataset& train, const GrowOptions& options);

/// Whether the loss can use the labels: lambdarank needs whole grades from 0 to 30.
bool fits(TreeLoss loss, const Dataset& data);

}  // namespace dorm
