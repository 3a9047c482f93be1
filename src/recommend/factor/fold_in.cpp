// SPDX-License-Identifier: Apache-2.0
// New users and items for a trained model.
#include <algorithm>

#include "recommend/factor/factor_start.h"
#include "recommend/factor/implicit.h"
#include "recommend/factor/item_prior.h"
#include "recommend/factor/squared_loss.h"
#include "recommend/factor/user_step.h"

namespace dorm {
namespace {

// The ratings with the model's item numbers; new users are added to its table.
struct Translated {
  Ratings ratings;
  std::vector<std::uint32_t> user_of;  // by user of the original ratings, in the model
  std::size_t ignored = 0;
};

Translated to_model_items(FactorModel& model, const Ratings& ratings) {
  Translated result;
  std::vector<Rating> known;
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const RatingRow row = ratings.of_user(u);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto item = model.items.find(ratings.items()[row.index[i]]);
      if (item)
        known.push_back({static_cast<std::uint32_t>(u), *item, row.value[i]});
      else
        ++result.ignored;
    }
    result.user_of.push_back(row.size() > 0 ? model.users.add(ratings.users()[u])
                                            : model.users.find(ratings.users()[u]).value_or(0));
  }
  result.ratings = Ratings(ratings.users(), model.items, known);
  return result;
}

// The items each user has seen, with the rows of replaced and new users taken from `fresh`.
void renew_seen(FactorModel& model, const Translated& fresh) {
  std::vector<std::span<const std::uint32_t>> rows(model.users.size());
  for (std::size_t u = 0; u + 1 < model.seen_begin.size(); ++u) rows[u] = model.seen_by(u);
  for (std::size_t u = 0; u < fresh.user_of.size(); ++u)
    if (fresh.ratings.of_user(u).size() > 0) rows[fresh.user_of[u]] = fresh.ratings.of_user(u).index;
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> seen;
  for (const auto& row : rows) {
    seen.insert(seen.end(), row.begin(), row.end());
    begin.push_back(seen.size());
  }
  model.seen = std::move(seen);
  model.seen_begin = std::move(begin);
}

void add_rows(FactorMatrix& matrix, std::size_t rows) {
  matrix.rows = rows;
  matrix.values.resize(rows * matrix.width, 0.0);
}

}  // namespace

std::size_t fold_in_users(FactorModel& model, const Ratings& ratings, const SideFeatures* features,
                          std::size_t threads) {
  const Translated fresh = to_model_items(model, ratings);
  add_rows(model.user_factors, model.users.size());
  ThreadPool pool(thread_count(threads));
  const Ridges ridges = ridges_of(model.layout, model.options.start_lambda);
  std::vector<RowSolver> solvers(pool.size());
  pool.run(ratings.num_users(), [&](std::size_t u, std::size_t worker) {
    if (ratings.of_user(u).size() == 0) return;
    const auto row = model.user_factors.row(fresh.user_of[u]);
    std::fill(row.begin(), row.end(), 0.0);
    fix_user_row(model.layout, features, ratings.users()[u], row);
    solve_user_row(model, ridges, fresh.ratings.of_user(u), row, solvers[worker]);
  });
  if (model.rounds > 0) {
    RankingLists lists(fresh.ratings, model.options, pool, model.grades);
    std::vector<UserStep> steps = user_steps(pool.size(), model.options);
    const std::size_t width = model.layout.user_width();
    pool.run(lists.size(), [&](std::size_t l, std::size_t worker) {
      const auto row = model.user_factors.row(fresh.user_of[lists[l].user]);
      std::vector<double> centre(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(width));
      if (!model.options.centred) prior_mean(model, lists.row(l).index, centre);
      steps[worker].solve(lists, l, model.item_factors, model.offsets, centre, row);
    });
  }
  renew_seen(model, fresh);
  return fresh.ignored;
}

std::size_t fold_in_items(FactorModel& model, const Ratings& ratings, const SideFeatures* features,
                          std::size_t threads) {
  std::vector<std::vector<std::uint32_t>> raters;
  std::vector<std::vector<float>> values;
  const std::size_t first_new = model.items.size();
  std::size_t ignored = 0;
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    const RatingRow row = ratings.of_item(j);
    if (row.size() == 0 || model.items.find(ratings.items()[j])) continue;
    model.items.add(ratings.items()[j]);
    raters.emplace_back();
    values.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto user = model.users.find(ratings.users()[row.index[i]]);
      ignored += !user;
      if (!user) continue;
      raters.back().push_back(*user);
      values.back().push_back(row.value[i]);
    }
  }
  add_rows(model.item_factors, model.items.size());
  if (model.implicit.rows > 0) add_rows(model.implicit, model.items.size());
  model.offsets.resize(model.items.size());
  ThreadPool pool(thread_count(threads));
  const Ridges ridges = ridges_of(model.layout, model.options.start_lambda);
  std::vector<RowSolver> solvers(pool.size());
  pool.run(raters.size(), [&](std::size_t k, std::size_t worker) {
    const std::size_t item = first_new + k;
    double sum = 0;
    for (const float value : values[k]) sum += (value - model.mean) / model.unit;
    model.offsets[item] = damped_offset(model.options, sum, values[k].size());
    fix_item_row(model.layout, features, model.items[item], model.item_factors.row(item));
    solve_item_row(model, ridges, {raters[k], values[k]}, model.offsets[item], model.item_factors.row(item),
                   solvers[worker]);
  });
  return ignored;
}

}  // namespace dorm
