// SPDX-License-Identifier: Apache-2.0
#include "judge_clicks.h"

#include <fmt/format.h>

#include <optional>

#include "base/json.h"
#include "dorm/clicks/click_log.h"
#include "dorm/error.h"
#include "eval_arguments.h"
#include "judge_rankers.h"
#include "option_group.h"
#include "output.h"
#include "rankers.h"
#include "text/eval_text.h"
#include "usage.h"

namespace dorm::cli {
namespace {

constexpr double kMuchUnseen = 0.05;

/// What the log shows, as documents without features.
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

void warn_of_evidence(const ClickEvidence& evidence, const EvalArguments& arguments, const Settings& settings) {
  if (evidence.queries_unknown > 0)
    warn(settings, fmt::format("{}: {} queries of the log are not among the documents and are ignored",
                               arguments.clicks.log, evidence.queries_unknown));
  if (evidence.documents_unknown > 0)
    warn(settings, fmt::format("{}: {} documents of the log, with {:g} clicks, are not among the documents to rank",
                               arguments.clicks.log, evidence.documents_unknown, evidence.clicks_unknown));
}

std::string evidence_line(const ClicksJudged& judged) {
  const ClickEvidence& evidence = judged.evidence;
  std::string text = fmt::format("{} estimates from {:g} clicks on {:g} impressions, worth {:.0f} equal ones",
                                 judged.estimator, evidence.clicks, evidence.impressions, evidence.effective_clicks);
  if (judged.clip > 0)
    text += fmt::format("; clip {:g} takes away {:.1f} % of their weight", judged.clip, 100 * evidence.clipped_share);
  return text + fmt::format("\n{} queries; {} documents were never shown\n", evidence.queries, evidence.never_shown);
}

/// How much of each ranking's value nobody has seen, where it is much.
std::string unseen_lines(const ClicksJudged& judged) {
  std::string text;
  for (std::size_t r = 0; r < judged.unseen.size(); ++r)
    for (std::size_t m = 0; m < judged.unseen[r].size(); ++m)
      if (judged.unseen[r][m] >= kMuchUnseen)
        text += fmt::format("{}: {:.0f} % of the weight of {} stands at documents that were never shown{}\n",
                            judged.report.table.rows[r].name, 100 * judged.unseen[r][m],
                            judged.report.table.rows[r].table.measures[m].name,
                            judged.estimator == "ips+model" ? ", and is the model's word" : ", and counts nothing");
  return text.empty() ? text : "\n" + text;
}

}  // namespace

void add_click_evaluation_options(CLI::App& app, ClickEvalArguments& arguments) {
  const OptionGroup clicks(app, "Clicks");
  clicks.flag("--clicks", arguments.on,
              "DATA is a click log: judge rankers by clicks on what others showed.\nDocuments and features are those "
              "of --data, else what the log shows");
  clicks.add("--propensities", arguments.propensities, "FILE",
             "how likely positions are to be looked at; dorm propensity writes it");
  clicks.add("--estimator", arguments.options.estimator, "NAME", "what a click counts; see below (ips)");
  clicks.number("--clip", arguments.options.clip, number_from(0, 1), "X",
                "propensities below X count as X: bias for variance (0)");
  clicks.add("--each", arguments.each, "NAME",
             "what counts once in the mean: a query, or a page of results, by\nwhich frequent queries weigh more "
             "(query)");
  add_click_log_options(app, arguments.reading);
}

ClicksJudged judge_by_clicks(EvalArguments& arguments, const Settings& settings) {
  ClickEvalArguments& clicks = arguments.clicks;
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
  ClicksJudged out;
  out.estimator = clicks.options.estimator;
  out.clip = clicks.options.clip;
  const ClickJudge judge =
      about_file(clicks.log, [&] { return ClickJudge(documents, counts, propensities, clicks.options); });
  out.evidence = judge.evidence();
  warn_of_evidence(out.evidence, arguments, settings);
  std::vector<RankerRow> rows;
  for (const Ranker& ranker : rankers) {
    const std::vector<double> scores =
        scores_of(ranker, source ? source->as_expected_by(ranker) : documents, true, settings, arguments.device);
    ClickEvaluation evaluation = judge.evaluate(scores, measures);
    rows.push_back({ranker.name, std::move(evaluation.table)});
    out.unseen.push_back(std::move(evaluation.unseen));
  }
  out.report = finished_report(std::move(rows), rankers, reference, arguments);
  return out;
}

std::string clicks_judged_text(const ClicksJudged& judged) {
  std::vector<std::vector<std::string>> rows = {
      {"ranker", "measure", "estimate", fmt::format("{:g} % interval", 100 * judged.report.options.confidence)}};
  for (const RankerRow& row : judged.report.table.rows)
    for (const MeasureResult& m : row.table.measures)
      rows.push_back({row.name, m.name, fmt::format("{:.4f}", m.mean), interval_text(m.low, m.high)});
  std::string text = fmt::format("{}\n{}{}", evidence_line(judged), aligned(rows), unseen_lines(judged));
  if (judged.report.table.rows.size() > 1) text += "\n" + rankers_text(judged.report);
  return text;
}

std::string clicks_judged_json(const ClicksJudged& judged) {
  Json out = Json::parse(rankers_json(judged.report));
  const ClickEvidence& evidence = judged.evidence;
  out["estimator"] = judged.estimator;
  out["clip"] = judged.clip;
  out["clicks"] = {{"clicks", evidence.clicks},
                   {"impressions", evidence.impressions},
                   {"effective_clicks", evidence.effective_clicks},
                   {"clipped_share", evidence.clipped_share},
                   {"queries", evidence.queries},
                   {"queries_unknown", evidence.queries_unknown},
                   {"documents_unknown", evidence.documents_unknown},
                   {"clicks_unknown", evidence.clicks_unknown},
                   {"never_shown", evidence.never_shown}};
  for (std::size_t r = 0; r < judged.unseen.size(); ++r) {
    Json& measures = out["rankers"][r]["measures"];
    for (std::size_t m = 0; m < judged.unseen[r].size(); ++m)
      measures[judged.report.table.rows[r].table.measures[m].name]["unseen"] = judged.unseen[r][m];
  }
  return printable_json(out, 2) + "\n";
}

}  // namespace dorm::cli
