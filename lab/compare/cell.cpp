// SPDX-License-Identifier: Apache-2.0
#include "lab/compare/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.h"
#include "base/thread_clock.h"
#include "dorm/error.h"
#include "dorm/tune.h"

namespace dorm {
namespace {

constexpr int kFormat = 3;            // of records, and of what a key covers
constexpr std::size_t kKeptTop = 10;  // documents of a test query
constexpr std::size_t kKeptWeights = 1'000;

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + ' ';
  return text;
}

std::vector<std::vector<double>> values_of(const std::vector<double>& scores, const Dataset& data,
                                           const std::vector<std::string>& measures, const ComparisonOptions& options) {
  const EvaluateOptions evaluation{.convention = options.convention, .bootstrap = 0, .threads = 1};
  EvaluationTable table = evaluate(data, scores, measures, evaluation);
  std::vector<std::vector<double>> values;
  for (MeasureResult& result : table.measures) values.push_back(std::move(result.per_query));
  return values;
}

/// At unit length, so that those of several splits can be averaged; none where there are many, or none by column.
std::vector<double> kept_weights(const Model& model, const Dataset& train) {
  std::vector<double> weights = model.weights;
  const double length = std::sqrt(std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0));
  if (weights.size() > kKeptWeights || weights.size() != train.num_features() || !(length > 0)) return {};
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (model.features[j] != train.feature_name(j)) return {};
    weights[j] /= length;
  }
  return weights;
}

bool lists_fit(const std::vector<Ranking>& lists, const Dataset& data) {
  if (lists.size() != data.num_queries()) return false;
  for (std::size_t q = 0; q < lists.size(); ++q)
    if (lists[q].size() > kKeptTop ||
        std::any_of(lists[q].begin(), lists[q].end(), [&](std::uint32_t i) { return i >= data.query(q).size(); }))
      return false;
  return true;
}

// The method as train_method() is asked for it.
std::string spelling_of(const Cell& cell) {
  return cell.setting.aim.empty() ? cell.method : fmt::format("{}:{}", cell.method, cell.setting.aim);
}

constexpr std::array kTunedMethods{
    CatalogEntry{.name = "tune", .usage = "tune", .help = "what dorm tune --curves none delivers"},
    CatalogEntry{
        .name = "tune:curves", .usage = "tune:curves", .help = "the same with a curve of 8 pieces per feature"},
    CatalogEntry{.name = "tune:trees", .usage = "tune:trees", .help = "trees alone (docs/trees.md); needs LightGBM"},
    CatalogEntry{.name = "tune:both", .usage = "tune:both", .help = "the average of linear rankers and trees"}};

/// As dorm tune trains it on these queries; nothing: stopped. Its candidates are those of tune, not those of the grid.
std::optional<MethodResult> tuned(const Cell& cell, const std::string& lightgbm, const Dataset& train,
                                  const Dataset& valid, const MethodOptions& method, const Observer& observer) {
  TuneOptions options;
  options.curves = {cell.method == "tune:curves" ? "8" : "none"};
  if (grows_trees(cell.method)) {
    options.tree_losses = {TreeLoss::lambdarank, TreeLoss::dorm, TreeLoss::regression};
    options.lightgbm = lightgbm;
    if (cell.method == "tune:trees") options.only = Family::trees;
  }
  options.train.measure = method.measure;
  options.train.convention = method.convention;
  options.train.scale = method.scale;
  options.train.target = method.target;
  options.train.solve.tolerance = method.solve.tolerance;
  options.train.solve.seed = method.solve.seed;
  options.train.compute.threads = 1;
  bool wanted = true;
  const TuneResult result = tune(train, options, Task(valid), [&](const TuneProgress&) {
    wanted = wanted && (!observer || observer(Progress()));
    return wanted;
  });
  if (!wanted) return std::nullopt;
  MethodResult out;
  out.model = result.model;
  return out;
}

/// Nothing: stopped.
std::optional<MethodResult> trained(const Cell& cell, const std::string& lightgbm, const Dataset& train,
                                    const Dataset& valid, const MethodOptions& method, const Observer& observer) {
  if (is_tuned(cell.method)) return tuned(cell, lightgbm, train, valid, method, observer);
  MethodResult result = train_method(train, spelling_of(cell), method, observer);
  if (result.solve.status == SolveStatus::interrupted) return std::nullopt;
  return result;
}

}  // namespace

std::span<const CatalogEntry> tuned_catalog() { return kTunedMethods; }

bool is_tuned(std::string_view method) {
  return std::any_of(kTunedMethods.begin(), kTunedMethods.end(),
                     [method](const CatalogEntry& entry) { return entry.name == method; });
}

bool grows_trees(std::string_view method) { return method == "tune:trees" || method == "tune:both"; }

std::vector<std::string> all_measures(const ComparisonOptions& options) {
  std::vector<std::string> measures = options.measures;
  for (const std::string& name : options.curve)
    if (std::find(measures.begin(), measures.end(), name) == measures.end()) measures.push_back(name);
  return measures;
}

Dataset training_part(const Dataset& data, std::size_t size, std::uint64_t seed) {
  if (size == 0 || size >= data.num_queries()) return data;
  std::vector<std::size_t> order(data.num_queries());
  std::iota(order.begin(), order.end(), std::size_t{0});
  Rng(seed).shuffle(std::span(order));
  order.resize(size);
  std::sort(order.begin(), order.end());
  return data.select(order);
}

std::vector<Ranking> first_documents(const Dataset& data, std::span<const double> scores) {
  std::vector<Ranking> lists;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    lists.push_back(top_ranking(scores.subspan(query.first_document, query.size())));
    lists.back().resize(std::min(kKeptTop, lists.back().size()));
  }
  return lists;
}

std::vector<Cell> make_cells(const std::vector<DataSplit>& splits, const ComparisonOptions& options) {
  const std::vector<std::size_t> sizes = options.sizes.empty() ? std::vector<std::size_t>{0} : options.sizes;
  std::vector<Cell> cells;
  for (std::size_t split = 0; split < splits.size(); ++split) {
    const std::vector<std::vector<Setting>> settings = candidates(options, grades_above_zero(splits[split].train));
    std::size_t most = 1;
    for (const std::vector<Setting>& own : settings) most = std::max(most, own.size());
    const std::string data = fmt::format("{:016x} {:016x} {:016x}", splits[split].train.fingerprint(),
                                         splits[split].valid.fingerprint(), splits[split].test.fingerprint());
    const std::string shared =
        fmt::format("{} {} {}/{} {:g} {} {}", build_identity(), options.convention, options.scale, options.target,
                    options.tolerance, options.seed, joined(all_measures(options)));
    for (std::size_t size : sizes)
      for (std::size_t at = 0; at < most; ++at)
        for (std::size_t m = 0; m < settings.size(); ++m) {
          if (at >= settings[m].size()) continue;
          Cell cell{split, size, options.methods[m], settings[m][at], {}};
          const std::size_t drawn = std::min(size, splits[split].train.num_queries());
          cell.key = fmt::format("cell {}; data {}; {}; queries {}; {} {:.17g} {} {}", kFormat, data, shared, drawn,
                                 spelling_of(cell), cell.setting.C, cell.setting.bound, cell.setting.start);
          if (options.sample_seed && drawn > 0) cell.key += fmt::format("; sample {}", *options.sample_seed);
          cells.push_back(std::move(cell));
        }
  }
  return cells;
}

std::optional<CellRecord> run_cell(const Cell& cell, const DataSplit& split, const ComparisonOptions& options,
                                   const Observer& observer) {
  MethodOptions method;
  if (cell.setting.C > 0) method.C = cell.setting.C;
  if (!cell.setting.bound.empty()) {
    method.bound = parse_bound_choice(cell.setting.bound);
    method.start = parse_initial_model(cell.setting.start);
  }
  method.measure = options.measures.front();
  method.convention = options.convention;
  method.scale = options.scale;
  method.target = options.target;
  method.solve = {.tolerance = options.tolerance, .seed = options.seed};
  method.compute = {.threads = 1};
  CellRecord record;
  try {
    const Dataset train = training_part(split.train, cell.size, options.sample_seed.value_or(options.seed));
    const double began = thread_seconds();
    const std::optional<MethodResult> made = trained(cell, options.lightgbm, train, split.valid, method, observer);
    if (!made) return std::nullopt;
    const MethodResult& result = *made;
    record.seconds = thread_seconds() - began;
    record.gap = result.solve.gap;
    record.explained_risk =
        result.solve.passes > 0 ? result.model.explained_risk : std::numeric_limits<double>::quiet_NaN();
    record.support_vectors = result.solve.support_vectors;
    record.passes = result.solve.passes;
    const std::vector<std::string> measures = all_measures(options);
    record.valid = values_of(score(result.model, split.valid, 1), split.valid, measures, options);
    const std::vector<double> scores = score(result.model, split.test, 1);
    record.test = values_of(scores, split.test, measures, options);
    record.top = first_documents(split.test, scores);
    record.weights = kept_weights(result.model, train);
    record.serving = serving_cost(result.model, split.test);
  } catch (const Error& error) {
    record.failure = error.what();
  }
  return record;
}

bool record_fits(const CellRecord& record, const DataSplit& split, const ComparisonOptions& options) {
  if (!record.failure.empty()) return true;  // nothing else of it is used
  const std::vector<std::string> measures = all_measures(options);
  return values_fit(record.valid, measures, options.convention, split.valid.num_queries()) &&
         values_fit(record.test, measures, options.convention, split.test.num_queries()) &&
         lists_fit(record.top, split.test) &&
         (record.weights.empty() || record.weights.size() == split.train.num_features());
}

}  // namespace dorm
