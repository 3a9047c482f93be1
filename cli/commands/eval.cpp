// SPDX-License-Identifier: Apache-2.0
// `dorm eval`: how good a ranking is.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "command.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "dorm/recommend/any_model.h"
#include "eval_arguments.h"
#include "judge_rankers.h"
#include "output.h"
#include "rankers.h"
#include "report_files.h"
#include "text/eval_text.h"
#include "text/rankers_text.h"
#include "text/trec_text.h"
#include "usage.h"

namespace dorm::cli {
namespace {

constexpr const char* kMeasures = "ndcg@10,mrr,map";
constexpr const char* kTopicMeasures = "ndcg@10";
constexpr const char* kClickMeasures = "dcg@10";
constexpr std::string_view kPositionGain = "position-gain";
constexpr const char* kSubtopicMeasures = "alpha-ndcg@10,ia-precision@10,subtopic-recall@10";

void add_comparison(EvalReport& report, const EvaluationTable& other, const EvalArguments& arguments) {
  report.against = arguments.against;
  for (std::size_t i = 0; i < other.measures.size(); ++i) {
    report.against_means.push_back(other.measures[i].mean);
    report.tests.push_back(compare(report.table.measures[i].per_query, other.measures[i].per_query, arguments.options));
  }
}

// Runs may cover different queries: both are put on the queries of the first, absent ones being NaN.
EvaluationTable on_queries_of(const EvaluationTable& first, EvaluationTable other) {
  std::map<std::string_view, std::size_t> place;
  for (std::size_t q = 0; q < other.query_ids.size(); ++q) place[other.query_ids[q]] = q;
  for (MeasureResult& measure : other.measures) {
    std::vector<double> values;
    for (const std::string& id : first.query_ids) {
      const auto found = place.find(id);
      values.push_back(found == place.end() ? std::nan("") : measure.per_query[found->second]);
    }
    measure.per_query = std::move(values);
  }
  return other;
}

/// One ranker of data, from the option that names it, and the one it is compared with, if any.
std::vector<Ranker> single_rankers(const EvalArguments& arguments) {
  std::vector<Ranker> rankers;
  rankers.push_back(arguments.feature.empty()
                        ? load_ranker(arguments.model.empty() ? arguments.scores : arguments.model)
                        : feature_ranker(arguments.feature));
  if (!arguments.against.empty()) rankers.push_back(load_ranker(arguments.against));
  return rankers;
}

/// The measures without position-gain@n, which needs gains.
struct AskedMeasures {
  std::vector<std::string> names;
  bool position_gain = false;
  std::string spelling = {};  // of position-gain, as it was written

  explicit AskedMeasures(const std::string& list) {
    for (std::string& name : split_measures(list))
      if (name.starts_with(kPositionGain)) {
        position_gain = true;
        spelling = std::move(name);
      } else {
        names.push_back(std::move(name));
      }
  }

  /// Adds position-gain@n; n is that of the gains, which the spelling may repeat.
  void add_gain(const LabelGains& known, const EvalArguments& arguments, const Dataset& data,
                const std::vector<Ranking>& rankings, EvaluationTable& table) const {
    add_position_gain(known, arguments.position_gains, data, rankings, arguments.options, table);
    const std::string& name = table.measures.front().name;
    if (position_gain && spelling != kPositionGain && spelling != name)
      throw Error(ErrorCode::bad_option,
                  fmt::format("{} was asked for, but the gains are those of {}", spelling, name));
  }
};

// c of what the lists are judged by, where no model says with which c they are to be made.
Model without_model(const EvalArguments& arguments) {
  Model model;
  model.measure = split_measures(arguments.measures).front();
  model.convention = arguments.options.convention;
  return model;
}

// Lists that keep the limits, against the best of those.
EvalReport evaluate_within_topics(EvalArguments& arguments, const Settings& settings) {
  const std::vector<std::string> measures = split_measures(arguments.measures);
  const std::size_t top = arguments.top > 0 ? arguments.top : cutoff_of(measures.front());
  const std::vector<Ranker> rankers = single_rankers(arguments);
  if (std::holds_alternative<PositionModel>(rankers.front().what))
    throw Error(ErrorCode::unsupported, "--topics needs a linear model; this one ranks by position");
  const auto* model = std::get_if<Model>(&rankers.front().what);
  resolve_limits(arguments.options, model ? model->one_per : "");
  const RankedData source(arguments.data, arguments.input, settings, rankers);
  const Dataset& data = source.data();
  const TopicTable topics = load_topics(arguments.topics, data);
  const auto judge_lists = [&](const Ranker& each) {
    const std::vector<Ranking> lists = ranked_under_topics(model ? *model : without_model(arguments), data,
                                                           scores_of(each, source, false, settings, arguments.device),
                                                           arguments.topics, top, settings);
    return evaluate_topics(data, lists, top, topics, measures, arguments.topics.options, arguments.options);
  };
  EvalReport report;
  report.table = judge_lists(rankers.front());
  if (rankers.size() > 1) add_comparison(report, judge_lists(rankers.back()), arguments);
  return report;
}

// Adds position-gain@n where it is asked for, or known to the model.
void add_gains(const Ranker& ranker, const Dataset& data, std::span<const double> scores, const AskedMeasures& asked,
               const EvalArguments& arguments, EvaluationTable& table) {
  const auto* by_position = std::get_if<PositionModel>(&ranker.what);
  if (asked.position_gain && !by_position)
    require_option(!arguments.position_gains.empty(), "--position-gains FILE", "position-gain is measured by gains");
  if (!by_position && arguments.position_gains.empty()) return;
  if (!arguments.against.empty() && (asked.position_gain || !arguments.position_gains.empty()))
    throw Error(ErrorCode::unsupported, "--against does not compare gains by position");
  if (arguments.against.empty())
    asked.add_gain(by_position ? by_position->gains : LabelGains{}, arguments, data, sorted_rankings(data, scores),
                   table);
}

EvalReport evaluate_data(EvalArguments& arguments, const Settings& settings) {
  if (arguments.topics.given()) return evaluate_within_topics(arguments, settings);
  const AskedMeasures asked(arguments.measures);
  const std::vector<Ranker> rankers = single_rankers(arguments);
  const auto* model = std::get_if<Model>(&rankers.front().what);
  resolve_limits(arguments.options, model ? model->one_per : "");
  const RankedData source(arguments.data, arguments.input, settings, rankers);
  const Dataset& data = source.data();
  EvalReport report;
  for (const Ranker& ranker : rankers) {
    const std::vector<double> scores =
        scores_of(ranker, source, arguments.options.complete, settings, arguments.device);
    EvaluationTable table = judge(ranker, data, scores, asked.names, arguments.options);
    if (&ranker != &rankers.front()) {
      add_comparison(report, table, arguments);
      break;
    }
    add_gains(ranker, data, scores, asked, arguments, table);
    report.table = std::move(table);
  }
  return report;
}

/// A factorization, or a model over a joint kernel; `given`: ratings of new users, to fold them in.
template <class RatingsModel>
EvaluationTable judge_recommender(RatingsModel& model, const std::string& path, const Ratings& test,
                                  const Ratings& given, const EvalArguments& arguments, const Settings& settings) {
  if (const std::size_t trained = count_trained(model, test); trained > 0)
    warn(settings, fmt::format("{}: {} of the {} ratings were among those it was trained on; figures of these say "
                               "how well it remembers, not how well it recommends",
                               path, trained, test.size()));
  if (given.size() > 0) fold_in_users(model, given, nullptr, settings.threads);
  UnknownIds unknown;
  const std::vector<double> scores = score(model, test, &unknown);
  if (unknown.users + unknown.items > 0)
    warn(settings, fmt::format("{}: {} users and {} items of the ratings are unknown; such users get the items by "
                               "{}",
                               path, unknown.users, unknown.items,
                               std::is_same_v<RatingsModel, FactorModel>
                                   ? "their offsets, such items the offset of one nobody has rated"
                                   : "what all users have in common, such items score 0"));
  return evaluate(model, test, scores, split_measures(arguments.measures), arguments.options);
}

/// Judges recommenders by the same ratings, which are read once.
std::function<EvaluationTable(const std::string&)> judge_of_ratings(const EvalArguments& arguments,
                                                                    const Settings& settings) {
  auto parts = std::make_shared<const SplitRatings>(
      split_ratings(load_ratings(arguments.ratings, arguments.layout, settings), arguments.split, settings));
  return [parts, &arguments, &settings](const std::string& path) {
    const Ratings& test = arguments.split.split.empty() ? parts->train : parts->test;
    auto loaded = load_recommender(path);
    return std::visit(
        [&](auto& model) { return judge_recommender(model, path, test, parts->given, arguments, settings); }, loaded);
  };
}

EvalReport evaluate_ratings(const EvalArguments& arguments, const Settings& settings) {
  const auto judge_one = judge_of_ratings(arguments, settings);
  EvalReport report;
  report.table = judge_one(arguments.model);
  if (!arguments.against.empty()) add_comparison(report, judge_one(arguments.against), arguments);
  return report;
}

// Documents that the limits leave out are not retrieved.
std::vector<RunEntry> as_run(const Dataset& data, std::span<const double> scores, const std::string& one_per) {
  if (!data.has_document_ids())
    throw Error(ErrorCode::bad_input, "--subtopics judges documents by their ids, and the data has none");
  std::vector<GroupLimits> groups;
  if (!one_per.empty()) groups = group_limits(data, parse_one_per(one_per));
  std::vector<RunEntry> run;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const std::span<const double> own = scores.subspan(query.first_document, query.size());
    for (const std::uint32_t i : groups.empty() ? top_ranking(own) : top_ranking(own, groups[q]))
      run.push_back({std::string(query.id), std::string(data.document_id(query.first_document + i)), own[i]});
  }
  return run;
}

EvalReport evaluate_by_subtopic(EvalArguments& arguments, const Settings& settings) {
  const std::vector<std::string> measures = split_measures(arguments.measures);
  const std::vector<SubtopicJudgment> judgments = read_subtopics(arguments.subtopics);
  EvalReport report;
  if (!arguments.run.empty()) {
    resolve_limits(arguments.options, "");
    const auto judge_run = [&](const std::string& run) {
      return evaluate_subtopics(judgments, read_run(run), measures, arguments.options);
    };
    report.table = judge_run(arguments.run);
    if (!arguments.against.empty())
      add_comparison(report, on_queries_of(report.table, judge_run(arguments.against)), arguments);
    return report;
  }
  const std::vector<Ranker> rankers = single_rankers(arguments);
  const auto* model = std::get_if<Model>(&rankers.front().what);
  resolve_limits(arguments.options, model ? model->one_per : "");
  const RankedData source(arguments.data, arguments.input, settings, rankers);
  const Dataset& data = source.data();
  const std::string one_per = std::exchange(arguments.options.one_per, "");
  const auto judge_lists = [&](const Ranker& each) {
    return evaluate_subtopics(judgments,
                              as_run(data, scores_of(each, source, false, settings, arguments.device), one_per),
                              measures, arguments.options);
  };
  report.table = judge_lists(rankers.front());
  if (rankers.size() > 1) add_comparison(report, on_queries_of(report.table, judge_lists(rankers.back())), arguments);
  report.table.one_per = one_per;
  return report;
}

void warn_of_unjudged(const EvaluationTable& table, const EvalArguments& arguments, const Settings& settings) {
  if (table.unjudged_queries > 0)
    warn(settings,
         fmt::format("{}: {} queries have no judgments and are ignored", arguments.run, table.unjudged_queries));
}

EvalReport evaluate_trec(EvalArguments& arguments, const Settings& settings) {
  resolve_limits(arguments.options, "");
  const std::vector<std::string> measures = split_measures(arguments.measures);
  const std::vector<Judgment> judgments = read_qrels(arguments.qrels);
  EvalReport report;
  report.table = evaluate_run(judgments, read_run(arguments.run), measures, arguments.options);
  warn_of_unjudged(report.table, arguments, settings);
  if (!arguments.against.empty())
    add_comparison(
        report,
        on_queries_of(report.table, evaluate_run(judgments, read_run(arguments.against), measures, arguments.options)),
        arguments);
  return report;
}

// What trec_eval prints: lines per query where they are asked for, then those of all queries.
void print_trec(EvalArguments& arguments, const Settings& settings) {
  if (settings.json) throw Error(ErrorCode::bad_option, "--format trec and --json are two formats; expected one");
  resolve_limits(arguments.options, "");
  arguments.options.bootstrap = 0;  // it prints no intervals
  const TrecLines lines(arguments.measures);
  std::string tag;
  const std::vector<RunEntry> run = read_run(arguments.run, &tag);
  const EvaluationTable table = evaluate_run(read_qrels(arguments.qrels), run, lines.measures(), arguments.options);
  warn_of_unjudged(table, arguments, settings);
  if (!arguments.per_query.empty()) write_text(arguments.per_query, lines.per_query(table));
  print(lines.summary(table, tag));
}

void write_page(const JudgedRankers& judged, const EvalArguments& arguments, const Settings& settings) {
  if (arguments.reports.empty()) return;
  pages::RankersReportData report_data{.table = judged.report.table,
                                       .options = judged.report.options,
                                       .data = judged.rankers.empty() ? nullptr : &judged.data,
                                       .data_name = !arguments.data.empty()      ? arguments.data
                                                    : !arguments.ratings.empty() ? arguments.ratings
                                                                                 : arguments.qrels};
  for (std::size_t r = 0; r < judged.rankers.size(); ++r)
    report_data.rankers.push_back(
        {&judged.scores[r], std::get_if<Model>(&judged.rankers[r].what), &judged.expected[r]});
  write_reports(pages::eval_page(report_data, origin_of(settings)), arguments.reports);
}

std::string report_text(const std::vector<std::string>& files) {
  return files.empty() ? std::string() : "\n" + report_lines(files);
}

void print_several(EvalArguments& arguments, const Settings& settings) {
  std::function<EvaluationTable(const std::string&)> of_ratings;
  if (!arguments.ratings.empty()) of_ratings = judge_of_ratings(arguments, settings);
  const JudgedRankers judged = judge_rankers(arguments, settings, of_ratings);
  const RankersReport& report = judged.report;
  if (!arguments.per_query.empty()) write_text(arguments.per_query, rankers_per_query(report.table));
  write_page(judged, arguments, settings);
  if (arguments.per_query == "-") return;
  print(settings.json                    ? rankers_json(report)
        : arguments.format == "csv"      ? rankers_csv(report)
        : arguments.format == "markdown" ? rankers_markdown(report)
                                         : rankers_text(report) + report_text(arguments.reports));
}

void print_by_clicks(EvalArguments& arguments, const Settings& settings) {
  const ClicksJudged judged = judge_by_clicks(arguments, settings);
  if (!arguments.per_query.empty()) write_text(arguments.per_query, rankers_per_query(judged.report.table));
  if (arguments.per_query == "-") return;
  print(settings.json                    ? clicks_judged_json(judged)
        : arguments.format == "csv"      ? rankers_csv(judged.report)
        : arguments.format == "markdown" ? rankers_markdown(judged.report)
                                         : clicks_judged_text(judged));
}

void run_eval(EvalArguments arguments, const Settings& settings) {
  settle_positions(arguments);
  check(arguments);
  arguments.options.convention = !arguments.convention.empty() ? arguments.convention
                                 : arguments.judged_run()      ? "trec"
                                                               : "standard";
  arguments.options.threads = settings.threads;
  if (arguments.format == "trec") return print_trec(arguments, settings);
  if (arguments.measures.empty())
    arguments.measures = !arguments.subtopics.empty() ? kSubtopicMeasures
                         : arguments.clicks.on        ? kClickMeasures
                         : arguments.topics.given()   ? kTopicMeasures
                                                      : kMeasures;
  if (arguments.clicks.on) return print_by_clicks(arguments, settings);
  if (arguments.several()) return print_several(arguments, settings);
  EvalReport report = !arguments.subtopics.empty() ? evaluate_by_subtopic(arguments, settings)
                      : arguments.judged_run()     ? evaluate_trec(arguments, settings)
                      : !arguments.ratings.empty() ? evaluate_ratings(arguments, settings)
                                                   : evaluate_data(arguments, settings);
  report.options = arguments.options;
  if (!arguments.per_query.empty()) write_text(arguments.per_query, per_query_csv(report.table));
  if (arguments.per_query != "-") print(settings.json ? eval_json(report) : eval_text(report));
}

}  // namespace

Action declare_eval(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<EvalArguments>();
  declare_options(app, *arguments);
  return [arguments, &settings] { run_eval(*arguments, settings); };
}

}  // namespace dorm::cli
