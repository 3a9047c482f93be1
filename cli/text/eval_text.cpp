// SPDX-License-Identifier: Apache-2.0
#include "text/eval_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "dorm/apps/report.h"
#include "run/output.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

std::string number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.6f}", x); }

// What differs from the convention.
std::string departures(const EvaluationTable& table, const EvaluateOptions& options) {
  std::string text;
  if (!table.one_per.empty()) text += fmt::format("one per {}, ", table.one_per);
  if (options.relevant_from) text += fmt::format("relevant from {}, ", *options.relevant_from);
  if (options.depth > 0) text += fmt::format("depth {}, ", options.depth);
  if (options.complete) text += "complete, ";
  return text;
}

}  // namespace

std::string interval_text(double low, double high) {
  return std::isnan(low) || std::isnan(high) ? "-" : fmt::format("[{:.4f}, {:.4f}]", low, high);
}

std::string evaluation_line(const EvaluationTable& table, const EvaluateOptions& options) {
  return fmt::format("convention {}, ties {}, {}{} queries", table.convention, table.ties, departures(table, options),
                     table.query_ids.size());
}

Json evaluation_json(const EvaluationTable& table, const EvaluateOptions& options) {
  Json out = {{"convention", table.convention},
              {"ties", table.ties},
              {"queries", table.query_ids.size()},
              {"confidence", options.confidence}};
  if (!table.one_per.empty()) out["one_per"] = table.one_per;
  if (options.relevant_from) out["relevant_from"] = *options.relevant_from;
  if (options.depth > 0) out["depth"] = options.depth;
  if (options.complete) out["complete"] = true;
  return out;
}

Json measure_json(const MeasureResult& m) {
  return {{"mean", m.mean}, {"low", m.low}, {"high", m.high}, {"queries", m.queries}, {"skipped", m.skipped}};
}

Json test_json(const PairedTest& test, double other_mean) {
  return {{"mean", other_mean},      {"difference", test.mean_difference},
          {"low", test.low},         {"high", test.high},
          {"queries", test.queries}, {"wins", test.wins},
          {"losses", test.losses},   {"ties", test.ties},
          {"t", test.t_statistic},   {"p_t", test.p_t},
          {"p_sign", test.p_sign},   {"p_permutation", test.p_permutation}};
}

std::string eval_text(const EvalReport& evaluation) {
  const EvaluationTable& table = evaluation.table;
  const std::string level = fmt::format("{:g} % interval", 100 * evaluation.options.confidence);
  std::vector<std::vector<std::string>> rows = {{"measure", "mean", level, "queries", "skipped"}};
  for (const MeasureResult& m : table.measures)
    rows.push_back({m.name, styled(Style::bold, number(m.mean)), interval_text(m.low, m.high),
                    std::to_string(m.queries), std::to_string(m.skipped)});
  std::string text = fmt::format("{}\n\n{}", evaluation_line(table, evaluation.options), aligned(rows));
  if (evaluation.tests.empty()) return text;
  rows = {{"measure", "mean", "difference", level, "wins", "losses", "ties", "p (t)", "p (sign)", "p (perm.)"}};
  for (std::size_t i = 0; i < evaluation.tests.size(); ++i) {
    const PairedTest& t = evaluation.tests[i];
    rows.push_back({table.measures[i].name, number(evaluation.against_means[i]),
                    fmt::format("{:+.6f}", t.mean_difference), interval_text(t.low, t.high), std::to_string(t.wins),
                    std::to_string(t.losses), std::to_string(t.ties), report::p_value_text(t.p_t),
                    report::p_value_text(t.p_sign), report::p_value_text(t.p_permutation)});
  }
  return text +
         fmt::format("\nagainst {} (difference: this one minus the other)\n\n{}", evaluation.against, aligned(rows));
}

std::string eval_json(const EvalReport& evaluation) {
  const EvaluationTable& table = evaluation.table;
  Json measures = Json::object();
  for (const MeasureResult& m : table.measures) measures[m.name] = measure_json(m);
  Json out = evaluation_json(table, evaluation.options);
  out["measures"] = std::move(measures);
  if (!evaluation.tests.empty()) {
    Json tests = Json::object();
    for (std::size_t i = 0; i < evaluation.tests.size(); ++i)
      tests[table.measures[i].name] = test_json(evaluation.tests[i], evaluation.against_means[i]);
    out["against"] = {{"name", evaluation.against}, {"measures", tests}};
  }
  return printable_json(out, 2) + "\n";
}

std::string per_query_csv(const EvaluationTable& table) {
  std::vector<std::string> fields = {"qid"};
  for (const MeasureResult& m : table.measures) fields.push_back(m.name);
  std::string text = report::csv_line(fields);
  for (std::size_t q = 0; q < table.query_ids.size(); ++q) {
    fields = {table.query_ids[q]};
    for (const MeasureResult& m : table.measures)
      fields.push_back(std::isnan(m.per_query[q]) ? "" : fmt::format("{}", m.per_query[q]));
    text += report::csv_line(fields);
  }
  return text;
}

}  // namespace dorm::cli
