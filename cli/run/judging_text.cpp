// SPDX-License-Identifier: Apache-2.0
#include "run/judging_text.h"

#include <fmt/format.h>

#include <cmath>

#include "dorm/apps/report.h"
#include "run/output.h"

namespace dorm::cli {
namespace {

std::string figure(double x) { return std::isnan(x) ? "-" : fmt::format("{:.4f}", x); }
std::string figure(const std::optional<double>& x) { return x ? fmt::format("{:.4f}", *x) : "-"; }
Json number_or_null(const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); }

std::string coverage_text(const JudgingReport& report) {
  std::vector<std::vector<std::string>> rows(1, {"judged share"});
  for (const std::size_t cutoff : report.cutoffs) rows[0].push_back(fmt::format("@{}", cutoff));
  rows[0].push_back("not judged");
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    rows.push_back({report.runs[r]});
    for (const double share : report.coverage[r].judged) rows.back().push_back(figure(share));
    rows.back().push_back(std::to_string(report.coverage[r].unjudged));
  }
  std::string text = aligned(rows);
  for (std::size_t m = 0; m < report.measures.size(); ++m) {
    rows.assign(1, {report.measures[m], "unjudged: bad", "passed over", "good"});
    for (std::size_t r = 0; r < report.runs.size(); ++r) {
      const UnjudgedFigures& figures = report.coverage[r].figures[m];
      rows.push_back({report.runs[r], figure(figures.bad), figure(figures.passed_over), figure(figures.good)});
    }
    text += "\n" + aligned(rows);
  }
  return fmt::format("{}\nnot judged, good: down to rank {}\n", text, report.cutoffs.back());
}

std::string agreement_text(const JudgingReport& report) {
  const JudgmentAgreement& agreement = report.agreement;
  std::string text = fmt::format("{} judgments in both, {} only in the first, {} only in {}\n\n", agreement.both,
                                 agreement.only_first, agreement.only_second, report.other);
  text += aligned({{"the same label", figure(agreement.equal)},
                   {"Cohen's kappa, relevant or not", figure(agreement.kappa)},
                   {"Cohen's kappa of labels, squared differences", figure(agreement.weighted_kappa)},
                   {"Krippendorff's alpha, intervals", figure(agreement.alpha)}});
  if (report.runs.size() < 2) return text;
  std::vector<std::vector<std::string>> rows(1, {"order of the runs"});
  rows[0].push_back("Kendall's tau");
  for (std::size_t m = 0; m < report.measures.size(); ++m)
    rows.push_back({report.measures[m], figure(rank_correlation(report.first[m], report.second[m]))});
  return text + "\n" + aligned(rows);
}

std::string verdict_text(const JudgingReport& report) {
  const JudgingPlan& plan = *report.plan;
  const std::string why = plan.certain
                              ? "whatever the other labels are"
                              : fmt::format("wrong in at most {:.3g} % of cases", 100 * (1 - report.confidence));
  switch (plan.verdict) {
    case Verdict::first:
      return fmt::format("decided: {} is better, {}", report.runs[0], why);
    case Verdict::second:
      return fmt::format("decided: {} is better, {}", report.runs[1], why);
    case Verdict::same:
      return report.same_within > 0 ? fmt::format("decided: the same within {}, {}", report.same_within, why)
                                    : "decided: no difference";
    case Verdict::undecided:
      break;
  }
  const std::string where = report.list.empty() ? "expected --to-judge FILE for a list of them"
                                                : fmt::format("in {}, then again with --new-qrels", report.list);
  return fmt::format("undecided: judge these {} documents next, {}", plan.next.size(), where);
}

std::string plan_text(const JudgingReport& report) {
  const JudgingPlan& plan = *report.plan;
  const std::string depth = plan.depth > 0 ? fmt::format("the first {} documents", plan.depth) : "all documents";
  std::string text = fmt::format("{} of {} less {} on {} queries, were {} of both judged\n\n", report.measures[0],
                                 report.runs[0], report.runs[1], plan.queries, depth);
  text += fmt::format("judged in turn  {} of {} open queries, {} of {} documents\n", plan.drawn, plan.open, plan.used,
                      plan.of);
  text += fmt::format("difference      {:+.4f} to {:+.4f}, {:.3g} % however often you look\n", plan.low, plan.high,
                      100 * report.confidence);
  text += fmt::format("for certain     {:+.4f} to {:+.4f}\n", plan.least, plan.most);
  return text + "\n" + verdict_text(report) + "\n";
}

}  // namespace

std::string to_judge_csv(std::span<const DocumentToJudge> documents) {
  std::vector<std::string> fields = {"qid", "docid", "label"};
  std::string text = report::csv_line(fields);
  for (const DocumentToJudge& each : documents) {
    fields = {each.query, each.document, ""};
    text += report::csv_line(fields);
  }
  return text;
}

std::string judging_text(const JudgingReport& report) {
  std::string text;
  if (!report.coverage.empty()) text += coverage_text(report);
  if (!report.other.empty()) text += (text.empty() ? "" : "\n") + agreement_text(report);
  if (report.plan) text += (text.empty() ? "" : "\n") + plan_text(report);
  return text;
}

Json judging_json(const JudgingReport& report) {
  Json out = Json::object();
  for (std::size_t r = 0; r < report.coverage.size(); ++r) {
    Json& run = out["coverage"][report.runs[r]];
    for (std::size_t c = 0; c < report.cutoffs.size(); ++c)
      run["judged"][std::to_string(report.cutoffs[c])] = report.coverage[r].judged[c];
    run["unjudged"] = report.coverage[r].unjudged;
    for (std::size_t m = 0; m < report.measures.size(); ++m) {
      const UnjudgedFigures& figures = report.coverage[r].figures[m];
      run["measures"][report.measures[m]] = {
          {"bad", figures.bad}, {"passed_over", figures.passed_over}, {"good", figures.good}};
    }
  }
  if (report.plan) {
    const JudgingPlan& plan = *report.plan;
    out["plan"] = {{"verdict", name_of(plan.verdict)},
                   {"certain", plan.certain},
                   {"low", plan.low},
                   {"high", plan.high},
                   {"least", plan.least},
                   {"most", plan.most},
                   {"queries", plan.queries},
                   {"open_queries", plan.open},
                   {"judged_queries", plan.drawn},
                   {"judged", plan.used},
                   {"open", plan.of},
                   {"next", Json::array()}};
    for (const DocumentToJudge& each : plan.next) out["plan"]["next"].push_back({each.query, each.document});
  }
  if (report.other.empty()) return out;
  const JudgmentAgreement& agreement = report.agreement;
  out["agreement"] = {{"other", report.other},
                      {"both", agreement.both},
                      {"only_first", agreement.only_first},
                      {"only_second", agreement.only_second},
                      {"equal", agreement.equal},
                      {"kappa", number_or_null(agreement.kappa)},
                      {"weighted_kappa", number_or_null(agreement.weighted_kappa)},
                      {"alpha", number_or_null(agreement.alpha)}};
  for (std::size_t m = 0; m < report.measures.size() && report.runs.size() > 1; ++m)
    out["agreement"]["kendall"][report.measures[m]] =
        number_or_null(rank_correlation(report.first[m], report.second[m]));
  return out;
}

}  // namespace dorm::cli
