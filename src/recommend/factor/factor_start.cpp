// SPDX-License-Identifier: Apache-2.0
#include "recommend/factor/factor_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "dorm/error.h"
#include "recommend/factor/grades.h"
#include "recommend/factor/item_prior.h"
#include "recommend/factor/neighbours.h"

namespace dorm {
namespace {

constexpr double kSpread = 0.1;  // of the random factors

// A sum of twelve uniforms: the same bits everywhere.
double about_normal(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

void set_scale(FactorModel& model, const Ratings& ratings) {
  double sum = 0;
  float lowest = INFINITY, highest = -INFINITY;
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    for (const float value : ratings.of_user(u).value) {
      sum += value;
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  model.mean = sum / static_cast<double>(ratings.size());
  model.grades = grades_of(ratings);
  const double range =
      model.grades.stretched ? model.grades.high - model.grades.low : static_cast<double>(highest) - lowest;
  model.unit = range > 0 ? range / 4 : 1;
}

void set_offsets(FactorModel& model, const Ratings& ratings) {
  model.offsets.resize(ratings.num_items());
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    double sum = 0;
    for (const float value : ratings.of_item(j).value) sum += (value - model.mean) / model.unit;
    model.offsets[j] = damped_offset(model.options, sum, ratings.of_item(j).size());
  }
}

void set_seen(FactorModel& model, const Ratings& ratings) {
  model.seen_begin.assign(1, 0);
  for (std::size_t u = 0; u < ratings.num_users(); ++u) {
    const auto items = ratings.of_user(u).index;
    model.seen.insert(model.seen.end(), items.begin(), items.end());
    model.seen_begin.push_back(model.seen.size());
  }
}

// The features of `id` at unit length.
void write_features(const SideFeatures* features, std::string_view id, std::span<double> out) {
  std::fill(out.begin(), out.end(), 0.0);
  const auto row = features == nullptr ? std::nullopt : features->ids.find(id);
  if (!row) return;
  const std::size_t width = features->names.size();
  if (width > out.size())
    throw Error(ErrorCode::bad_input, fmt::format("{} features; the model has {}", width, out.size()));
  double squares = 0;
  for (std::size_t c = 0; c < width; ++c) {
    out[c] = features->values[*row * width + c];
    squares += out[c] * out[c];
  }
  if (squares > 0)
    for (double& x : out) x /= std::sqrt(squares);
}

std::vector<std::string> names_of(const SideFeatures* features) {
  return features == nullptr ? std::vector<std::string>() : features->names;
}

}  // namespace

void fix_user_row(const FactorLayout& layout, const SideFeatures* features, std::string_view id,
                  std::span<double> row) {
  write_features(features, id, row.subspan(layout.user_width(), layout.fixed_user - 1));
  row.back() = 1;
}

void fix_item_row(const FactorLayout& layout, const SideFeatures* features, std::string_view id,
                  std::span<double> row) {
  row.front() = 1;
  write_features(features, id, row.subspan(1, layout.fixed_item - 1));
}

FactorizeOptions deciding_options(FactorizeOptions options) {
  options.threads = 0;
  options.seconds = 0;
  options.checkpoint.clear();
  options.keep_checkpoint = false;
  options.search = {};
  return options;
}

FactorModel unlearnt_model(const Ratings& ratings, const FactorizeOptions& options, const FactorizeInputs& inputs,
                           ThreadPool& pool) {
  if (ratings.size() == 0) throw Error(ErrorCode::bad_input, "no ratings to learn from");
  FactorModel model;
  model.users = ratings.users();
  model.items = ratings.items();
  model.options = deciding_options(options);
  model.item_features = names_of(inputs.item_features);
  if (inputs.item_features != nullptr) set_titles(model, *inputs.item_features);
  const std::size_t known = model.item_features.size();
  for (std::size_t k = 1; k <= options.neighbours; ++k) model.item_features.push_back(fmt::format("neighbours {}", k));
  model.user_features = names_of(inputs.user_features);
  model.layout = {model.item_features.size() + 1, options.rank, model.user_features.size() + 1};
  set_scale(model, ratings);
  if (options.search.item_prior) {
    const ItemPrior prior = learn_item_prior(ratings, model.mean, model.unit);
    model.options.item_damping = prior.damping;
    model.options.item_prior = prior.centre;
  }
  set_offsets(model, ratings);
  set_seen(model, ratings);
  model.user_factors = FactorMatrix(ratings.num_users(), model.layout.width());
  model.item_factors = FactorMatrix(ratings.num_items(), model.layout.width());
  for (std::size_t u = 0; u < ratings.num_users(); ++u)
    fix_user_row(model.layout, inputs.user_features, model.users[u], model.user_factors.row(u));
  if (options.implicit > 0) model.implicit = FactorMatrix(ratings.num_items(), model.layout.user_width() - 1);
  FactorMatrix near;
  if (options.neighbours > 0) near = neighbour_features(ratings, options.neighbours, options.seed, pool);
  Rng rng(options.seed);
  for (std::size_t j = 0; j < ratings.num_items(); ++j) {
    const auto row = model.item_factors.row(j);
    fix_item_row(model.layout, inputs.item_features, model.items[j], row);
    if (near.rows > 0) std::copy(near.row(j).begin(), near.row(j).end(), row.begin() + 1 + known);
    for (double& x : row.subspan(model.layout.item_begin(), options.rank)) x = kSpread * about_normal(rng);
  }
  return model;
}

void copy_factors(const FactorModel& from, FactorModel& to) {
  if (from.layout != to.layout || from.item_features != to.item_features || from.user_features != to.user_features)
    throw Error(ErrorCode::bad_input,
                fmt::format("the model to start from has rank {}, {} item features and {} user features; "
                            "expected rank {} and the {} and {} features given here",
                            from.layout.rank, from.item_features.size(), from.user_features.size(), to.layout.rank,
                            to.item_features.size(), to.user_features.size()));
  for (std::size_t u = 0; u < to.users.size(); ++u)
    if (const auto known = from.users.find(to.users[u])) {
      const auto row = from.user_factors.row(*known).first(to.layout.user_width());
      std::copy(row.begin(), row.end(), to.user_factors.row(u).begin());
    }
  const std::size_t begin = to.layout.item_begin(), graph = begin - to.options.neighbours;
  for (std::size_t j = 0; j < to.items.size(); ++j) {
    // Eigenvectors of other ratings span another basis: those of `from` stay, new items have none.
    std::fill_n(to.item_factors.row(j).begin() + graph, to.options.neighbours, 0.0);
    if (const auto known = from.items.find(to.items[j])) {
      std::copy_n(from.item_factors.row(*known).begin() + graph, to.options.neighbours,
                  to.item_factors.row(j).begin() + graph);
      const auto row = from.item_factors.row(*known).subspan(begin);
      std::copy(row.begin(), row.end(), to.item_factors.row(j).subspan(begin).begin());
      to.offsets[j] = from.offsets[*known];
      if (to.implicit.rows > 0 && from.implicit.rows > 0)
        std::copy(from.implicit.row(*known).begin(), from.implicit.row(*known).end(), to.implicit.row(j).begin());
    }
  }
}

}  // namespace dorm
