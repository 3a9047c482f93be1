// SPDX-License-Identifier: Apache-2.0
// Models of events: the parts of ALS are those of Hu, Koren and Volinsky (2008), section 5; those of EASE are entries
// of its matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "base/parallel.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "dorm/recommend/recommender.h"
#include "recommend/factor/best_items.h"
#include "recommend/implicit/als.h"
#include "recommend/implicit/scorer.h"

namespace dorm {
namespace {

class ImplicitRecommending final : public Recommending {
 public:
  explicit ImplicitRecommending(const ImplicitModel& model) : model_(model) {}

  const IdTable& users() const override { return model_.users; }
  const IdTable& items() const override { return model_.items; }
  bool has_titles() const override { return !model_.item_titles.empty(); }
  std::string_view title(std::size_t item) const override { return model_.title(item); }
  const char* kind() const override { return "implicit"; }
  const std::string& measure() const override { return model_.options.measure; }

  Taste known(std::size_t user) const override {
    const auto row = model_.user_factors.row(user);
    const auto seen = model_.seen_by(user);
    const auto weights = std::span(model_.seen_weights).subspan(model_.seen_begin[user], seen.size());
    return {{row.begin(), row.end()}, {seen.begin(), seen.end()}, {weights.begin(), weights.end()}};
  }

  Taste newcomer(std::span<const ItemRating> given) const override {
    std::vector<ItemRating> events(given.begin(), given.end());
    std::stable_sort(events.begin(), events.end(),
                     [](const ItemRating& x, const ItemRating& y) { return x.item < y.item; });
    Taste taste;
    taste.row.resize(model_.item_factors.width);
    for (const ItemRating& event : events) {
      if (!(event.value > 0) || !std::isfinite(event.value))
        throw Error(ErrorCode::bad_input, fmt::format("item \"{}\" has an event of weight {}; expected more than 0",
                                                      model_.items[event.item], event.value));
      if (!taste.seen.empty() && taste.seen.back() == event.item) {
        taste.weights.back() += event.value;
        continue;
      }
      taste.seen.push_back(event.item);
      taste.weights.push_back(event.value);
    }
    AlsRow().solve(fixed_items(), {taste.seen, taste.weights}, taste.row);
    return taste;
  }

  void score(const Taste& taste, std::span<double> scores) const override {
    scorer().fill(taste.row, taste.seen, scores);
  }

  std::vector<double> parts(const Taste& taste, std::size_t item) const override {
    std::vector<double> parts(taste.seen.size());
    if (model_.als_weight != 0 && !parts.empty()) {
      std::vector<double> answer(model_.item_factors.width);
      AlsRow().answer(fixed_items(), {taste.seen, taste.weights}, model_.item_factors.row(item), answer);
      for (std::size_t k = 0; k < parts.size(); ++k)
        parts[k] = model_.als_weight * (1 + model_.options.als.alpha * static_cast<double>(taste.weights[k])) *
                   dot(model_.item_factors.row(taste.seen[k]), answer);
    }
    if (model_.ease_weight != 0)
      for (std::size_t k = 0; k < parts.size(); ++k)
        parts[k] += model_.ease_weight * static_cast<double>(model_.ease[taste.seen[k] * model_.items.size() + item]);
    return parts;
  }

  std::vector<Recommendation> like_item(std::size_t item, std::size_t n) const override {
    return similar_items(model_, item, n);
  }
  std::vector<Recommendation> like_user(std::size_t user, std::size_t n) const override {
    return nearest_rows(model_.user_factors, {0, model_.user_factors.width}, user, n);
  }

 private:
  /// Made when a question needs it first: its time is that of a pass over the items.
  const AlsSide& fixed_items() const {
    std::call_once(once_, [&] {
      ThreadPool pool(1);
      fixed_items_.emplace(model_.item_factors, model_.options.als, pool);
    });
    return *fixed_items_;
  }

  ImplicitScorer scorer() const {
    return {model_.user_factors, model_.item_factors, model_.ease, model_.als_weight, model_.ease_weight};
  }

  const ImplicitModel& model_;
  mutable std::once_flag once_;
  mutable std::optional<AlsSide> fixed_items_;
};

}  // namespace

std::unique_ptr<const Recommending> recommending(const ImplicitModel& model) {
  return std::make_unique<ImplicitRecommending>(model);
}

}  // namespace dorm
