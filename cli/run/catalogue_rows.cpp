// SPDX-License-Identifier: Apache-2.0
#include "run/catalogue_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "dorm/recommend/recommender.h"

namespace dorm::cli {
namespace {

constexpr std::size_t kNeighbours = 100;  // of item-kNN

CatalogueScores scores_of(const Recommending& model) {
  return [&model](std::size_t user, std::span<double> out) { model.score(model.known(user), out); };
}

CatalogueScores scores_of(const ImplicitModel& model, ImplicitPart part) {
  return [&model, part](std::size_t user, std::span<double> out) { score_items(model, user, out, part); };
}

/// The events of all models and of the test part, under common numbers.
struct Common {
  IdTable users, items;
  Ratings train, test;
  std::size_t known = 0;
};

Common common_events(const std::vector<std::unique_ptr<const Recommending>>& models, const Ratings& test) {
  Common out;
  std::vector<Rating> train, kept;
  for (const auto& model : models) {
    for (const std::string& id : model->items().names()) out.items.add(id);
    for (std::size_t u = 0; u < model->users().size(); ++u) {
      const std::uint32_t user = out.users.add(model->users()[u]);
      for (const std::uint32_t item : model->known(u).seen)
        train.push_back({user, out.items.add(model->items()[item]), 1});
    }
  }
  for (const std::string& id : test.users().names()) out.users.add(id);
  for (const std::string& id : test.items().names()) out.items.add(id);
  out.train = Ratings(out.users, out.items, train);
  for (std::size_t u = 0; u < test.num_users(); ++u) {
    const std::uint32_t user = *out.users.find(test.users()[u]);
    const auto seen = out.train.of_user(user).index;
    for (const std::uint32_t j : test.of_user(u).index) {
      const std::uint32_t item = *out.items.find(test.items()[j]);
      if (std::binary_search(seen.begin(), seen.end(), item))
        ++out.known;
      else
        kept.push_back({user, item, 1});
    }
  }
  out.test = Ratings(out.users, out.items, kept);
  return out;
}

/// The scores of a model under the common numbers; what it does not know comes last.
CatalogueScores translated(const IdTable& users, const IdTable& items, CatalogueScores scores_of_model,
                           const Common& common) {
  std::vector<std::optional<std::uint32_t>> user_of(common.users.size()), item_of(common.items.size());
  for (std::size_t u = 0; u < user_of.size(); ++u) user_of[u] = users.find(common.users[u]);
  for (std::size_t j = 0; j < item_of.size(); ++j) item_of[j] = items.find(common.items[j]);
  return [count = items.size(), scores_of_model = std::move(scores_of_model), user_of = std::move(user_of),
          item_of = std::move(item_of)](std::size_t user, std::span<double> out) {
    std::fill(out.begin(), out.end(), -std::numeric_limits<double>::max());
    if (!user_of[user]) return;
    std::vector<double> scores(count);
    scores_of_model(*user_of[user], scores);
    for (std::size_t j = 0; j < out.size(); ++j)
      if (item_of[j]) out[j] = scores[*item_of[j]];
  };
}

/// The model whose learners are baselines by themselves: the first of events, else ALS with its default options.
ImplicitModel trained_baseline(const Common& common, std::size_t threads) {
  ImplicitOptions options;
  options.search = ImplicitSearch::none();
  options.ease_share = 0;
  options.threads = threads;
  return train_implicit(common.train, options).model;
}

const ImplicitModel* first_of_events(const std::vector<NamedRecommender>& models) {
  for (const NamedRecommender& each : models)
    if (const auto* found = std::get_if<ImplicitModel>(&each.model)) return found;
  return nullptr;
}

}  // namespace

RankersReport catalogue_report(const std::vector<NamedRecommender>& models, const Ratings& test, std::size_t reference,
                               const std::vector<std::string>& measures, const EvaluateOptions& options,
                               std::size_t& known) {
  std::vector<std::unique_ptr<const Recommending>> views;
  for (const NamedRecommender& each : models)
    views.push_back(std::visit([](const auto& model) { return recommending(model); }, each.model));
  const Common common = common_events(views, test);
  known = common.known;
  RankersReport report;
  report.options = options;
  std::vector<RankerRow> rows;
  const auto add = [&](const std::string& name, const char* kind, const std::string& source,
                       const CatalogueScores& scores) {
    rows.push_back({name, evaluate_catalogue(common.train, common.test, scores, measures, options)});
    report.kinds.emplace_back(kind);
    report.sources.push_back(source);
  };
  for (std::size_t m = 0; m < models.size(); ++m)
    add(models[m].name, "recommender", models[m].source,
        translated(views[m]->users(), views[m]->items(), scores_of(*views[m]), common));
  const ImplicitModel* learners = first_of_events(models);
  const ImplicitModel trained = learners ? ImplicitModel() : trained_baseline(common, options.threads);
  if (!learners) learners = &trained;
  const auto part = [&](ImplicitPart one) {
    return translated(learners->users, learners->items, scores_of(*learners, one), common);
  };
  add("implicit ALS", "baseline", "", part(ImplicitPart::als));
  if (!learners->ease.empty()) add("EASE", "baseline", "", part(ImplicitPart::ease));
  add("item-kNN", "baseline", "", item_knn_scores(common.train, kNeighbours, options.threads));
  add("popularity", "baseline", "", popularity_scores(common.train));
  static_cast<TestedRankers&>(report) = test_rankers(std::move(rows), reference, options, {});
  return report;
}

}  // namespace dorm::cli
