// SPDX-License-Identifier: Apache-2.0
#include "report/pages/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "dorm/learning/baseline.h"
#include "report/pages/single_feature.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kMostFeatures = 5000;  // of data that baselines are made for
constexpr double kMostRidgeValues = 5e8;     // features times documents
constexpr double kToldApart = 0.05;

const char* words_for_judged(const TrainingReportData& report_data) {
  return report_data.test ? "the test queries" : report_data.valid ? "the validation data" : "the training data";
}

Yardstick judged(std::string name, const std::vector<double>& scores, const Judgement& judgement, std::size_t threads) {
  const std::vector<std::string> measures = {judgement.table.measures[0].name};
  const EvaluateOptions options{.convention = judgement.table.convention, .threads = threads};
  return {.name = std::move(name),
          .figure = evaluate(*judgement.data, scores, measures, options).measures[0],
          .scores = scores};
}

/// As the method of that name, with the defaults.
void add_ridge(const TrainingReportData& report_data, const Judgement& judgement, std::size_t threads,
               Evidence& evidence) {
  MethodOptions options;
  options.C = TrainOptions().C;
  options.measure = judgement.table.measures[0].name;
  options.convention = judgement.table.convention;
  options.scale = std::string(name_of(report_data.result.model.scaling.kind));
  options.compute.threads = threads;
  const Model ridge = train_method(report_data.train, "ridge", options).model;
  evidence.yardsticks.push_back(judged("ridge regression", score(ridge, *judgement.data, threads), judgement, threads));
}

std::string comparison_word(const Yardstick& yardstick) {
  if (!(yardstick.p < kToldApart)) return "not significantly different from";
  return yardstick.test.mean_difference > 0 ? "better than" : "worse than";
}

std::string p_text(const Yardstick& yardstick) {
  const std::string text = report::p_value_text(yardstick.p);
  return text.starts_with('<') ? "p " + text : "p = " + text;
}

/// "the best single feature" of "best single feature (bm25)".
std::string in_words(const std::string& name) {
  return name.starts_with("best ") ? "the " + name.substr(0, name.find(" (")) : name;
}

std::string conclusion(const std::vector<Yardstick>& yardsticks) {
  const bool better = std::all_of(yardsticks.begin(), yardsticks.end(),
                                  [](const Yardstick& y) { return comparison_word(y) == "better than"; });
  if (better && yardsticks.size() == 2)
    return fmt::format("Better than both ({}; {}).", p_text(yardsticks[0]), p_text(yardsticks[1]));
  std::string text;
  for (const Yardstick& yardstick : yardsticks)
    text += fmt::format("{}{} {} ({})", text.empty() ? "" : "; ", comparison_word(yardstick), in_words(yardstick.name),
                        p_text(yardstick));
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

report::Forest::Told told_of(const Yardstick& yardstick) {
  if (!(yardstick.p < kToldApart)) return report::Forest::Told::same;
  return yardstick.test.mean_difference > 0 ? report::Forest::Told::worse : report::Forest::Told::better;
}

report::Table tests_table(const Evidence& evidence) {
  report::Table table{
      .caption = "The model against each, list by list",
      .columns = {report::text_column("against"),
                  report::number_column("difference", 4, "mean over queries; above 0: the model is better"),
                  report::count_column("wins"), report::count_column("losses"),
                  report::number_column("p", 4, "permutation test, Holm's correction")}};
  for (const Yardstick& yardstick : evidence.yardsticks) {
    report::Cell p(yardstick.p);
    p.text = report::p_value_text(yardstick.p);
    table.rows.push_back(
        {yardstick.name, yardstick.test.mean_difference, yardstick.test.wins, yardstick.test.losses, p});
  }
  return table;
}

}  // namespace

Yardstick single_feature_yardstick(const Dataset& train, const Dataset& judged, const std::string& measure,
                                   const std::string& convention, std::size_t threads,
                                   std::vector<std::string>& remarks) {
  const SingleFeature best = best_single_feature(train, measure, convention, threads);
  if (best.queries < train.num_queries())
    remarks.push_back(fmt::format("The best single feature was chosen on {} of {} training queries.", best.queries,
                                  train.num_queries()));
  // Equal values count as in random order: the order of rows may know the labels.
  const EvaluateOptions options{.convention = convention, .ties = "expected", .threads = threads};
  const std::vector<std::string> measures = {measure};
  std::vector<double> scores = scores_of(best, judged);
  MeasureResult figure = evaluate(judged, scores, measures, options).measures[0];
  return {.name = fmt::format("best single feature ({}{})", best.name, best.sign < 0 ? ", smallest first" : ""),
          .figure = std::move(figure),
          .scores = std::move(scores)};
}

Yardstick production_yardstick(const TrainingReportData::Baseline& baseline, const Dataset& judged,
                               const std::string& measure, const std::string& convention, std::size_t threads) {
  const EvaluateOptions options{.convention = convention, .complete = !baseline.run.empty(), .threads = threads};
  const std::vector<std::string> measures = {measure};
  const EvaluationTable table = baseline.run.empty() ? evaluate(judged, baseline.scores, measures, options)
                                                     : evaluate_run(judged, baseline.run, measures, options);
  return {.name = baseline.name, .figure = table.measures[0], .scores = baseline.scores};
}

Evidence evidence_against(const TrainingReportData& report_data, std::size_t threads) {
  const Model& model = report_data.result.model;
  const std::vector<std::string> measures = {report_data.measure.empty() ? model.measure : report_data.measure};
  const EvaluateOptions options{.convention = model.convention, .threads = threads};
  const Dataset& judged = report_data.judged();
  Evidence evidence{.figure = evaluate(judged, score(model, judged, threads), measures, options).measures[0],
                    .on = words_for_judged(report_data),
                    .flattering = !report_data.test && !report_data.valid};
  evidence.yardsticks.push_back(
      production_yardstick(*report_data.baseline, judged, measures[0], model.convention, threads));
  test_yardsticks(evidence);
  return evidence;
}

void test_yardsticks(Evidence& evidence) {
  std::vector<Yardstick>& yardsticks = evidence.yardsticks;
  for (Yardstick& yardstick : yardsticks) {
    yardstick.test = compare(evidence.figure.per_query, yardstick.figure.per_query);
    yardstick.p = yardstick.test.p_permutation;
  }
  std::vector<std::size_t> order(yardsticks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return yardsticks[a].p < yardsticks[b].p; });
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, static_cast<double>(order.size() - k) * yardsticks[order[k]].p);
    yardsticks[order[k]].p = std::min(1.0, largest);
  }
}

Evidence gather_evidence(const TrainingReportData& report_data, const Judgement& judgement, std::size_t threads) {
  Evidence evidence{.figure = judgement.table.measures[0],
                    .on = words_for_judged(report_data),
                    .flattering = !report_data.test && !report_data.valid};
  const double values =
      static_cast<double>(report_data.train.num_features()) * static_cast<double>(report_data.train.num_documents());
  if (report_data.train.num_features() == 0 || report_data.train.num_features() > kMostFeatures)
    evidence.remarks.push_back(
        fmt::format("No baselines: the data has {} features.", report_data.train.num_features()));
  else {
    evidence.yardsticks.push_back(single_feature_yardstick(report_data.train, *judgement.data, evidence.figure.name,
                                                           judgement.table.convention, threads, evidence.remarks));
    if (values > kMostRidgeValues)
      evidence.remarks.emplace_back("Ridge regression was left out: there is much data.");
    else if (report_data.result.model.method != "ridge")
      add_ridge(report_data, judgement, threads, evidence);
  }
  if (report_data.baseline)
    evidence.yardsticks.push_back(production_yardstick(*report_data.baseline, *judgement.data, evidence.figure.name,
                                                       judgement.table.convention, threads));
  test_yardsticks(evidence);
  return evidence;
}

report::Notice verdict_of(const Evidence& evidence) {
  const MeasureResult& figure = evidence.figure;
  std::string text = fmt::format("{} {:.3f}", figure.name, figure.mean);
  if (!std::isnan(figure.low)) text += fmt::format(" [{:.3f}, {:.3f}]", figure.low, figure.high);
  text += fmt::format(" on {}{}.", evidence.on, evidence.flattering ? ", which flatters the model" : "");
  std::string others;
  for (const Yardstick& yardstick : evidence.yardsticks)
    others += fmt::format("{}{} {:.3f}", others.empty() ? "" : ", ", yardstick.name, yardstick.figure.mean);
  if (others.empty()) return {report::Notice::Kind::plain, text};
  others[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(others[0])));
  text += fmt::format(" {}. {}", others, conclusion(evidence.yardsticks));
  const auto any = [&](std::string_view word) {
    return std::any_of(evidence.yardsticks.begin(), evidence.yardsticks.end(),
                       [&](const Yardstick& y) { return comparison_word(y) == word; });
  };
  if (any("worse than")) return {report::Notice::Kind::warning, text};
  const bool sure = !evidence.flattering && !any("not significantly different from");
  return {sure ? report::Notice::Kind::good : report::Notice::Kind::plain, text};
}

report::Section evidence_section(const Evidence& evidence) {
  report::Section section{"Against baselines"};
  report::Forest forest{.title = fmt::format("{} on {}", evidence.figure.name, evidence.on),
                        .caption =
                            "Lines: 95 % bootstrap intervals over queries. Tests are paired: intervals that "
                            "overlap may still differ significantly."};
  report::Forest::Panel panel{.value = {.label = evidence.figure.name}};
  const auto add = [&](const std::string& name, const MeasureResult& figure, report::Forest::Told told,
                       const std::string& note) {
    forest.rows.push_back(name);
    panel.points.push_back({figure.mean, figure.low, figure.high, told, note});
  };
  add("this model", evidence.figure, report::Forest::Told::reference, "");
  for (const Yardstick& yardstick : evidence.yardsticks)
    add(yardstick.name, yardstick.figure, told_of(yardstick), p_text(yardstick));
  forest.panels.push_back(std::move(panel));
  section.blocks.emplace_back(std::move(forest));
  if (!evidence.yardsticks.empty()) section.blocks.emplace_back(tests_table(evidence));
  for (const std::string& remark : evidence.remarks) section.blocks.emplace_back(report::Paragraph{remark});
  return section;
}

}  // namespace dorm::pages
