// SPDX-License-Identifier: Apache-2.0
// Many recommenders on the same splits of ratings, with the table, tests and cells of comparison.h. Guide:
// docs/comparisons.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/lab/collaborative.h"
#include "dorm/lab/comparison.h"

namespace dorm {

struct RecommenderComparison {
  std::vector<std::string> methods;                         // spellings of collaborative_catalog()
  std::vector<std::string> measures = {"ndcg@10", "ndcg"};  // each is chosen and trained for in turn
  std::size_t given = 10;  // ratings of each user to train on, the others test; 0: `share`
  double share = 0.2;      // of all ratings to test on
  std::size_t splits = 1;  // with seeds split_seed, split_seed + 1, ...
  std::uint64_t split_seed = 0;
  bool choose = true;        // parameters that are not spelled by held-out training ratings; else their defaults
  std::string against = {};  // as in ComparisonOptions, and so are the others below
  std::string convention = "standard";
  CollaborativeOptions train = {};  // `measure` is set in turn
  std::size_t threads = 0;
  std::string directory = {};

  void validate() const;  // throws Error naming the option and what is allowed
};

/// Test lists are users: values of a user are averaged over the splits before intervals and tests are made, so that a
/// user counts once. `train_queries` are the users with training ratings of each split.
ComparisonResult compare_recommenders(const Ratings& ratings, const RecommenderComparison& options,
                                      const CollaborativeInputs& inputs = {}, const ComparisonObserver& observer = {});

}  // namespace dorm
