// SPDX-License-Identifier: Apache-2.0
#include "report/pages/quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dorm::pages {
namespace {

constexpr std::size_t kLargestCutoff = 20;

/// The trained measure, then a measure at cutoffs 1 to 20: of its own family where that has cutoffs, of NDCG otherwise.
std::vector<std::string> measures_of(const std::string& measure) {
  std::vector<std::string> names = {measure};
  const std::size_t at = measure.find('@');
  const std::size_t parameters = at == std::string::npos ? at : measure.find_first_not_of("0123456789", at + 1);
  const std::string tail = parameters == std::string::npos ? "" : measure.substr(parameters);
  const std::string family = at != std::string::npos ? measure.substr(0, at) : measure == "dcg" ? "dcg" : "ndcg";
  for (std::size_t n = 1; n <= kLargestCutoff; ++n) names.push_back(fmt::format("{}@{}{}", family, n, tail));
  return names;
}

std::vector<double> means_of(const EvaluationTable& table) {
  std::vector<double> means;
  for (const MeasureResult& m : table.measures) means.push_back(m.mean);
  return means;
}

std::string family_of(const EvaluationTable& table) {
  const std::string& name = table.measures[1].name;
  return name.substr(0, name.find('@'));
}

report::Plot cutoff_plot(const std::vector<Judgement>& judgements) {
  const std::string family = family_of(judgements[0].table);
  report::Plot plot{.title = fmt::format("{} by cutoff", family),
                    .x = {.label = "cutoff", .whole = true},
                    .y = {.label = family},
                    .caption =
                        "Bands: 95 % bootstrap intervals over queries. Random: the expectation over all "
                        "orders of the documents."};
  for (const Judgement& judgement : judgements) {
    report::Series line{.name = judgement.name};
    for (std::size_t n = 1; n <= kLargestCutoff; ++n) {
      const MeasureResult& m = judgement.table.measures[n];
      line.x.push_back(static_cast<double>(n));
      line.y.push_back(m.mean);
      line.low.push_back(m.low);
      line.high.push_back(m.high);
    }
    plot.series.push_back(std::move(line));
  }
  const Judgement& first = judgements[0];
  report::Series random{.name = fmt::format("random order, {}", first.name), .x = plot.series[0].x};
  random.y.assign(first.random_mean.begin() + 1, first.random_mean.end());
  plot.series.push_back(std::move(random));
  return plot;
}

report::Table measure_table(const std::vector<Judgement>& judgements) {
  report::Table table{.caption = "The trained measure", .columns = {report::text_column("data")}};
  table.columns.push_back(report::barred_column(judgements[0].table.measures[0].name));
  table.columns.push_back(report::number_column("random order"));
  table.columns.push_back(report::count_column("queries", "counted in the mean"));
  std::size_t skipped = 0;
  for (const Judgement& j : judgements) {
    const MeasureResult& m = j.table.measures[0];
    table.rows.push_back({j.name, report::Cell(m.mean, m.low, m.high), j.random_mean[0], m.queries});
    skipped += m.skipped;
  }
  if (skipped > 0) table.footnotes.push_back(fmt::format("{} queries are left out by the convention.", skipped));
  table.footnotes.push_back(fmt::format("Convention {}, ties {}; 95 % bootstrap intervals over queries.",
                                        judgements[0].table.convention, judgements[0].table.ties));
  return table;
}

}  // namespace

Judgement judge(const Model& model, const Dataset& data, const std::string& name, const std::string& measure,
                std::size_t threads) {
  const std::vector<std::string> measures = measures_of(measure.empty() ? model.measure : measure);
  EvaluateOptions options{.convention = model.convention, .threads = threads};
  Judgement out{name, &data, score(model, data, threads), {}, {}};
  out.table = evaluate(data, out.scores, measures, options);
  options.ties = "expected";  // of scores that are all equal: a random order
  options.bootstrap = 0;
  out.random_mean = means_of(evaluate(data, std::vector<double>(out.scores.size(), 0.0), measures, options));
  return out;
}

report::Section cutoff_section(const std::vector<Judgement>& judgements) {
  return {"Quality", {measure_table(judgements), cutoff_plot(judgements)}};
}

}  // namespace dorm::pages
