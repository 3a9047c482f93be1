// SPDX-License-Identifier: Apache-2.0
// Ranking matrix factorization: the score of item j for user u is offset_j + <U_u, V_j>, and U and V minimise
//
//   sum_u H_u(scores of the items u has rated) + lambda/2 (|U - U0|^2 + |V - V0|^2),
//
// H_u being the bound of a ranking measure on the user's list and (U0, V0) a squared-loss factorization.
// docs/ratings.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/evaluate.h"
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

/// Options that are learnt from the training ratings instead of being taken as they stand: by held-out ratings, and the
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
  double item_damping = 5;        // an item's mean is damped by so many ratings
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

/// One half of a round: a convex problem, solved to its gap. Objectives are of the whole problem.
struct HalfStep {
  std::size_t round = 0;  // from 1
  bool items = false;     // else users
  double before = 0;      // the objective at the start of the step, references chosen there
  double after = 0;       // at its end, never larger
  double gap = 0;         // (primal - dual) / primal of the half step's own problem
  std::uint64_t passes = 0;
  double seconds = 0;
};

/// The state of training after one round; round 0 is the start.
struct FactorRound {
  std::size_t round = 0;
  double objective = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();
  double seconds = 0;  // since the beginning
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

struct FactorizeReport {
  std::vector<HalfStep> half_steps;
  std::vector<FactorRound> rounds;
  std::size_t users_without_order = 0;  // nothing to rank: no ratings, or all the same
  std::string status;                   // rounds, validation, stationary, nothing_to_learn, time_limit, interrupted
  bool finished = true;                 // false: time_limit or interrupted, and a checkpoint has more to do
  double choice_seconds = 0, start_seconds = 0, seconds = 0;  // the last: altogether
};

struct FactorizeResult {
  FactorModel model;
  FactorizeReport report;
};

/// What training may use beside the ratings; borrowed.
struct FactorizeInputs {
  const SideFeatures* item_features = nullptr;
  const SideFeatures* user_features = nullptr;
  const Ratings* validation = nullptr;  // ratings to choose the round by, matched by id
  const FactorModel* warm = nullptr;    // start from its factors, matched by id, instead of the squared loss
};

struct FactorizeProgress {
  std::string_view stage;  // choice, start, items, users
  std::size_t round = 0;   // of stage choice: the settings that were tried
  double objective = 0, gap = 0;
  double validation = std::numeric_limits<double>::quiet_NaN();  // of the best round so far
};
/// Called after every sweep and pass; false stops training, which keeps the best round.
using FactorizeObserver = std::function<bool(const FactorizeProgress&)>;

FactorizeResult factorize(const Ratings& train, const FactorizeOptions& options = {},
                          const FactorizeInputs& inputs = {}, const FactorizeObserver& observer = {});

/// One score per rating of `ratings`, user by user, matched by id. A user the model does not know is scored by the
/// offsets alone; an item it does not know has the offset of an item without ratings. `unknown` counts both.
struct UnknownIds {
  std::size_t users = 0, items = 0;
};
std::vector<double> score(const FactorModel& model, const Ratings& ratings, UnknownIds* unknown = nullptr);
/// How many of the ratings the model was trained on: their users had rated their items. Figures of such ratings say how
/// well a model remembers.
std::size_t count_trained(const FactorModel& model, const Ratings& ratings);
/// Names the items of the model by these titles; those that have none keep what they had.
void set_titles(FactorModel& model, const SideFeatures& titles);
/// The measures of the users' lists under these scores, with the labels that the model's grades make of the ratings.
EvaluationTable evaluate(const FactorModel& model, const Ratings& ratings, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options);

struct Recommendation {
  std::uint32_t item = 0;
  double score = 0;
};
/// The n items of the largest score, best first, ties by index. `exclude` holds increasing item indices.
std::vector<Recommendation> recommend(const FactorModel& model, std::span<const double> user_row, std::size_t n,
                                      std::span<const std::uint32_t> exclude);
/// For a user of the model, without the items the user has rated in training unless `with_seen`.
std::vector<Recommendation> recommend(const FactorModel& model, std::size_t user, std::size_t n,
                                      bool with_seen = false);
/// The items whose learnt factors point the same way: cosine, largest first, without `item` itself.
std::vector<Recommendation> similar_items(const FactorModel& model, std::size_t item, std::size_t n);

/// New users without retraining: the squared-loss start and one exact user step with the items fixed. Users the model
/// knows are replaced; items it does not know are ignored. Returns how many ratings were ignored.
std::size_t fold_in_users(FactorModel& model, const Ratings& ratings, const SideFeatures* features = nullptr,
                          std::size_t threads = 0);
/// New items without retraining, by squared loss against the users' factors; ratings by unknown users are ignored.
/// Items the model knows are left as they are.
std::size_t fold_in_items(FactorModel& model, const Ratings& ratings, const SideFeatures* features = nullptr,
                          std::size_t threads = 0);

/// The file is a line that names the format, a JSON header and the arrays, with a checksum over all of it. A
/// loaded model equals the saved one, bit for bit. load throws Error(bad_input) for a file that is damaged, cut
/// short or newer.
void save_factors(const FactorModel& model, const std::string& path);
FactorModel load_factors(const std::string& path);
/// The same content in memory; `name` is for messages.
std::string factors_to_bytes(const FactorModel& model);
FactorModel factors_from_bytes(std::string bytes, const std::string& name);
/// Whether the file begins like one of save_factors(). Looks at regular files and at pipes that this process holds
/// open, from which nothing is taken; false for anything else. Throws Error(io) when the file cannot be read.
bool is_factor_file(const std::string& path);

}  // namespace dorm
