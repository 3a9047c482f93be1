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
#include "dorm/recommend/factor_model.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

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
/// Names the items of the model by these titles; items without one keep theirs.
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
