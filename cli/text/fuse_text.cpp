// SPDX-License-Identifier: Apache-2.0
#include "text/fuse_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.h"
#include "dorm/apps/report.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

/// Of the lists; `weights` may go on with those of products.
std::string weights_text(const FusionInput& input, const std::vector<double>& weights) {
  std::string text;
  const std::vector<std::string> names = input.list_names();
  for (std::size_t j = 0; j < names.size(); ++j)
    text += fmt::format("{}{} {:.3f}", j == 0 ? "" : ", ", names[j], weights[j]);
  return text;
}

const MeasureResult& measure_of(const FusionEvidence& evidence, std::size_t row) {
  return evidence.table.rows[row].table.measures.front();
}

std::string percent(double share) { return std::isnan(share) ? "-" : fmt::format("{:.0f} %", 100 * share); }

std::string evidence_table(const FuseReport& report) {
  const FusionEvidence& evidence = report.evidence;
  const RankerTable& table = evidence.table;
  const std::string interval = fmt::format("{:g} % interval", 100 * report.options.evaluate.confidence);
  std::vector<std::vector<std::string>> rows = {
      {"ranking", measure_of(evidence, 0).name, interval, "to mean", interval, "p (Holm)", "judged", "if good"}};
  std::size_t best = 0;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const MeasureResult& value = measure_of(evidence, r);
    const PairedTest& test = table.rows[r].tests.front();
    const bool reference = r == table.reference;
    if (table.best(r, 0) && best == 0) best = r + 1;
    rows.push_back({table.rows[r].name, fmt::format("{:.4f}", value.mean), interval_text(value.low, value.high),
                    reference ? "" : fmt::format("{:+.4f}", test.mean_difference),
                    reference ? "" : interval_text(test.low, test.high),
                    reference ? "" : report::p_value_text(table.rows[r].p_holm.front()), percent(evidence.judged[r]),
                    fmt::format("{:.4f}", evidence.if_good[r])});
  }
  return without_trailing_blanks(aligned(rows, best));
}

/// What the evidence says, in words.
struct Verdict {
  std::string ship;  // by query, learnt or mean
  std::string why;
};

Verdict verdict_of(const FuseReport& report) {
  const FusionEvidence& evidence = report.evidence;
  const std::size_t mean = evidence.row(FusionRowKind::mean), learnt = evidence.row(FusionRowKind::learnt);
  if (learnt == evidence.table.rows.size()) return {"mean", "stopped before the learnt weights were evaluated"};
  if (const std::size_t by_query = evidence.row(FusionRowKind::by_query);
      by_query < evidence.kinds.size() && evidence.by_query.low > 0) {
    const PairedTest& own = evidence.table.rows[by_query].tests.front();
    if (own.low > 0)
      return {"by query", fmt::format("by query - mean {:+.4f}, interval {}: above 0; ship the weights that depend on "
                                      "the query",
                                      own.mean_difference, interval_text(own.low, own.high))};
  }
  const PairedTest& test = evidence.table.rows[learnt].tests.front();
  const std::string difference =
      fmt::format("learnt - mean {:+.4f}, interval {}", test.mean_difference, interval_text(test.low, test.high));
  if (std::isnan(test.low)) return {"mean", difference + ": too few queries for an interval; ship equal weights"};
  if (test.low > 0) return {"learnt", difference + ": above 0; ship the learnt weights"};
  if (test.high < 0) return {"mean", difference + ": below 0; ship equal weights"};
  std::string why = difference + ": contains 0, so nothing is shown; ship equal weights (--weights equal)";
  if (const std::size_t needed =
          queries_needed(measure_of(evidence, learnt).per_query, measure_of(evidence, mean).per_query);
      needed > 0 && test.mean_difference != 0)
    why += fmt::format("\n             about {} judged queries would show a difference of this size", needed);
  return {"mean", why};
}

/// Whether weights that depend on the query are better than those that do not; empty: there are none.
std::string by_query_verdict(const FuseReport& report) {
  const FusionEvidence& evidence = report.evidence;
  if (evidence.row(FusionRowKind::by_query) == evidence.kinds.size()) return "";
  const PairedTest& test = evidence.by_query;
  return fmt::format("             by query - learnt {:+.4f}, interval {}: {}\n", test.mean_difference,
                     interval_text(test.low, test.high),
                     test.low > 0    ? "above 0; the query features help"
                     : test.high < 0 ? "below 0; leave --query-features out"
                                     : "contains 0 or is not known, so nothing is shown; leave --query-features out");
}

/// A single run or rank fusion that is at least as good as the fusion to be shipped; empty: none.
std::string run_note(const FuseReport& report, const Verdict& verdict) {
  const FusionEvidence& evidence = report.evidence;
  const std::size_t shipped = evidence.row(verdict.ship == "by query" ? FusionRowKind::by_query
                                           : verdict.ship == "learnt" ? FusionRowKind::learnt
                                                                      : FusionRowKind::mean);
  std::size_t best = shipped;
  for (std::size_t r = 0; r < evidence.kinds.size(); ++r)
    if ((evidence.kinds[r] == FusionRowKind::run || evidence.kinds[r] == FusionRowKind::reciprocal_rank) &&
        measure_of(evidence, r).mean >= measure_of(evidence, best).mean)
      best = r;
  if (best == shipped) return "";
  return fmt::format("             {} has {:.4f}: {}\n", evidence.table.rows[best].name,
                     measure_of(evidence, best).mean,
                     evidence.kinds[best] == FusionRowKind::run ? "no fusion is needed for that"
                                                                : "try --scale rank, which weighs ranks");
}

std::string sweep_line(const FuseReport& report) {
  if (!report.swept) return "";
  return fmt::format("sweep        {:.4f} on these queries by the weights above; {} {:.4f}: {}\n", report.value,
                     report.swept->exact ? "no weights have more than" : "found by a search of the measure",
                     report.swept->value, weights_text(report.runs->input, report.swept->weights));
}

/// A column of 0 and 1 that a table has for a word.
bool is_word(const QueryFeature& feature) {
  return feature.name.find(": ") != std::string::npos && feature.low == 0 && feature.high == 1;
}

/// The weights of a query, those of runs as parts of 1: more does not matter to its ranking.
std::vector<double> as_shares(const FusionInput& input, const std::vector<double>& weights,
                              const std::vector<double>& shares) {
  std::vector<double> own = input.weights_at(weights, shares);
  const double sum = std::accumulate(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(input.runs.size()), 0.0);
  for (double& weight : own) weight /= sum > 0 ? sum : 1;
  return own;
}

/// The weights at both ends of each query feature, the others at their means.
std::string by_query_lines(const FuseReport& report) {
  const JoinedRuns& runs = *report.runs;
  const std::size_t count = runs.input.query_features.size();
  std::vector<double> means(count, 0);
  for (std::size_t q = 0; q < runs.judged_queries; ++q)
    for (std::size_t k = 0; k < count; ++k)
      means[k] += runs.shares[q * count + k] / static_cast<double>(runs.judged_queries);
  std::string text;
  for (std::size_t k = 0; k < count; ++k)
    for (const double share : {0.0, 1.0}) {
      const QueryFeature& feature = runs.input.query_features[k];
      if (share == 0 && is_word(feature)) continue;
      std::vector<double> at = means;
      at[k] = share;
      text +=
          fmt::format("{}{}: {}\n", text.empty() ? "by query     " : "             ",
                      is_word(feature) ? feature.name
                                       : fmt::format("{} {:g}", feature.name, share == 0 ? feature.low : feature.high),
                      weights_text(runs.input, as_shares(runs.input, report.weights.weights, at)));
    }
  return text;
}

std::string learnt_lines(const FuseReport& report) {
  const FusedWeights& weights = report.weights;
  const FusionInput& input = report.runs->input;
  const std::vector<std::size_t> judged = judged_queries(*report.runs);
  const auto mean = [&](const std::vector<double>& each) {
    return weights_text(input, mean_weights(*report.runs, judged, each));
  };
  std::string text = fmt::format("weights      {}{}\n", styled(Style::bold, mean(weights.weights)),
                                 input.query_features.empty() ? "" : " (mean over the judged queries)");
  if (weights.share > 0 && weights.share < 1)
    text += fmt::format("             {:.0f} % learnt from {} queries ({}), {:.0f} % equal\n", 100 * weights.share,
                        weights.usable_queries, mean(weights.learnt), 100 * (1 - weights.share));
  text += by_query_lines(report);
  const Certificate& certificate = weights.model.certificate;
  if (certificate.status != "none")
    text += fmt::format("certificate  {}, gap {:.2g}\n", certificate.status, certificate.gap);
  return text;
}

/// Runs that lack judged queries; empty: none does.
std::string lacking_text(const JoinedRuns& runs) {
  std::string text;
  for (std::size_t r = 0; r < runs.judged_by_run.size(); ++r)
    if (const std::size_t count = runs.judged_by_run[r]; count < runs.judged_queries)
      text += fmt::format("{}{} lists {}", text.empty() ? "" : ", ", runs.input.runs[r],
                          count == 0 ? "none" : fmt::format("{}", count));
  return text.empty() ? "" : fmt::format("             of the judged queries {}\n", text);
}

std::string data_lines(const JoinedRuns& runs) {
  std::size_t judged = 0;
  for (const std::uint8_t each : runs.judged) judged += each;
  std::string text = fmt::format("runs         {} ({})\n", runs.input.runs.size(), fmt::join(runs.input.runs, ", "));
  text += fmt::format("queries      {} judged", runs.judged_queries);
  if (runs.data.num_queries() > runs.judged_queries)
    text += fmt::format(", {} in the runs alone", runs.data.num_queries() - runs.judged_queries);
  if (runs.unlisted_queries > 0) text += fmt::format("; {} judged, in no run, left out", runs.unlisted_queries);
  text += fmt::format("\n{}documents    {} listed, {} judged; the others count as not relevant\n", lacking_text(runs),
                      runs.data.num_documents(), judged);
  return text;
}

Json weights_json(const FusionInput& input, const std::vector<double>& weights) {
  Json out = Json::object();
  const std::vector<std::string> names = input.column_names();
  for (std::size_t j = 0; j < names.size(); ++j) out[names[j]] = weights[j];
  return out;
}

Json row_json(const FusionEvidence& evidence, std::size_t r) {
  Json out = {{"name", evidence.table.rows[r].name}};
  out["measure"] = measure_json(measure_of(evidence, r));
  out["judged"] = evidence.judged[r];
  out["if_good"] = evidence.if_good[r];
  if (r == evidence.table.reference) return out;
  out["against_mean"] =
      test_json(evidence.table.rows[r].tests.front(), measure_of(evidence, evidence.table.reference).mean);
  out["against_mean"]["p_holm"] = evidence.table.rows[r].p_holm.front();
  return out;
}

}  // namespace

std::string fuse_text(const FuseReport& report) {
  std::string text = data_lines(*report.runs) + learnt_lines(report) + sweep_line(report);
  const FusionEvidence& evidence = report.evidence;
  text +=
      evidence.folds > 0
          ? fmt::format("\nlearnt: held out by {}-fold cross-validation over queries, seed {}; convention {}\n\n",
                        evidence.folds, report.options.seed, report.options.convention)
          : fmt::format("\nlearnt: on the queries it was learnt from; convention {}\n\n", report.options.convention);
  text += evidence_table(report);
  text += fmt::format("judged: of the first {}; if good: the measure if the others there were as good as the best\n\n",
                      evidence.depth);
  const Verdict verdict = verdict_of(report);
  text += fmt::format("verdict      {}\n{}{}", verdict.why, by_query_verdict(report), run_note(report, verdict));
  for (const std::string& each : report.written) text += each + "\n";
  return text;
}

std::string fuse_json(const FuseReport& report) {
  const JoinedRuns& runs = *report.runs;
  const FusionEvidence& evidence = report.evidence;
  Json out = {{"queries", runs.judged_queries},
              {"usable_queries", report.weights.usable_queries},
              {"unlisted_queries", runs.unlisted_queries},
              {"documents", runs.data.num_documents()},
              {"measure", measure_of(evidence, 0).name},
              {"convention", report.options.convention},
              {"share_learnt", report.weights.share}};
  for (std::size_t r = 0; r < runs.judged_by_run.size(); ++r)
    out["queries_by_run"][runs.input.runs[r]] = runs.judged_by_run[r];
  out["weights"] = weights_json(runs.input, report.weights.weights);
  out["learnt"] = weights_json(runs.input, report.weights.learnt);
  for (const QueryFeature& feature : runs.input.query_features)
    out["query_features"].push_back({{"name", feature.name}, {"low", feature.low}, {"high", feature.high}});
  out["certificate"] = {{"gap", report.weights.model.certificate.gap},
                        {"status", report.weights.model.certificate.status}};
  out["value"] = report.value;
  if (report.swept)
    out["sweep"] = {{"value", report.swept->value},
                    {"exact", report.swept->exact},
                    {"weights", weights_json(runs.input, report.swept->weights)}};
  out["folds"] = evidence.folds;
  out["depth"] = evidence.depth;
  out["rankings"] = Json::array();
  for (std::size_t r = 0; r < evidence.table.rows.size(); ++r) out["rankings"].push_back(row_json(evidence, r));
  const std::size_t learnt = evidence.row(FusionRowKind::learnt);
  if (learnt < evidence.table.rows.size())
    out["queries_needed"] = queries_needed(measure_of(evidence, learnt).per_query,
                                           measure_of(evidence, evidence.table.reference).per_query);
  if (evidence.row(FusionRowKind::by_query) < evidence.kinds.size())
    out["by_query"] = test_json(evidence.by_query, measure_of(evidence, learnt).mean);
  out["ship"] = verdict_of(report).ship;
  return printable_json(out, 2) + "\n";
}

std::string unjudged_text(const JoinedRuns& runs, const std::vector<DocumentToJudge>& to_judge,
                          const std::vector<std::string>& written) {
  std::string text = fmt::format(
      "runs         {} ({})\n"
      "queries      {}, without judgments: equal weights, nothing is learnt\n"
      "documents    {}\n",
      runs.input.runs.size(), fmt::join(runs.input.runs, ", "), runs.data.num_queries(), runs.data.num_documents());
  if (!to_judge.empty()) {
    text += "\njudge these first (near the top of some runs only); 20 to 40 queries suffice to learn weights\n\n";
    std::vector<std::vector<std::string>> rows = {{"qid", "  docid"}};
    for (std::size_t i = 0; i < std::min<std::size_t>(10, to_judge.size()); ++i)
      rows.push_back({to_judge[i].query, "  " + to_judge[i].document});
    text += without_trailing_blanks(aligned(rows));
    if (to_judge.size() > 10) text += fmt::format("... and {} more with --to-judge FILE\n", to_judge.size() - 10);
    text += "\n";
  }
  for (const std::string& each : written) text += each + "\n";
  return text;
}

}  // namespace dorm::cli
