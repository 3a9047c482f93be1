// SPDX-License-Identifier: Apache-2.0
#include "lab/compare/cell.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "base/thread_clock.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr int kFormat = 1;  // of records, and of what a key covers

bool is_dorm(const std::string& method) { return method.starts_with("dorm:"); }

// A bound in the method's own spelling leaves nothing to choose.
bool fixes_bound(const std::string& method) { return std::count(method.begin(), method.end(), '~') >= 2; }

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + ' ';
  return text;
}

std::vector<std::vector<double>> values_of(const Model& model, const Dataset& data,
                                           const std::vector<std::string>& measures, const ComparisonOptions& options) {
  const EvaluateOptions evaluation{.convention = options.convention, .bootstrap = 0, .threads = 1};
  EvaluationTable table = evaluate(data, score(model, data, 1), measures, evaluation);
  std::vector<std::vector<double>> values;
  for (MeasureResult& result : table.measures) values.push_back(std::move(result.per_query));
  return values;
}

}  // namespace

std::string Setting::text() const {
  std::string text = C > 0 ? fmt::format("C={:g}", C) : "";
  if (!bound.empty()) text += fmt::format(" {}{}", bound, bound == "predicted" ? "/" + start : "");
  return text;
}

std::vector<Setting> settings_of(const std::string& method, const std::vector<double>& C) {
  if (!method_uses_C(method)) return {{}};
  std::vector<Setting> settings;
  for (double value : C) {
    if (!is_dorm(method) || fixes_bound(method)) {
      settings.push_back({value});
      continue;
    }
    settings.push_back({value, "best", "ridge"});
    settings.push_back({value, "predicted", "ridge"});
    settings.push_back({value, "predicted", "pairwise"});
  }
  return settings;
}

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

std::vector<Cell> make_cells(const std::vector<DataSplit>& splits, const ComparisonOptions& options) {
  const std::vector<std::size_t> sizes = options.sizes.empty() ? std::vector<std::size_t>{0} : options.sizes;
  std::size_t most = 1;
  for (const std::string& method : options.methods) most = std::max(most, settings_of(method, options.C).size());
  std::vector<Cell> cells;
  for (std::size_t split = 0; split < splits.size(); ++split) {
    const std::string data = fmt::format("{:016x} {:016x} {:016x}", splits[split].train.fingerprint(),
                                         splits[split].valid.fingerprint(), splits[split].test.fingerprint());
    const std::string shared = fmt::format("{} {} {} {:g} {} {}", DORM_VERSION, options.convention, options.scale,
                                           options.tolerance, options.seed, joined(all_measures(options)));
    for (std::size_t size : sizes)
      for (std::size_t at = 0; at < most; ++at)
        for (const std::string& method : options.methods) {
          const std::vector<Setting> settings = settings_of(method, options.C);
          if (at >= settings.size()) continue;
          Cell cell{split, size, method, settings[at], {}};
          cell.key = fmt::format("cell {}; data {}; {}; queries {}; {} {:.17g} {} {}", kFormat, data, shared,
                                 std::min(size, splits[split].train.num_queries()), method, cell.setting.C,
                                 cell.setting.bound, cell.setting.start);
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
    method.start = parse_start_choice(cell.setting.start);
  }
  method.measure = options.measures.front();
  method.convention = options.convention;
  method.scale = options.scale;
  method.solve = {.tolerance = options.tolerance, .threads = 1, .seed = options.seed};
  CellRecord record;
  try {
    const Dataset train = training_part(split.train, cell.size, options.seed);
    const double began = thread_seconds();
    const MethodResult result = train_method(train, cell.method, method, observer);
    if (result.solve.status == SolveStatus::interrupted) return std::nullopt;
    record.seconds = thread_seconds() - began;
    record.gap = result.solve.gap;
    record.health = result.model.health;
    record.support_vectors = result.solve.support_vectors;
    record.passes = result.solve.passes;
    const std::vector<std::string> measures = all_measures(options);
    record.valid = values_of(result.model, split.valid, measures, options);
    record.test = values_of(result.model, split.test, measures, options);
  } catch (const Error& error) {
    record.failure = error.what();
  }
  return record;
}

bool record_fits(const CellRecord& record, const DataSplit& split, const ComparisonOptions& options) {
  if (!record.failure.empty()) return true;  // nothing else of it is used
  const std::vector<std::string> measures = all_measures(options);
  return values_fit(record.valid, measures, options.convention, split.valid.num_queries()) &&
         values_fit(record.test, measures, options.convention, split.test.num_queries());
}

}  // namespace dorm
