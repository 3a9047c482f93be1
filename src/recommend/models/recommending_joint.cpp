// SPDX-License-Identifier: Apache-2.0
// Models over joint kernels. A row of a taste holds the similarities of the user to those of the model; the part of an
// item that a user has had is that of all pairs with this item.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "dorm/recommend/recommender.h"
#include "recommend/factor/best_items.h"
#include "recommend/joint/joint_scores.h"

namespace dorm {
namespace {

class JointRecommending final : public Recommending {
 public:
  explicit JointRecommending(const JointModel& model)
      : model_(model), scores_(model.similarities.items, model.ranker), all_(model.items().size()) {
    std::iota(all_.begin(), all_.end(), 0U);
  }

  const IdTable& users() const override { return model_.users(); }
  const IdTable& items() const override { return model_.items(); }
  bool has_titles() const override { return !model_.item_titles.empty(); }
  std::string_view title(std::size_t item) const override { return model_.title(item); }
  const char* kind() const override { return "joint"; }
  const std::string& measure() const override { return model_.measure; }

  Taste known(std::size_t user) const override { return taste_of(model_, user); }

  // Similarities of users are made anew for the model with one user more.
  Taste newcomer(std::span<const ItemRating> given) const override {
    JointModel grown = model_;
    std::string id = "newcomer";
    while (model_.users().find(id)) id += '*';
    std::vector<Rating> rated;
    for (const ItemRating& each : given) rated.push_back({0, each.item, each.value});
    fold_in_users(grown, Ratings(IdTable({id}), model_.items(), rated), nullptr, 1);
    const auto number = grown.users().find(id);
    return number ? taste_of(grown, *number) : Taste{std::vector<double>(model_.similarities.users.size), {}, {}};
  }

  void score(const Taste& taste, std::span<double> scores) const override {
    std::fill(scores.begin(), scores.end(), 0.0);
    scores_.add(taste.row, all_, scores);
  }

  std::vector<double> parts(const Taste& taste, std::size_t item) const override {
    std::vector<double> parts(taste.seen.size());
    for (const PairCoefficient& pair : model_.ranker) {
      const auto at = std::lower_bound(taste.seen.begin(), taste.seen.end(), pair.item);
      if (at != taste.seen.end() && *at == pair.item)
        parts[static_cast<std::size_t>(at - taste.seen.begin())] +=
            pair.value * taste.row[pair.user] * model_.similarities.items.at(pair.item, item);
    }
    return parts;
  }

  std::vector<Recommendation> like_item(std::size_t item, std::size_t n) const override {
    return similar_items(model_, item, n);
  }
  std::vector<Recommendation> like_user(std::size_t user, std::size_t n) const override {
    const Similarities& alike = model_.similarities.users;
    std::vector<Recommendation> candidates;
    for (std::uint32_t u = 0; u < alike.size; ++u) {
      const double length = std::sqrt(alike.at(user, user) * alike.at(u, u));
      if (u != user) candidates.push_back({u, length > 0 ? alike.at(user, u) / length : 0});
    }
    return best_of(std::move(candidates), n);
  }

 private:
  static Taste taste_of(const JointModel& model, std::size_t user) {
    const auto row = model.similarities.users.row(user);
    const auto seen = model.seen_by(user);
    return {{row.begin(), row.end()}, {seen.begin(), seen.end()}, {}};
  }

  const JointModel& model_;
  const ItemScores scores_;
  std::vector<std::uint32_t> all_;
};

}  // namespace

std::unique_ptr<const Recommending> recommending(const JointModel& model) {
  return std::make_unique<JointRecommending>(model);
}

}  // namespace dorm
