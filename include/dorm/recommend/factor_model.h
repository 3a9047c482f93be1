// SPDX-License-Identifier: Apache-2.0
// A factorization: its options and its factors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/recommend/ratings.h"

namespace dorm {

/// Rows of equal width.
struct FactorMatrix {
  std::size_t rows = 0, width = 0;
  std::vector<double> values;

  FactorMatrix() = default;
  FactorMatrix(std::size_t r, std::size_t w) : rows(r), width(w), values(r * w) {}
  std::span<double> row(std::size_t r) { return std::span(values).subspan(r * width, width); }
  std::span<const double> row(std::size_t r) const { return std::span(values).subspan(r * width, width); }
  bool operator==(const FactorMatrix&) const = default;
};

/// What the coordinates of a factor row mean, in this order: learnt for the user and fixed for the item (its features
/// and those of its neighbours, after a constant), learnt for both, learnt for the item and fixed for the user.
struct FactorLayout {
  std::size_t fixed_item = 1, rank = 0, fixed_user = 1;

  std::size_t width() const { return fixed_item + rank + fixed_user; }
  std::size_t user_width() const { return fixed_item + rank; }  // [0, user_width) is learnt for users
  std::size_t item_begin() const { return fixed_item; }         // [item_begin, width) is learnt for items
  std::size_t item_width() const { return rank + fixed_user; }
  bool operator==(const FactorLayout&) const = default;
};

/// Options that are learnt from the training ratings instead of being taken as given: by held-out ratings, and the
/// item prior by how the means of items spread. None by default, in which case the options decide alone.
struct FactorizeSearch {
  bool start_lambda = false, lambda = false, rounds = false, implicit = false, neighbours = false, item_prior = false;

  static FactorizeSearch all() { return {true, true, true, true, true, true}; }
  bool by_held_out() const { return start_lambda || lambda || rounds || implicit || neighbours; }
  bool operator==(const FactorizeSearch&) const = default;
};

/// The defaults come from measurements (docs/benchmarks.md, docs/ratings-results.md). Scores are in stars: a fourth of
/// the range of the ratings.
struct FactorizeOptions {
  std::size_t rank = 10;
  std::string measure = "ndcg@10";
  std::string convention = "standard";
  std::string decay = "measure";
  std::string bound = "average";  // given, average, best, predicted
  double lambda = 12;             // of the ranking objective
  double margin = 10;             // factor of the measure, in stars
  std::size_t rounds = 2;         // of item step and user step
  bool centred = true;            // regularise towards the start; false: towards 0
  double start_lambda = 12;       // of the squared-loss start; infinity: the item means alone
  std::size_t start_sweeps = 12;
  double item_damping = 5;        // number of ratings at the overall mean that damp an item's mean
  double item_prior = -1;         // of this size, in stars above the mean of all ratings
  double implicit = 0;            // ridge of the table of implicit feedback, relative to start_lambda; 0: no table
  std::size_t neighbours = 0;     // number of item features from the graph of items rated by the same users; 0: none
  double tolerance = 1e-3;        // relative duality gap of each half step
  std::uint64_t max_passes = 50;  // over the users, in each item step
  std::size_t patience = 2;       // rounds without a better validation value before stopping
  double seconds = 0;             // 0: no limit
  std::size_t threads = 0;        // 0: all cores; the model does not depend on it
  std::uint64_t seed = 1;
  FactorizeSearch search;  // what is chosen by the ratings; its values here do not count then
  std::string checkpoint;  // a file to save progress to and resume from; empty: none
  bool keep_checkpoint =
      false;  // leave that of a finished training to the caller, who removes it once the model is safe

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

/// What a measure with gains 2^r - 1 takes for the label of a rating. Ratings that are whole or half stars from
/// 0 to 5 are labels as they are. Any others are stretched: `low` becomes 1, `high` becomes 5, and what lies
/// beyond is cut off.
struct RatingGrades {
  bool stretched = false;
  double low = 1, high = 5;  // the first and last percentile of the training ratings

  float label(float rating) const;
  /// Whether the measure depends on these: ndcg, dcg or mwta without a gain of their own under such a convention.
  bool apply_to(std::string_view measure, std::string_view convention) const;
  bool operator==(const RatingGrades&) const = default;
};

/// A setting that was tried on held-out ratings.
struct FactorCandidate {
  double start_lambda = 0;  // for all ratings; infinity: the item means alone
  double implicit = 0;
  std::size_t neighbours = 0, rounds = 0;
  double lambda = 0;           // of the rounds
  double value = 0;            // mean of the measure over the held-out lists
  double gain = 0, error = 0;  // over the item means: mean over the lists, and its standard error
};

/// How the options were chosen; no candidates: they were given, or there was too little to choose by.
struct FactorChoice {
  std::vector<FactorCandidate> candidates;  // in the order in which they were tried
  std::size_t chosen = 0;                   // the one of the largest gain - error / 2
  std::size_t lists = 0;                    // held-out lists, one of each user
};

struct FactorModel {
  IdTable users, items;
  FactorLayout layout;
  std::vector<std::string> item_features, user_features;  // names of the fixed coordinates
  std::vector<std::string> item_titles;     // by item, what people call it, "" where not known; empty: of none
  FactorMatrix user_factors, item_factors;  // rows of layout.width()
  std::vector<double> offsets;              // by item, in stars
  FactorMatrix implicit;      // by item: its part in the prior of those who rated it; no rows: no such prior
  double mean = 0, unit = 1;  // rating = mean + unit * stars, about
  RatingGrades grades;
  FactorChoice choice;
  std::vector<std::uint64_t> seen_begin;  // seen items of user u: [seen_begin[u], ...)
  std::vector<std::uint32_t> seen;        // increasing within a user
  FactorizeOptions options;               // without threads, seconds and what belongs to checkpoints
  std::size_t rounds = 0;                 // after which the factors were kept
  double objective = 0, validation = std::numeric_limits<double>::quiet_NaN();

  std::span<const std::uint32_t> seen_by(std::size_t user) const {
    return std::span(seen).subspan(seen_begin[user], seen_begin[user + 1] - seen_begin[user]);
  }
  std::string_view title(std::size_t item) const {  // "": not known
    return item < item_titles.size() ? std::string_view(item_titles[item]) : std::string_view();
  }
};

}  // namespace dorm
