// SPDX-License-Identifier: Apache-2.0
#include "judge_rankers.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm::cli {
namespace {

/// What names the rankers, in the order of rows.
std::vector<std::string> words_of(const EvalArguments& arguments) {
  std::vector<std::string> words;
  for (const std::string& file : {arguments.model, arguments.scores, arguments.run})
    if (!file.empty()) words.push_back(file);
  if (!arguments.feature.empty()) words.push_back("feature:" + arguments.feature);
  words.insert(words.end(), arguments.rankers.begin(), arguments.rankers.end());
  return words;
}

/// The row that `words` mean: the name of a ranker, or the words it was given by. None: the number of rankers.
std::size_t row_of(const std::string& words, const std::vector<Ranker>& rankers) {
  const auto found = std::find_if(rankers.begin(), rankers.end(),
                                  [&](const Ranker& ranker) { return ranker.name == words || ranker.file == words; });
  return static_cast<std::size_t>(found - rankers.begin());
}

}  // namespace

std::vector<Ranker> load_rankers(const EvalArguments& arguments, Ranker (*load_one)(const std::string& words)) {
  std::vector<Ranker> rankers;
  for (const std::string& words : words_of(arguments)) rankers.push_back(load_one(words));
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
  report.table = compare_rankers(std::move(rows), reference, arguments.options);
  for (const Ranker& ranker : rankers) {
    report.kinds.emplace_back(ranker.kind());
    report.sources.push_back(ranker.file);
  }
  return report;
}

namespace {

// The rankers of `all` features, best first; they replace the one that stands for them.
void expand_features(JudgedRankers& out, const std::vector<std::string>& measures, EvaluateOptions options) {
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

JudgedRankers judge_by_data(EvalArguments& arguments, const Settings& settings) {
  const std::vector<std::string> measures = split_measures(arguments.measures);
  JudgedRankers out;
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
    rows.push_back({ranker.name, judge(ranker, out.data, out.scores.back(), measures, arguments.options)});
  }
  out.report = finished_report(std::move(rows), out.rankers, reference, arguments);
  return out;
}

// Judged queries that a run lacks are left out by some conventions: then rankers would not be judged alike.
void require_queries(const std::vector<RunEntry>& run, const std::vector<Judgment>& judgments, const Ranker& ranker) {
  std::unordered_set<std::string_view> retrieved, seen;
  for (const RunEntry& entry : run) retrieved.insert(entry.query);
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

JudgedRankers judge_by_qrels(EvalArguments& arguments, const Settings& settings) {
  resolve_limits(arguments.options, "");
  const std::vector<std::string> measures = split_measures(arguments.measures);
  std::vector<Ranker> rankers = load_rankers(arguments);
  make_names_distinct(rankers);
  const std::size_t reference = reference_of(rankers, arguments.against);
  const std::vector<Judgment> judgments = read_qrels(arguments.qrels);
  const bool may_skip = convention_of(arguments.options).skip_missing;
  std::vector<RankerRow> rows;
  for (const Ranker& ranker : rankers) {
    const auto* run = std::get_if<std::vector<RunEntry>>(&ranker.what);
    if (!run)
      throw Error(ErrorCode::bad_input, {ranker.file},
                  fmt::format("--qrels judges TREC runs, and this is of the kind {}; expected --data FILE for it",
                              ranker.kind()));
    if (may_skip) require_queries(*run, judgments, ranker);
    rows.push_back({ranker.name, evaluate_run(judgments, *run, measures, arguments.options)});
    if (rows.back().table.unjudged_queries > 0)
      warn(settings, fmt::format("{}: {} queries have no judgments and are ignored", ranker.file,
                                 rows.back().table.unjudged_queries));
  }
  JudgedRankers out;
  out.report = finished_report(std::move(rows), rankers, reference, arguments);
  return out;
}

}  // namespace

void resolve_limits(EvaluateOptions& options, const std::string& of_model) {
  if (options.one_per.empty())
    options.one_per = of_model;
  else if (options.one_per == "none")
    options.one_per.clear();
  if (options.as_ranked && options.one_per.empty())
    throw Error(ErrorCode::bad_option, "--as-ranked says how limits are judged; expected --one-per beside it");
}

JudgedRankers judge_rankers(EvalArguments& arguments, const Settings& settings,
                            const std::function<EvaluationTable(const std::string& path)>& of_ratings) {
  if (arguments.ratings.empty())
    return arguments.judged_run() ? judge_by_qrels(arguments, settings) : judge_by_data(arguments, settings);
  std::vector<Ranker> rankers = load_rankers(arguments, recommender_ranker);
  make_names_distinct(rankers);
  const std::size_t reference = reference_of(rankers, arguments.against);
  std::vector<RankerRow> rows;
  for (const Ranker& ranker : rankers) rows.push_back({ranker.name, of_ratings(ranker.file)});
  JudgedRankers out;
  out.report = finished_report(std::move(rows), rankers, reference, arguments);
  return out;
}

}  // namespace dorm::cli
