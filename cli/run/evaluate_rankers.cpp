// SPDX-License-Identifier: Apache-2.0
#include "run/evaluate_rankers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "data/io/files/file.h"
#include "dorm/apps/rankers_table.h"
#include "dorm/data/read_runs.h"
#include "dorm/error.h"
#include "dorm/evaluation/run_evaluation.h"
#include "dorm/fusion/fused_model.h"
#include "dorm/read.h"
#include "input/runs_input.h"
#include "options/report_files.h"
#include "run/judging.h"
#include "run/output.h"
#include "run/progress.h"

namespace dorm::cli {
namespace {

/// The arguments that name the rankers, in the order of rows.
std::vector<std::string> named_rankers(const EvalArguments& arguments) {
  std::vector<std::string> named;
  for (const std::string& file : {arguments.model, arguments.scores, arguments.run})
    if (!file.empty()) named.push_back(file);
  if (!arguments.feature.empty()) named.push_back("feature:" + arguments.feature);
  named.insert(named.end(), arguments.rankers.begin(), arguments.rankers.end());
  return named;
}

/// The row of the ranker with this name or from this argument. None: the number of rankers.
std::size_t row_of(const std::string& named, const std::vector<Ranker>& rankers) {
  const auto found = std::find_if(rankers.begin(), rankers.end(),
                                  [&](const Ranker& ranker) { return ranker.name == named || ranker.file == named; });
  return static_cast<std::size_t>(found - rankers.begin());
}

// The files of folders among the arguments, by name.
std::vector<std::string> with_folders_opened(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    if (!std::filesystem::is_directory(argument)) {
      files.push_back(argument);
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : std::filesystem::directory_iterator(argument))
      if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
        inside.push_back(entry.path().string());
    if (inside.empty()) throw Error(ErrorCode::bad_input, {argument}, "an empty folder; expected runs");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

}  // namespace

std::vector<Ranker> load_rankers(const EvalArguments& arguments, Ranker (*load_one)(const std::string& argument)) {
  std::vector<Ranker> rankers;
  std::vector<std::string> named_files = named_rankers(arguments);
  if (arguments.of_runs()) named_files = with_folders_opened(named_files);
  for (const std::string& named : named_files) rankers.push_back(load_one(named));
  if (!arguments.against.empty() && row_of(arguments.against, rankers) == rankers.size())
    rankers.push_back(load_one(arguments.against));
  return rankers;
}

// Names of a reference that have changed are found by their file.
std::size_t reference_of(const std::vector<Ranker>& rankers, const std::string& against) {
  if (against.empty()) return 0;
  const std::size_t row = row_of(against, rankers);
  return row < rankers.size() ? row : rankers.size() - 1;
}

RankersReport finished_report(std::vector<RankerRow> rows, const std::vector<Ranker>& rankers, std::size_t reference,
                              const EvalArguments& arguments) {
  RankersReport report;
  report.options = arguments.options;
  static_cast<TestedRankers&>(report) = test_rankers(std::move(rows), reference, arguments.options, arguments.tests);
  report.effects = arguments.effects;
  for (const Ranker& ranker : rankers) {
    report.kinds.emplace_back(ranker.kind());
    report.sources.push_back(ranker.file);
  }
  return report;
}

namespace {

// The rankers of `all` features, best first; they replace the one that stands for them.
void expand_features(EvaluatedRankers& out, const std::vector<std::string>& measures, EvaluateOptions options) {
  const auto place = std::find_if(out.rankers.begin(), out.rankers.end(), [](const Ranker& ranker) {
    const auto* feature = std::get_if<Feature>(&ranker.what);
    return feature && feature->name == kAllFeatures;
  });
  if (place == out.rankers.end()) return;
  for (std::size_t j = 0; j < out.data.num_features(); ++j)
    if (out.data.feature_name(j) == kAllFeatures) return;  // a feature of that name is what is meant
  std::vector<Ranker> features = all_feature_rankers(out.data);
  const std::vector<std::string> first(measures.begin(), measures.begin() + 1);
  options.bootstrap = 0;
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const std::vector<double> scores = scores_of(features[j], out.data, false, {});
    order.emplace_back(-evaluate(out.data, scores, first, options).measures[0].mean, j);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const auto at = out.rankers.erase(place) - out.rankers.begin();
  std::vector<Ranker> sorted;
  for (const auto& [value, j] : order) sorted.push_back(std::move(features[j]));
  out.rankers.insert(out.rankers.begin() + at, std::make_move_iterator(sorted.begin()),
                     std::make_move_iterator(sorted.end()));
}

// The cutoffs up to that of a measure, and the measure at each of them; none where it has no cutoff above 1.
std::vector<std::string> at_cutoffs(const std::string& measure, const EvaluateOptions& options,
                                    std::vector<std::size_t>& cutoffs) {
  constexpr std::size_t kEach = 20;  // up to here; then in steps that grow
  const std::string name = make_measure(measure, convention_of(options))->name();
  const std::size_t at = name.find('@'), rest = at == std::string::npos ? at : name.find(':', at);
  if (at == std::string::npos) return {};
  const std::size_t last = std::stoul(name.substr(at + 1));
  for (std::size_t k = 1; k < last && last > 1; k += std::max<std::size_t>(1, k / kEach * 5)) cutoffs.push_back(k);
  if (!cutoffs.empty()) cutoffs.push_back(last);
  std::vector<std::string> names;
  for (const std::size_t k : cutoffs)
    names.push_back(fmt::format("{}@{}{}", name.substr(0, at), k, rest == std::string::npos ? "" : name.substr(rest)));
  return names;
}

EvaluatedRankers evaluate_on_data(EvalArguments& arguments, const Settings& settings) {
  const std::vector<std::string> measures = split_measures(arguments.measures);
  EvaluatedRankers out;
  out.rankers = load_rankers(arguments);
  const RankedData data(arguments.data, arguments.input, settings, out.rankers);
  out.data = data.data();
  expand_features(out, measures, arguments.options);
  make_names_distinct(out.rankers);
  const std::size_t reference = reference_of(out.rankers, arguments.against);
  resolve_limits(arguments.options, common_limits(out.rankers));
  std::vector<RankerRow> rows;
  for (const Ranker& ranker : out.rankers) {
    out.expected.push_back(data.as_expected_by(ranker));
    out.scores.push_back(
        scores_of(ranker, out.expected.back(), arguments.options.complete, settings, arguments.device));
    rows.push_back({ranker.name, evaluate_ranker(ranker, out.data, out.scores.back(), measures, arguments.options)});
  }
  if (!arguments.reports.empty())
    if (const auto names = at_cutoffs(measures.front(), arguments.options, out.cutoffs); !names.empty())
      for (std::size_t r = 0; r < out.rankers.size(); ++r)
        out.by_cutoff.push_back(evaluate_ranker(out.rankers[r], out.data, out.scores[r], names, arguments.options));
  out.report = finished_report(std::move(rows), out.rankers, reference, arguments);
  return out;
}

// Some conventions skip judged queries that a run lacks: the means of the runs would then be over different queries.
void require_queries(const EvaluationTable& table, const std::vector<Judgment>& judgments, const Ranker& ranker) {
  const std::unordered_set<std::string_view> retrieved(table.query_ids.begin(), table.query_ids.end());
  std::unordered_set<std::string_view> seen;
  std::size_t lacking = 0;
  std::string_view first;
  for (const Judgment& judgment : judgments)
    if (seen.insert(judgment.query).second && !retrieved.contains(judgment.query) && lacking++ == 0)
      first = judgment.query;
  if (lacking > 0)
    throw Error(ErrorCode::bad_input, {ranker.file},
                fmt::format("the run lacks {} of {} judged queries (the first: {}); expected all, or --complete, which "
                            "counts them as empty lists",
                            lacking, seen.size(), first));
}

/// Fused models become the runs that they make of those among the rankers that they fuse.
void fuse_runs_among(std::vector<Ranker>& rankers, const EvalArguments& arguments, const Settings& settings) {
  const bool models = std::any_of(rankers.begin(), rankers.end(),
                                  [](const Ranker& ranker) { return std::holds_alternative<Model>(ranker.what); });
  std::vector<NamedRun> runs;
  for (const Ranker& ranker : rankers)
    if (models && std::holds_alternative<UnreadRun>(ranker.what)) runs.push_back({ranker.name, read_run(ranker.file)});
  for (Ranker& ranker : rankers) {
    if (!std::holds_alternative<Model>(ranker.what)) continue;
    const std::optional<FusedModel> fused = load_fused_model(ranker.file);
    if (!fused) continue;
    std::vector<NamedRun> own;
    for (const NamedRun& run : runs)
      if (std::find(fused->input.runs.begin(), fused->input.runs.end(), run.name) != fused->input.runs.end())
        own.push_back(run);
    if (own.size() != fused->input.runs.size())
      throw Error(ErrorCode::bad_input, {ranker.file},
                  fmt::format("the model fuses {}; expected these runs beside it, as FILE or NAME=FILE",
                              fmt::join(fused->input.runs, ", ")));
    const Dataset data = join_for(fused->input, std::move(own), {}, arguments.input, settings).data;
    const std::vector<double> scores = score(fused->model, data, settings.threads);
    std::vector<RunEntry> entries;
    for (std::size_t q = 0; q < data.num_queries(); ++q)
      for (std::size_t d = data.first_document(q); d < data.first_document(q + 1); ++d)
        entries.push_back({std::string(data.query(q).id), std::string(data.document_id(d)), scores[d]});
    ranker.what = std::move(entries);
  }
}

EvaluatedRankers evaluate_by_qrels(EvalArguments& arguments, const Settings& settings) {
  resolve_limits(arguments.options, "");
  const std::vector<std::string> measures = split_measures(arguments.measures);
  std::vector<Ranker> rankers = load_rankers(arguments, load_ranker_of_qrels);
  fuse_runs_among(rankers, arguments, settings);
  make_names_distinct(rankers);
  const std::size_t reference = reference_of(rankers, arguments.against);
  const std::vector<Judgment> judgments = chosen_judgments(arguments);
  const bool may_skip = convention_of(arguments.options).skip_missing;
  std::vector<RankerRow> rows;
  EvaluatedRankers out;
  if (judgments.empty()) {  // the first list of what to judge
    out.judging = survey_judging(rankers, arguments);
    return out;
  }
  const auto evaluate_one = [&](const Ranker& ranker, const std::vector<std::string>& asked, const Settings& how) {
    if (std::holds_alternative<UnreadRun>(ranker.what))
      return evaluate_run_file(ranker.file, judgments, asked, arguments, how);
    const auto* fused = std::get_if<std::vector<RunEntry>>(&ranker.what);
    if (!fused)
      throw Error(
          ErrorCode::bad_input, {ranker.file},
          fmt::format(
              "--qrels evaluates runs and models of dorm fuse, and this is of the kind {}; expected DATA for it",
              ranker.kind()));
    return about_file(ranker.file, [&] { return evaluate_run(judgments, *fused, asked, arguments.options); });
  };
  for (const Ranker& ranker : rankers) {
    rows.push_back({ranker.name, evaluate_one(ranker, measures, settings)});
    if (may_skip) require_queries(rows.back().table, judgments, ranker);
  }
  out.report = finished_report(std::move(rows), rankers, reference, arguments);
  Settings quietly = settings;
  quietly.quiet = true;  // warnings have been given
  if (!arguments.reports.empty())
    if (const auto names = at_cutoffs(measures.front(), arguments.options, out.cutoffs); !names.empty())
      for (const Ranker& ranker : rankers) out.by_cutoff.push_back(evaluate_one(ranker, names, quietly));
  if (arguments.surveys_judging()) out.judging = survey_judging(rankers, arguments);
  return out;
}

}  // namespace

std::vector<std::string> run_files(const EvalArguments& arguments) {
  std::vector<std::string> files = with_folders_opened(named_rankers(arguments));
  for (std::string& file : files)
    if (!file_exists(file) && file.find('=') != std::string::npos) file.erase(0, file.find('=') + 1);
  return files;
}

namespace {

// A document that was judged keeps its label.
void add_judgments(std::vector<Judgment>& judgments, std::vector<Judgment> added) {
  std::set<std::pair<std::string_view, std::string_view>> judged;
  for (const Judgment& judgment : judgments)
    if (judgment.label >= 0) judged.insert({judgment.query, judgment.document});
  std::erase_if(added, [&](const Judgment& each) { return judged.contains({each.query, each.document}); });
  judged.clear();
  for (const Judgment& judgment : added) judged.insert({judgment.query, judgment.document});
  std::vector<Judgment> all;
  for (Judgment& judgment : judgments)
    if (!judged.contains({judgment.query, judgment.document})) all.push_back(std::move(judgment));
  all.insert(all.end(), added.begin(), added.end());
  judgments = std::move(all);
}

}  // namespace

std::vector<Judgment> chosen_judgments(const EvalArguments& arguments, bool added) {
  std::vector<Judgment> judgments;
  if (!arguments.qrels.empty()) judgments = read_qrels(arguments.qrels);
  if (added && !arguments.new_qrels.empty()) add_judgments(judgments, read_qrels(arguments.new_qrels));
  if (arguments.queries.empty()) return judgments;
  std::unordered_set<std::string> chosen;
  if (file_exists(arguments.queries)) {
    for (const std::string& line : read_lines(arguments.queries))
      if (!line.empty()) chosen.insert(line.substr(0, line.find_first_of(" \t,")));
  } else {
    for (std::string_view rest = arguments.queries; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      chosen.emplace(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  std::erase_if(judgments, [&](const Judgment& judgment) { return !chosen.contains(judgment.query); });
  if (judgments.empty())
    throw Error(
        ErrorCode::bad_option,
        fmt::format("--queries {}: none of {} queries is judged in {}; expected ids with commas, or a file with "
                    "one a line",
                    arguments.queries, chosen.size(), arguments.qrels));
  return judgments;
}

EvaluationTable evaluate_run_file(const std::string& file, const std::vector<Judgment>& judgments,
                                  const std::vector<std::string>& measures, const EvalArguments& arguments,
                                  const Settings& settings, std::string* tag) {
  ReadProgress progress(file);
  RunReading reading{.threads = settings.threads};
  if (!settings.quiet)
    reading.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  RunEvaluation evaluation(judgments, measures, arguments.options);
  EvaluationTable table = about_file(file, [&] {
    const std::string found = read_run(file, evaluation, reading);
    if (tag) *tag = found;
    return evaluation.table();
  });
  if (table.unjudged_queries > 0 && arguments.queries.empty())
    warn(settings, fmt::format("{}: {} queries have no judgments and are ignored", file, table.unjudged_queries));
  return table;
}

void resolve_limits(EvaluateOptions& options, const std::string& of_model) {
  if (options.one_per.empty())
    options.one_per = of_model;
  else if (options.one_per == "none")
    options.one_per.clear();
  if (options.as_ranked && options.one_per.empty())
    throw Error(ErrorCode::bad_option, "--as-ranked needs limits; expected --one-per beside it");
}

void add_comparison(EvalReport& report, const EvaluationTable& other, const EvalArguments& arguments) {
  report.against = arguments.against;
  for (std::size_t i = 0; i < other.measures.size(); ++i) {
    report.against_means.push_back(other.measures[i].mean);
    report.tests.push_back(compare(report.table.measures[i].per_query, other.measures[i].per_query, arguments.options));
  }
}

EvaluatedRankers evaluate_rankers(EvalArguments& arguments, const Settings& settings) {
  return arguments.of_runs() ? evaluate_by_qrels(arguments, settings) : evaluate_on_data(arguments, settings);
}

void print_rankers(const RankersReport& report, const EvalArguments& arguments, const Settings& settings) {
  if (!arguments.per_query.empty()) write_text(arguments.per_query, rankers_per_query(report.table));
  if (arguments.per_query == "-") return;
  const std::string reports = arguments.reports.empty() ? std::string() : "\n" + report_lines(arguments.reports);
  print(settings.json || arguments.format == "json" ? rankers_json(report)
        : arguments.format == "csv"                 ? rankers_csv(report)
        : arguments.format == "markdown"            ? rankers_markdown(report)
        : arguments.format == "latex"               ? pages::rankers_latex(report)
        : arguments.format == "html"                ? pages::rankers_html(report)
                                                    : rankers_text(report) + reports);
}

}  // namespace dorm::cli
