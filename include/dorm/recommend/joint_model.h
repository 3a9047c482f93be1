// SPDX-License-Identifier: Apache-2.0
// Joint kernels as models: trained by name, saved, loaded, and asked for recommendations like a factorization.
// docs/joint-kernels.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/model.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/joint.h"
#include "dorm/train.h"

namespace dorm {

/// dorm, ridge[:lambda], jrank[:passes], prank[:passes].
std::span<const CatalogEntry> joint_method_catalog();

struct JointModelOptions {
  std::string method = "dorm";                     // a spelling of joint_method_catalog()
  std::string kernel = "auto";                     // a text for make_joint_kernel(); prank takes its items only
  JointOptions train = {.bound = Bound::average};  // of dorm; the others take its seed

  void validate() const;  // throws Error naming the option and what is allowed
};

/// The options that joint kernels share with other rankers, taken over; `kernel` as in JointModelOptions.
JointModelOptions joint_model_options(const TrainOptions& from, const std::string& method, const std::string& kernel);

/// A plain value. `similarities` follow from the rest: of the items by the users trained on, of the users by all
/// that are known.
struct JointModel {
  std::string kernel, method;                 // as settled: spellings without auto
  Ratings known;                              // trained on, then those of users that were folded in
  std::size_t trained_users = 0;              // the first of its users
  SideFeatures user_features, item_features;  // of users and items; no ids: none
  Similarities own_users, own_items;          // of the part `given`; size 0: none
  JointKernel similarities;
  JointRanker ranker;
  std::vector<std::string> item_titles;  // as in FactorModel
  RatingGrades grades;
  std::string measure, convention, decay, bound, solver;  // of dorm; else empty
  double C = 0, tolerance = 0, explained_risk = 0;
  bool paper_C = false;
  std::uint64_t seed = 1;
  std::size_t dropped = 0;  // users without anything to rank
  Certificate certificate;  // of dorm; else its status is empty

  const IdTable& users() const { return known.users(); }
  const IdTable& items() const { return known.items(); }
  std::span<const std::uint32_t> seen_by(std::size_t user) const { return known.of_user(user).index; }
  std::string_view title(std::size_t item) const {  // "": not known
    return item < item_titles.size() ? std::string_view(item_titles[item]) : std::string_view();
  }
};

/// Throws Error for a method or kernel that cannot be, and as train_joint() does.
JointModel train_joint_model(const Ratings& ratings, const JointModelOptions& options = {},
                             const JointInputs& inputs = {}, const Observer& observer = {});

/// One score per rating of `ratings`, user by user, matched by id. A user the model does not know is like all others as
/// far as the kernel has a part `constant`; an item it does not know has score 0.
std::vector<double> score(const JointModel& model, const Ratings& ratings, UnknownIds* unknown = nullptr,
                          std::size_t threads = 0);
/// Of pairs of users and items, by their numbers in the model.
std::vector<double> score_pairs(const JointModel& model, std::span<const std::uint32_t> users,
                                std::span<const std::uint32_t> items);
std::size_t count_trained(const JointModel& model, const Ratings& ratings);
void set_titles(JointModel& model, const SideFeatures& titles);
EvaluationTable evaluate(const JointModel& model, const Ratings& ratings, std::span<const double> scores,
                         std::span<const std::string> measures, const EvaluateOptions& options);

/// For each of these users the n items of the largest score, best first, ties by index, without those he has rated
/// unless `with_seen`.
std::vector<std::vector<Recommendation>> recommend(const JointModel& model, std::span<const std::uint32_t> users,
                                                   std::size_t n, bool with_seen = false, std::size_t threads = 0);
/// The items most like this one: K_I, as a cosine, largest first, without `item` itself.
std::vector<Recommendation> similar_items(const JointModel& model, std::size_t item, std::size_t n);

/// New users without retraining: they are compared with those trained on by their ratings and features. Users the model
/// knows stay as they are. Returns how many ratings were ignored: theirs, and those of items it does not know. Throws
/// Error(unsupported) where a user is like nobody but himself (prank), or by a matrix (given).
std::size_t fold_in_users(JointModel& model, const Ratings& ratings, const SideFeatures* features = nullptr,
                          std::size_t threads = 0);

/// Files as those of save_factors(): similarities are not stored but made anew.
void save_joint(const JointModel& model, const std::string& path);
JointModel load_joint(const std::string& path);
std::string joint_to_bytes(const JointModel& model);
JointModel joint_from_bytes(std::string bytes, const std::string& name);
bool is_joint_file(const std::string& path);

}  // namespace dorm
