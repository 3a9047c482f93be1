// SPDX-License-Identifier: Apache-2.0
// A recommender of any kind, as people ask it: the best items of known and new users, items and users alike, reasons.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/recommend/any_model.h"

namespace dorm {

/// A user as a model sees one. What `row` means is the model's own: factors, or similarities to other users.
struct Taste {
  std::vector<double> row;
  std::vector<std::uint32_t> seen;  // items that the user has had, increasing
  std::vector<float> weights;       // of events, where the model keeps them
};

/// A rating or an event of a new user, by the number of the item.
struct ItemRating {
  std::uint32_t item = 0;
  float value = 1;
};

struct TopQuestion {
  std::size_t n = 10;
  bool with_seen = false;
  std::span<const char> allowed = {};  // by item: 0 is left out; empty: all may be recommended
};

/// score = rest + the parts of all items that the user has had.
struct Explanation {
  double score = 0;
  double rest = 0;                      // what these items do not explain: means of items, features of users
  std::vector<Recommendation> because;  // parts of items that the user has had, largest first
};

/// Borrows its model, which must not change meanwhile. All functions may be called from several threads.
class Recommending {
 public:
  virtual ~Recommending() = default;

  virtual const IdTable& users() const = 0;
  virtual const IdTable& items() const = 0;
  virtual bool has_titles() const = 0;
  virtual std::string_view title(std::size_t item) const = 0;  // "": not known
  virtual const char* kind() const = 0;                        // factors, joint, implicit
  virtual const std::string& measure() const = 0;

  virtual Taste known(std::size_t user) const = 0;
  /// A new user, without a change of the model. Weights of repeated items are added, of ratings the last counts. Throws
  /// Error(bad_input) for a weight of an event that is not above 0, and Error(unsupported) where the model cannot take
  /// new users.
  virtual Taste newcomer(std::span<const ItemRating> given) const = 0;
  virtual void score(const Taste& taste, std::span<double> scores) const = 0;
  /// What each of taste.seen adds to the score of the item.
  virtual std::vector<double> parts(const Taste& taste, std::size_t item) const = 0;
  /// By cosine, largest first, without the item (user) itself; of users, `item` of a row is the number of the user.
  virtual std::vector<Recommendation> like_item(std::size_t item, std::size_t n) const = 0;
  virtual std::vector<Recommendation> like_user(std::size_t user, std::size_t n) const = 0;
};

std::unique_ptr<const Recommending> recommending(const FactorModel& model);
std::unique_ptr<const Recommending> recommending(const JointModel& model);
std::unique_ptr<const Recommending> recommending(const ImplicitModel& model);

/// The best items, best first, ties by index.
std::vector<Recommendation> top_items(const Recommending& model, const Taste& taste, const TopQuestion& question);
/// The same for users of the model, on several threads; the lists do not depend on their number.
std::vector<std::vector<Recommendation>> top_items(const Recommending& model, std::span<const std::uint32_t> users,
                                                   const TopQuestion& question, std::size_t threads = 0);
/// The n largest parts of the score of an item.
Explanation explain(const Recommending& model, const Taste& taste, std::size_t item, std::size_t n);

}  // namespace dorm
