// SPDX-License-Identifier: Apache-2.0
// Factorizations of ratings. Parts are those of a ridge regression on the items that the user has rated: with the rows
// f_j of these items, A = sum f_j f_j' + ridge I and the learnt row w of the user, item j adds f_i' A^-1 f_j (f_j' w).
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <mutex>

#include "base/vector/vector_ops.h"
#include "dorm/recommend/recommender.h"
#include "recommend/factor/best_items.h"

namespace dorm {
namespace {

std::unique_ptr<FactorModel> without_users(const FactorModel& model) {
  auto copy = std::make_unique<FactorModel>();
  copy->items = model.items;
  copy->layout = model.layout;
  copy->item_features = model.item_features;
  copy->user_features = model.user_features;
  copy->user_factors = FactorMatrix(0, model.layout.width());
  copy->item_factors = model.item_factors;
  copy->offsets = model.offsets;
  copy->implicit = model.implicit;
  copy->mean = model.mean;
  copy->unit = model.unit;
  copy->grades = model.grades;
  copy->seen_begin = {0};
  copy->options = model.options;
  copy->rounds = model.rounds;
  return copy;
}

class FactorRecommending final : public Recommending {
 public:
  explicit FactorRecommending(const FactorModel& model) : model_(model) {}

  const IdTable& users() const override { return model_.users; }
  const IdTable& items() const override { return model_.items; }
  bool has_titles() const override { return !model_.item_titles.empty(); }
  std::string_view title(std::size_t item) const override { return model_.title(item); }
  const char* kind() const override { return "factors"; }
  const std::string& measure() const override { return model_.options.measure; }

  Taste known(std::size_t user) const override { return taste_of(model_, user); }

  Taste newcomer(std::span<const ItemRating> given) const override {
    std::unique_ptr<FactorModel> model = take_spare();
    IdTable items;
    std::vector<Rating> rated;
    for (const ItemRating& each : given) rated.push_back({0, items.add(model_.items[each.item]), each.value});
    if (rated.empty()) rated.push_back({0, items.add(unknown_item()), 1});  // a user without ratings is not folded in
    fold_in_users(*model, Ratings(IdTable({"newcomer"}), items, rated), nullptr, 1);
    Taste taste = taste_of(*model, 0);
    model->users = {};  // nobody meets those who came before
    model->user_factors = FactorMatrix(0, model->layout.width());
    model->seen_begin = {0};
    model->seen.clear();
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(model));
    return taste;
  }

  void score(const Taste& taste, std::span<double> scores) const override {
    for (std::size_t i = 0; i < scores.size(); ++i)
      scores[i] = model_.offsets[i] + dot(taste.row, model_.item_factors.row(i));
  }

  std::vector<double> parts(const Taste& taste, std::size_t item) const override {
    const std::size_t width = model_.layout.user_width() - 1;  // without the constant: it orders nothing
    std::vector<double> parts(taste.seen.size());
    if (width == 0 || parts.empty()) return parts;
    const auto learnt = [&](std::span<const double> row) {
      return Eigen::Map<const Eigen::VectorXd>(row.data() + 1, static_cast<Eigen::Index>(width));
    };
    const double given = model_.options.start_lambda, ridge = given > 0 && std::isfinite(given) ? given : 1;
    Eigen::MatrixXd matrix = ridge * Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(width),  //
                                                               static_cast<Eigen::Index>(width));
    for (const std::uint32_t j : taste.seen)
      matrix.selfadjointView<Eigen::Lower>().rankUpdate(learnt(model_.item_factors.row(j)));
    const Eigen::VectorXd answer =
        matrix.selfadjointView<Eigen::Lower>().llt().solve(learnt(model_.item_factors.row(item)));
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto row = learnt(model_.item_factors.row(taste.seen[k]));
      parts[k] = row.dot(answer) * row.dot(learnt(taste.row));
    }
    return parts;
  }

  std::vector<Recommendation> like_item(std::size_t item, std::size_t n) const override {
    return similar_items(model_, item, n);
  }
  std::vector<Recommendation> like_user(std::size_t user, std::size_t n) const override {
    return nearest_rows(model_.user_factors, {1, model_.layout.width() - 2}, user, n);
  }

 private:
  std::string unknown_item() const {
    std::string id = "?";
    while (model_.items.find(id)) id += '?';
    return id;
  }

  static Taste taste_of(const FactorModel& model, std::size_t user) {
    const auto row = model.user_factors.row(user);
    const auto seen = model.seen_by(user);
    return {{row.begin(), row.end()}, {seen.begin(), seen.end()}, {}};
  }

  std::unique_ptr<FactorModel> take_spare() const {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        std::unique_ptr<FactorModel> model = std::move(spare_.back());
        spare_.pop_back();
        return model;
      }
    }
    return without_users(model_);
  }

  const FactorModel& model_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<FactorModel>> spare_;  // without users, for newcomers
};

}  // namespace

std::unique_ptr<const Recommending> recommending(const FactorModel& model) {
  return std::make_unique<FactorRecommending>(model);
}

}  // namespace dorm
