// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/few_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <set>
#include <string_view>

#include "base/parallel.h"
#include "data/replace_features.h"
#include "dorm/base/catalog.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/learning/curves.h"
#include "learning/train/kernel_options.h"
#include "learning/train/memory.h"
#include "learning/tune/choose.h"
#include "model/contributions.h"

namespace dorm {
namespace {

using Columns = std::vector<std::size_t>;

constexpr std::size_t kOneByOne = 20;    // from this many features on
constexpr double kDroppedShare = 0.2;    // above
constexpr double kStepTolerance = 1e-2;  // order of features needs no digits
constexpr std::string_view kSteps = "steps:";

std::vector<std::string> names_of(const Dataset& data, const Columns& columns) {
  std::vector<std::string> names;
  for (const std::size_t column : columns) names.push_back(data.feature_name(column));
  return names;
}

Columns all_columns(const Dataset& data) {
  Columns columns(data.num_features());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

Dataset of_columns(const Dataset& data, const Columns& columns, std::size_t threads) {
  if (columns.size() == data.num_features()) return data;
  const auto fill = [&](std::size_t q, float* rows, std::size_t stride) {
    const FeatureRows from = data.query(q).rows;
    std::vector<float> row(data.num_features());
    for (std::size_t i = 0; i < from.size(); ++i) {
      from.load(i, row);
      for (std::size_t k = 0; k < columns.size(); ++k) rows[i * stride + k] = row[columns[k]];
    }
  };
  return replace_features(data, columns.size(), names_of(data, columns), threads, fill);
}

/// The items of a list between commas whose name, up to `end`, is one of the features.
std::string kept_items(std::string_view list, const std::set<std::string, std::less<>>& features, char end) {
  std::string kept;
  for (std::size_t first = 0; !list.empty() && first <= list.size();) {
    const std::size_t comma = std::min(list.find(',', first), list.size());
    const std::string_view item = list.substr(first, comma - first);
    if (features.contains(item.substr(0, item.rfind(end)))) kept += (kept.empty() ? "" : ",") + std::string(item);
    first = comma + 1;
  }
  return kept;
}

/// What each feature does to the order of documents: the variance of its contributions within queries.
std::vector<double> worth_of(const Model& model, const Dataset& data, std::size_t features) {
  const std::optional<Contributions> parts = contributions_of(model, data, 1);
  std::vector<double> worth(features), mean(features), squares(features);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const std::size_t size = data.query(q).size();
    const double* const rows = parts->values.data() + data.first_document(q) * features;
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < features; ++j) mean[j] += rows[i * features + j] / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < features; ++j) {
        const double about = rows[i * features + j] - mean[j];
        worth[j] += about * about;
      }
  }
  return worth;
}

struct Judged {
  Columns columns;
  std::vector<double> per_query;  // none: there is nothing to judge on
};

/// One elimination, on some of the queries.
class Elimination {
 public:
  Elimination(const Dataset& train, const Dataset* held_out, const TrainOptions& options, std::span<const double> costs)
      : train_(train), held_out_(held_out), options_(options), costs_(costs), columns_(all_columns(train)) {}

  const Columns& columns() const { return columns_; }

  /// Trains on what is left, and judges it.
  Judged train() {
    const Dataset data = of_columns(train_, columns_, 1);
    model_ = dorm::train(data, with_features(options_, names_of(train_, columns_))).model;
    worth_ = worth_of(model_, data, columns_.size());
    Judged judged{columns_, {}};
    if (held_out_ == nullptr) return judged;
    const EvaluateOptions how{.convention = options_.convention,
                              .ties = options_.one_per.empty() ? "expected" : "",
                              .one_per = options_.one_per,
                              .bootstrap = 0,
                              .threads = 1};
    const std::vector<std::string> measures = {options_.measure};
    const std::vector<double> scores = score(model_, of_columns(*held_out_, columns_, 1), 1);
    judged.per_query = evaluate(*held_out_, scores, measures, how).measures[0].per_query;
    return judged;
  }

  /// Drops those of the least worth per cost: until `left` are left.
  void drop(std::size_t left) {
    std::vector<std::size_t> order(columns_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto value = [&](std::size_t k) { return worth_[k] / costs_[columns_[k]]; };
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
    order.resize(left);
    std::sort(order.begin(), order.end());
    for (std::size_t k = 0; k < left; ++k) columns_[k] = columns_[order[k]];
    columns_.resize(left);
  }

 private:
  const Dataset& train_;
  const Dataset* held_out_;
  const TrainOptions& options_;
  std::span<const double> costs_;
  Columns columns_;
  Model model_;
  std::vector<double> worth_;
};

/// Numbers of features, falling to 1; by counts, that of the budget is one of them.
std::vector<std::size_t> sizes_of(std::size_t features, const FewFeatures& few) {
  const std::size_t one_by_one =
      few.costs.empty() ? std::max(kOneByOne, static_cast<std::size_t>(few.budget)) : kOneByOne;
  std::vector<std::size_t> sizes = {features};
  while (sizes.back() > 1) {
    const std::size_t n = sizes.back();
    const auto dropped = static_cast<std::size_t>(std::ceil(kDroppedShare * static_cast<double>(n)));
    sizes.push_back(n <= one_by_one ? n - 1 : std::max(one_by_one, n - dropped));
  }
  return sizes;
}

void check(const Dataset& data, const TrainOptions& options) {
  options.validate();
  if (KernelOptions(options).used())
    throw Error(ErrorCode::unsupported, "few features are those of lines and curves, not of a kernel; expected none");
  if (options.own_measure || options.initial || !options.given_ties.empty())
    throw Error(ErrorCode::unsupported,
                "few features are chosen without measures of the caller's own, initial models and given ties");
  const std::vector<std::string> names = names_of(data, all_columns(data));
  signs_of(options.signs, names);
  parse_curves(options.curves, names);
  data.require_labels();
}

TrainOptions step_options(const Dataset& data, TrainOptions options) {
  options.scale = name_of(settle_scaling(data, options));
  options.bound = options.bound.value_or(Bound::best);
  options.rounds = 1;
  options.solve.tolerance = std::max(options.solve.tolerance, kStepTolerance);
  options.solve.seconds = 0;
  options.checkpoint.clear();
  options.patience = 0;
  options.compute.threads = 1;
  return options;
}

}  // namespace

void FewFeatures::validate(const Dataset& data) const {
  if (!(budget > 0) || !std::isfinite(budget))
    throw Error(ErrorCode::bad_option, fmt::format("the number of features is {}; expected one above 0", budget));
  if (costs.empty() && budget < 1)
    throw Error(ErrorCode::bad_option, fmt::format("the number of features is {}; expected at least 1", budget));
  if (!costs.empty() && costs.size() != data.num_features())
    throw Error(ErrorCode::bad_option,
                fmt::format("there are {} costs of {} features", costs.size(), data.num_features()));
  for (const double cost : costs)
    if (!(cost > 0) || !std::isfinite(cost))
      throw Error(ErrorCode::bad_option, fmt::format("the cost of a feature is {}; expected one above 0", cost));
  if (folds < 2 || folds > data.num_queries())
    throw Error(ErrorCode::bad_option, fmt::format("folds is {}; expected at least 2, and no more than queries: {}",
                                                   folds, data.num_queries()));
}

std::vector<double> costs_of(const std::map<std::string, double>& costs, const Dataset& data) {
  const std::vector<std::string> names = names_of(data, all_columns(data));
  std::vector<CatalogEntry> known;
  for (const std::string& name : names) known.push_back({name, name, ""});
  for (const auto& [feature, cost] : costs)
    if (std::find(names.begin(), names.end(), feature) == names.end()) throw_unknown_name("feature", feature, known);
  std::vector<double> out;
  for (const std::string& name : names) out.push_back(costs.contains(name) ? costs.at(name) : 1.0);
  return out;
}

const FeatureStep& FeaturePath::delivered() const {
  return *std::find_if(steps.begin(), steps.end(), [](const FeatureStep& step) { return step.delivered; });
}

FeaturePath few_features(const Dataset& data, const FewFeatures& few, const TrainOptions& given,
                         const Dataset* validation, const std::function<bool(double)>& observer) {
  few.validate(data);
  check(data, given);
  const TrainOptions options = step_options(data, given);
  const std::vector<double> costs = few.costs.empty() ? std::vector<double>(data.num_features(), 1.0) : few.costs;
  std::vector<Dataset> parts, held;  // of the folds
  if (validation == nullptr) {
    const auto queries = folds(data, few.folds, options.solve.seed);
    for (std::size_t out = 0; out < queries.size(); ++out) {
      std::vector<std::size_t> rest;
      for (std::size_t k = 0; k < queries.size(); ++k)
        if (k != out) rest.insert(rest.end(), queries[k].begin(), queries[k].end());
      std::sort(rest.begin(), rest.end());
      parts.push_back(data.select(rest));
      held.push_back(data.select(queries[out]));
    }
  }
  std::vector<Elimination> runs = {Elimination(data, validation, options, costs)};
  for (std::size_t k = 0; k < parts.size(); ++k) runs.emplace_back(parts[k], &held[k], options, costs);
  const std::vector<std::size_t> sizes = sizes_of(data.num_features(), few);
  std::vector<std::vector<Judged>> judged(runs.size());
  std::atomic<std::size_t> done = 0;
  std::mutex mutex;
  parallel_for(runs.size(), thread_count(given.compute.threads), [&](std::size_t k, std::size_t) {
    for (const std::size_t size : sizes) {
      if (size < data.num_features()) runs[k].drop(size);
      judged[k].push_back(runs[k].train());
      const std::lock_guard lock(mutex);
      if (observer && !observer(static_cast<double>(++done) / static_cast<double>(runs.size() * sizes.size())))
        throw Error(ErrorCode::unsupported, "the choice of features was stopped before there was a model");
    }
  });
  FeaturePath path;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    FeatureStep& step = path.steps.emplace_back();
    step.features = names_of(data, judged[0][s].columns);
    for (const std::size_t column : judged[0][s].columns) step.cost += costs[column];
    std::vector<double> per_query;
    for (const std::vector<Judged>& run : judged)
      per_query.insert(per_query.end(), run[s].per_query.begin(), run[s].per_query.end());
    step.validated = figure_of(per_query);
  }
  const auto within = std::find_if(path.steps.begin(), path.steps.end(),
                                   [&](const FeatureStep& step) { return step.cost <= few.budget; });
  if (within == path.steps.end())
    throw Error(ErrorCode::bad_option,
                fmt::format("no feature is within the cost {}: the last one left costs {}; expected more", few.budget,
                            path.steps.back().cost));
  within->delivered = true;
  return path;
}

Dataset with_features(const Dataset& data, std::span<const std::string> features, std::size_t threads) {
  const std::set<std::string, std::less<>> kept(features.begin(), features.end());
  Columns columns = all_columns(data);
  std::erase_if(columns, [&](std::size_t column) { return !kept.contains(data.feature_name(column)); });
  return of_columns(data, columns, threads);
}

TrainOptions with_features(TrainOptions options, std::span<const std::string> features) {
  const std::set<std::string, std::less<>> kept(features.begin(), features.end());
  options.signs.increasing = kept_items(options.signs.increasing, kept, '\0');
  options.signs.decreasing = kept_items(options.signs.decreasing, kept, '\0');
  if (options.curves.find('=') == std::string::npos) return options;
  const bool steps = options.curves.starts_with(kSteps);
  const std::string items = kept_items(std::string_view(options.curves).substr(steps ? kSteps.size() : 0), kept, '=');
  options.curves = items.empty() ? "none" : (steps ? std::string(kSteps) : "") + items;
  return options;
}

}  // namespace dorm
