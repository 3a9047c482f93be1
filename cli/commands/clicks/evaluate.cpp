// SPDX-License-Identifier: Apache-2.0
// `dorm clicks evaluate`: rankers evaluated by a click log of other rankers.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/clicks/click_evaluation.h"
#include "dorm/clicks/click_log.h"
#include "dorm/error.h"
#include "input/click_log_input.h"
#include "input/rankers.h"
#include "options/eval_options.h"
#include "options/option_group.h"
#include "run/evaluate_rankers.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/help.h"
#include "text/rankers_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kClickEvalDescription =
    "Evaluate rankers by the clicks on what other rankers showed.\n"
    "\n"
    "Clicks count by the inverse propensity of their positions, so that a ranker is credited for documents that\n"
    "were clicked at positions few users examine. The documents and their features are those of --data, or the\n"
    "documents of the log. docs/click-evaluation.md explains the assumptions and their limits.";

constexpr const char* kClickEvalExamples =
    "Examples:\n"
    "  dorm clicks evaluate log.csv new.json old.json --propensities p.csv --data features.csv\n"
    "  dorm clicks evaluate log.csv a.run b.run --propensities p.csv --measures dcg@10\n"
    "  dorm clicks evaluate log.csv feature:1 --data features.csv --propensities p.csv --estimator ips+model\n";

constexpr const char* kClickMeasures = "dcg@10";

struct ClickEvalArguments {
  EvalArguments evaluation;
  std::string log, propensities, each = "query";
  ClickEvaluateOptions options = {};
  ClickLogArguments reading = {};
};

struct ClickEvalReport {
  RankersReport report;
  ClickEvidence evidence;
  std::vector<std::vector<double>> unseen;  // by row and measure
  std::string estimator;
  double clip = 0;
};

constexpr double kMuchUnseen = 0.05;

/// The documents of the log, without features.
Dataset shown_documents(const ClickCounts& counts) {
  DatasetBuilder builder;
  for (std::size_t i = 0; i < counts.rows.size(); ++i) {
    const ClickCount& row = counts.rows[i];
    if (i > 0 && row.query == counts.rows[i - 1].query && row.document == counts.rows[i - 1].document) continue;
    builder.add({.query_id = counts.queries[row.query], .document_id = counts.documents[row.document]},
                std::span<const float>());
  }
  return builder.finish();
}

void warn_of_evidence(const ClickEvidence& evidence, const ClickEvalArguments& arguments, const Settings& settings) {
  if (evidence.queries_unknown > 0)
    warn(settings, fmt::format("{}: {} queries of the log are not among the documents and are ignored", arguments.log,
                               evidence.queries_unknown));
  if (evidence.documents_unknown > 0)
    warn(settings, fmt::format("{}: {} documents of the log, with {:g} clicks, are not among the documents to rank",
                               arguments.log, evidence.documents_unknown, evidence.clicks_unknown));
}

std::string evidence_line(const ClickEvalReport& result) {
  const ClickEvidence& evidence = result.evidence;
  std::string text = fmt::format("{} estimates from {:g} clicks on {:g} impressions, effective sample size {:.0f}",
                                 result.estimator, evidence.clicks, evidence.impressions, evidence.effective_clicks);
  if (result.clip > 0)
    text += fmt::format("; clip {:g} removes {:.1f} % of their weight", result.clip, 100 * evidence.clipped_share);
  return text + fmt::format("\n{} queries; {} documents were never shown\n", evidence.queries, evidence.never_shown);
}

/// The share of each ranking's value at documents that were never shown, where it is large.
std::string unseen_lines(const ClickEvalReport& result) {
  std::string text;
  for (std::size_t r = 0; r < result.unseen.size(); ++r)
    for (std::size_t m = 0; m < result.unseen[r].size(); ++m)
      if (result.unseen[r][m] >= kMuchUnseen)
        text += fmt::format("{}: {:.0f} % of the weight of {} is at documents that were never shown{}\n",
                            result.report.table.rows[r].name, 100 * result.unseen[r][m],
                            result.report.table.rows[r].table.measures[m].name,
                            result.estimator == "ips+model" ? ": an estimate of the model" : ": counted as 0");
  return text.empty() ? text : "\n" + text;
}

ClickEvalReport evaluate_by_clicks(ClickEvalArguments& clicks, const Settings& settings) {
  EvalArguments& arguments = clicks.evaluation;
  if (clicks.each != "query" && clicks.each != "page")
    throw Error(ErrorCode::bad_option, fmt::format("--each {}; expected query or page", clicks.each));
  clicks.options.per_page = clicks.each == "page";
  clicks.options.evaluate = arguments.options;
  const std::vector<std::string> measures = split_measures(arguments.measures);
  for (const std::string& measure : measures) additive_measure(measure);
  const Propensities propensities = read_propensities(clicks.propensities);
  std::vector<Ranker> rankers = load_rankers(arguments);
  make_names_distinct(rankers);
  const std::size_t reference = reference_of(rankers, arguments.against);
  const ClickCounts counts = load_click_counts(
      clicks.log,
      click_log_options(clicks.reading, arguments.input.columns.query, arguments.input.columns.document, settings),
      settings);
  std::optional<RankedData> source;
  if (!arguments.data.empty()) source.emplace(arguments.data, arguments.input, settings, rankers, false);
  const Dataset documents = source ? source->data() : shown_documents(counts);
  ClickEvalReport out;
  out.estimator = clicks.options.estimator;
  out.clip = clicks.options.clip;
  const ClickJudge evaluator =
      about_file(clicks.log, [&] { return ClickJudge(documents, counts, propensities, clicks.options); });
  out.evidence = evaluator.evidence();
  warn_of_evidence(out.evidence, clicks, settings);
  std::vector<RankerRow> rows;
  for (const Ranker& ranker : rankers) {
    const std::vector<double> scores =
        scores_of(ranker, source ? source->as_expected_by(ranker) : documents, true, settings, arguments.device);
    ClickEvaluation evaluation = evaluator.evaluate(scores, measures);
    rows.push_back({ranker.name, std::move(evaluation.table)});
    out.unseen.push_back(std::move(evaluation.unseen));
  }
  out.report = finished_report(std::move(rows), rankers, reference, arguments);
  return out;
}

std::string click_eval_text(const ClickEvalReport& result) {
  std::vector<std::vector<std::string>> rows = {
      {"ranker", "measure", "estimate", fmt::format("{:g} % interval", 100 * result.report.options.confidence)}};
  for (const RankerRow& row : result.report.table.rows)
    for (const MeasureResult& m : row.table.measures)
      rows.push_back({row.name, m.name, fmt::format("{:.4f}", m.mean), interval_text(m.low, m.high)});
  std::string text = fmt::format("{}\n{}{}", evidence_line(result), aligned(rows), unseen_lines(result));
  if (result.report.table.rows.size() > 1) text += "\n" + rankers_text(result.report);
  return text;
}

std::string click_eval_json(const ClickEvalReport& result) {
  Json out = Json::parse(rankers_json(result.report));
  const ClickEvidence& evidence = result.evidence;
  out["estimator"] = result.estimator;
  out["clip"] = result.clip;
  out["clicks"] = {{"clicks", evidence.clicks},
                   {"impressions", evidence.impressions},
                   {"effective_clicks", evidence.effective_clicks},
                   {"clipped_share", evidence.clipped_share},
                   {"queries", evidence.queries},
                   {"queries_unknown", evidence.queries_unknown},
                   {"documents_unknown", evidence.documents_unknown},
                   {"clicks_unknown", evidence.clicks_unknown},
                   {"never_shown", evidence.never_shown}};
  for (std::size_t r = 0; r < result.unseen.size(); ++r) {
    Json& measures = out["rankers"][r]["measures"];
    for (std::size_t m = 0; m < result.unseen[r].size(); ++m)
      measures[result.report.table.rows[r].table.measures[m].name]["unseen"] = result.unseen[r][m];
  }
  return printable_json(out, 2) + "\n";
}

void check_click_eval(const ClickEvalArguments& clicks) {
  const EvalArguments& arguments = clicks.evaluation;
  check_table_format(arguments);
  arguments.device.check();
  require_option(!clicks.log.empty(), "LOG", "expected a click log, or - for standard input");
  require_option(!clicks.propensities.empty(), "--propensities FILE",
                 "clicks are weighted by the propensities of their positions");
  require_option(!arguments.rankers.empty(), "RANKER",
                 "expected rankers after LOG: models and scores of --data, runs, feature:NAME or given");
  for (const std::string& ranker : arguments.rankers)
    if (ranker == std::string("feature:") + kAllFeatures)
      throw Error(ErrorCode::bad_option, "feature:all; expected the features by name");
}

void run_clicks_evaluate(ClickEvalArguments& clicks, const Settings& settings) {
  EvalArguments& arguments = clicks.evaluation;
  check_click_eval(clicks);
  arguments.options.convention = arguments.convention.empty() ? "standard" : arguments.convention;
  arguments.options.threads = settings.threads;
  if (arguments.measures.empty()) arguments.measures = kClickMeasures;
  const ClickEvalReport result = evaluate_by_clicks(clicks, settings);
  if (!arguments.per_query.empty()) write_text(arguments.per_query, rankers_per_query(result.report.table));
  if (arguments.per_query == "-") return;
  print(settings.json                    ? click_eval_json(result)
        : arguments.format == "csv"      ? rankers_csv(result.report)
        : arguments.format == "markdown" ? rankers_markdown(result.report)
                                         : click_eval_text(result));
}

}  // namespace

Action declare_clicks_evaluate(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ClickEvalArguments>();
  const OptionGroup clicks(app, "Clicks");
  app.add_option("LOG", arguments->log, "click log: CSV, TSV or JSON lines, also .gz or .zst; - is standard\ninput");
  app.add_option("RANKER", arguments->evaluation.rankers, "models, runs, scores or features; see below");
  clicks.add("--propensities", arguments->propensities, "FILE",
             "propensities of the positions, as dorm clicks propensity writes them");
  clicks.add("--data", arguments->evaluation.data, "FILE", "documents to rank, with their features (those of the log)");
  clicks.add("--estimator", arguments->options.estimator, "NAME", "value of a click; see below (ips)");
  clicks.number("--clip", arguments->options.clip, number_from(0, 1), "X",
                "lower bound of the propensities: bias for variance (0)");
  clicks.add("--each", arguments->each, "NAME",
             "unit of the mean: query, or page, where frequent queries weigh more\n(query)");
  add_statistics_options(app, arguments->evaluation, kClickMeasures, "standard");
  add_table_format(app, arguments->evaluation);
  add_device_options(app, arguments->evaluation.device, "Evaluation");
  add_click_log_options(app, arguments->reading);
  add_input_options(app, arguments->evaluation.input);
  app.description(kClickEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}", kClickEvalExamples, ranker_kinds_text(),
                         catalog_text("Estimators", click_estimator_catalog()),
                         catalog_text("Measures", measure_catalog()), table_formats_text()));
  return [arguments, &settings] { run_clicks_evaluate(*arguments, settings); };
}

}  // namespace dorm::cli
