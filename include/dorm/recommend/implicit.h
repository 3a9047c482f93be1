// SPDX-License-Identifier: Apache-2.0
// A recommender for likes, plays and purchases: the weighted sum of two closed-form learners,
//
//   score(u, i) = s_A <U_u, V_i> + s_E sum of B_ji over the items j of u.
//
// U and V are implicit ALS (Hu, Koren, Volinsky 2008), B is EASE (Steck 2019). docs/recommend.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/recommend/catalogue.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

/// U and V minimise  sum_ui (1 + alpha r_ui) (p_ui - <U_u, V_i>)^2 + ridge (|U|^2 + |V|^2)  over all users and items;
/// r is the weight of the events (0: none), and p is 1 where r > 0, else 0.
struct AlsOptions {
  std::size_t factors = 64, iterations = 15;
  double ridge = 10, alpha = 10;
  std::uint64_t seed = 1;
};

/// Options that are chosen by held-out events instead of being taken as given.
struct ImplicitSearch {
  bool factors = true, iterations = true, ridge = true, alpha = true, ease_ridge = true, ease_share = true;

  static ImplicitSearch none() { return {false, false, false, false, false, false}; }
  bool any() const { return factors || iterations || ridge || alpha || ease_ridge || ease_share; }
};

struct ImplicitOptions {
  std::string measure = "ndcg@10";  // that chooses; any of evaluate_catalogue() of which more is better
  AlsOptions als;
  double ease_ridge = 300;
  double ease_share = 0.5;  // of EASE in the sum, both at unit spread; 0: ALS alone
  double held_out = 0.2;    // share of the events that choose
  ImplicitSearch search;
  double memory = 4e9;      // bytes that EASE may take
  double seconds = 0;       // 0: no limit
  std::size_t threads = 0;  // 0: all cores; the model does not depend on it

  void validate() const;  // throws Error naming the option, its value and what is allowed
};

/// Options that were tried on held-out events; `method` is als, ease or average.
struct ImplicitTrial {
  std::string method;
  AlsOptions als;
  double ease_ridge = 0, ease_share = 0, value = 0;
};

struct ImplicitModel {
  IdTable users, items;
  std::vector<std::string> item_titles;     // by item, "" where not known; empty: of none
  FactorMatrix user_factors, item_factors;  // of ALS
  std::vector<float> ease;                  // B by rows, items x items; empty: none
  double als_weight = 1, ease_weight = 0;   // s_A and s_E: shares over spreads
  std::vector<std::uint64_t> seen_begin;    // items of user u: [seen_begin[u], ...)
  std::vector<std::uint32_t> seen;          // increasing within a user
  std::vector<float> seen_weights;
  ImplicitOptions options;  // as chosen, without threads, memory and seconds
  std::vector<ImplicitTrial> trials;
  double validation = 0;  // of the chosen options on held-out events; NaN: none were held out

  std::span<const std::uint32_t> seen_by(std::size_t user) const {
    return std::span(seen).subspan(seen_begin[user], seen_begin[user + 1] - seen_begin[user]);
  }
  std::string_view title(std::size_t item) const {  // "": not known
    return item < item_titles.size() ? std::string_view(item_titles[item]) : std::string_view();
  }
};

struct ImplicitProgress {
  std::string_view stage;  // als, ease, average, or final: on all events
  std::size_t trials = 0;
  double best = 0;  // the measure on held-out events
};
/// Called every second or more often; false stops the search, and the model is the best so far.
using ImplicitObserver = std::function<bool(const ImplicitProgress&)>;

struct ImplicitResult {
  ImplicitModel model;
  std::string status;  // finished, time_limit or interrupted
  std::string note;    // why EASE has no part; empty: it was tried
  std::string kept;    // what a training that was cut short has left; empty: it was not
  double search_seconds = 0, seconds = 0;
};

/// Chooses the options on held-out events, then trains on all of them; a training that is interrupted or late returns
/// the best model of the search, or as much as there is. Throws Error(bad_input) where there is nothing to learn,
/// Error(bad_option) where EASE is asked for and does not fit into the memory or the time limit left no model, and
/// Error(unsupported) where an interruption left none.
ImplicitResult train_implicit(Ratings events, const ImplicitOptions& options = {},
                              const ImplicitObserver& observer = {});

/// The learners of a model that count in a score.
enum class ImplicitPart { both, als, ease };
/// Scores of all items for a user of the model.
void score_items(const ImplicitModel& model, std::size_t user, std::span<double> scores,
                 ImplicitPart part = ImplicitPart::both);
std::vector<double> score(const ImplicitModel& model, const Ratings& ratings, UnknownIds* unknown = nullptr);
std::size_t count_trained(const ImplicitModel& model, const Ratings& ratings);
void set_titles(ImplicitModel& model, const SideFeatures& titles);
EvaluationTable evaluate(const ImplicitModel& model, const Ratings& ratings, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options);
/// The n items of the largest score, best first, ties by index, without the items of the user unless `with_seen`.
std::vector<Recommendation> recommend(const ImplicitModel& model, std::size_t user, std::size_t n,
                                      bool with_seen = false);
/// Items by the cosine of their factors, largest first, without `item` itself.
std::vector<Recommendation> similar_items(const ImplicitModel& model, std::size_t item, std::size_t n);
/// New users without retraining: one exact step of ALS with the items fixed. Users that the model knows are replaced;
/// items that it does not know are ignored. Returns how many events were ignored.
std::size_t fold_in_users(ImplicitModel& model, const Ratings& events, const SideFeatures* features = nullptr,
                          std::size_t threads = 0);

/// Baselines: items by their number of users; the sum of the cosines between an item and those of the user, over the
/// `neighbours` nearest items of each (Deshpande and Karypis 2004).
CatalogueScores popularity_scores(const Ratings& train);
CatalogueScores item_knn_scores(const Ratings& train, std::size_t neighbours, std::size_t threads = 0);

/// A file as save_factors() writes: a line with the format, a JSON header, arrays and a checksum.
void save_implicit(const ImplicitModel& model, const std::string& path);
ImplicitModel load_implicit(const std::string& path);
std::string implicit_to_bytes(const ImplicitModel& model);
ImplicitModel implicit_from_bytes(std::string bytes, const std::string& name);
bool is_implicit_file(const std::string& path);

}  // namespace dorm
