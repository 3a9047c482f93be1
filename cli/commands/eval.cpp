// SPDX-License-Identifier: Apache-2.0
// `dorm eval`: measures of rankers, with intervals and tests.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "command.h"
#include "command_line.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/model.h"
#include "dorm/ranking/group_lists.h"
#include "input/query_groups.h"
#include "input/rankers.h"
#include "model/trained_on.h"
#include "options/eval_options.h"
#include "options/report_files.h"
#include "run/evaluate_rankers.h"
#include "run/output.h"
#include "text/eval_text.h"
#include "text/rankers_text.h"
#include "text/trec_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kMeasures = "ndcg@10,mrr,map";
constexpr const char* kTopicMeasures = "ndcg@10";
constexpr std::string_view kPositionGain = "position-gain";
constexpr const char* kSubtopicMeasures = "alpha-ndcg@10,ia-precision@10,subtopic-recall@10";

// Runs may cover different queries: the values of the other on the queries of the first, NaN for absent ones.
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
struct RequestedMeasures {
  std::vector<std::string> names;
  bool position_gain = false;
  std::string spelling = {};  // of position-gain, as it was written

  explicit RequestedMeasures(const std::string& list) {
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
                  fmt::format("{} was requested, but the gains are those of {}", spelling, name));
  }
};

// The decay of the first measure, for lists of rankers without a model.
Model without_model(const EvalArguments& arguments) {
  Model model;
  model.measure = split_measures(arguments.measures).front();
  model.convention = arguments.options.convention;
  return model;
}

// Lists that keep the limits, against the best such lists.
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
  const auto evaluate_lists = [&](const Ranker& each) {
    const std::vector<Ranking> lists = ranked_under_topics(model ? *model : without_model(arguments), data,
                                                           scores_of(each, source, false, settings, arguments.device),
                                                           arguments.topics, top, settings);
    return evaluate_topics(data, lists, top, topics, measures, arguments.topics.options, arguments.options);
  };
  EvalReport report;
  report.table = evaluate_lists(rankers.front());
  if (rankers.size() > 1) add_comparison(report, evaluate_lists(rankers.back()), arguments);
  return report;
}

// Adds position-gain@n where it is requested, or known to the model.
void add_gains(const Ranker& ranker, const Dataset& data, std::span<const double> scores,
               const RequestedMeasures& requested, const EvalArguments& arguments, EvaluationTable& table) {
  const auto* by_position = std::get_if<PositionModel>(&ranker.what);
  if (requested.position_gain && !by_position)
    require_option(!arguments.position_gains.empty(), "--position-gains FILE", "position-gain needs gains");
  if (!by_position && arguments.position_gains.empty()) return;
  if (!arguments.against.empty() && (requested.position_gain || !arguments.position_gains.empty()))
    throw Error(ErrorCode::unsupported, "--against does not compare gains by position");
  if (arguments.against.empty())
    requested.add_gain(by_position ? by_position->gains : LabelGains{}, arguments, data, sorted_rankings(data, scores),
                       table);
}

EvalReport evaluate_data(EvalArguments& arguments, const Settings& settings) {
  if (arguments.topics.given()) return evaluate_within_topics(arguments, settings);
  const RequestedMeasures requested(arguments.measures);
  const std::vector<Ranker> rankers = single_rankers(arguments);
  const auto* model = std::get_if<Model>(&rankers.front().what);
  resolve_limits(arguments.options, model ? model->one_per : "");
  const RankedData source(arguments.data, arguments.input, settings, rankers);
  const Dataset& data = source.data();
  EvalReport report;
  for (const Ranker& ranker : rankers) {
    const std::vector<double> scores =
        scores_of(ranker, source, arguments.options.complete, settings, arguments.device);
    EvaluationTable table = evaluate_ranker(ranker, data, scores, requested.names, arguments.options);
    if (&ranker != &rankers.front()) {
      add_comparison(report, table, arguments);
      break;
    }
    add_gains(ranker, data, scores, requested, arguments, table);
    report.table = std::move(table);
  }
  return report;
}

// Documents beyond the limits are not retrieved.
std::vector<RunEntry> as_run(const Dataset& data, std::span<const double> scores, const std::string& one_per) {
  if (!data.has_document_ids())
    throw Error(ErrorCode::bad_input, "--subtopics needs document ids, and the data has none");
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
    const auto evaluate_one = [&](const std::string& run) {
      return evaluate_subtopics(judgments, read_run(run), measures, arguments.options);
    };
    report.table = evaluate_one(arguments.run);
    if (!arguments.against.empty())
      add_comparison(report, on_queries_of(report.table, evaluate_one(arguments.against)), arguments);
    return report;
  }
  const std::vector<Ranker> rankers = single_rankers(arguments);
  const auto* model = std::get_if<Model>(&rankers.front().what);
  resolve_limits(arguments.options, model ? model->one_per : "");
  const RankedData source(arguments.data, arguments.input, settings, rankers);
  const Dataset& data = source.data();
  const std::string one_per = std::exchange(arguments.options.one_per, "");
  const auto evaluate_lists = [&](const Ranker& each) {
    return evaluate_subtopics(judgments,
                              as_run(data, scores_of(each, source, false, settings, arguments.device), one_per),
                              measures, arguments.options);
  };
  report.table = evaluate_lists(rankers.front());
  if (rankers.size() > 1)
    add_comparison(report, on_queries_of(report.table, evaluate_lists(rankers.back())), arguments);
  report.table.one_per = one_per;
  return report;
}

EvalReport evaluate_trec(EvalArguments& arguments, const Settings& settings) {
  resolve_limits(arguments.options, "");
  const std::vector<std::string> measures = split_measures(arguments.measures);
  const std::vector<Judgment> judgments = chosen_judgments(arguments);
  EvalReport report;
  report.table = evaluate_run_file(arguments.run, judgments, measures, arguments, settings);
  if (!arguments.against.empty())
    add_comparison(
        report,
        on_queries_of(report.table, evaluate_run_file(arguments.against, judgments, measures, arguments, settings)),
        arguments);
  return report;
}

// The output of trec_eval: lines per query where they are requested, then the summary. Of several runs one after the
// other, each from the line with its tag on.
void print_trec(EvalArguments& arguments, const Settings& settings) {
  if (settings.json) throw Error(ErrorCode::bad_option, "--format trec and --json exclude each other; expected one");
  resolve_limits(arguments.options, "");
  arguments.options.bootstrap = 0;  // it prints no intervals
  const std::vector<Judgment> judgments = chosen_judgments(arguments);
  const std::vector<std::string> files = run_files(arguments);
  TrecLines lines(arguments.measures);
  if (files.size() > 1) lines.begin_with_run_id();
  std::string per_query, summary;
  for (const std::string& file : files) {
    std::string tag;
    const EvaluationTable table = evaluate_run_file(file, judgments, lines.measures(), arguments, settings, &tag);
    if (!arguments.per_query.empty()) per_query += (files.size() > 1 ? lines.run_id(tag) : "") + lines.per_query(table);
    summary += lines.summary(table, tag);
  }
  if (!arguments.per_query.empty()) write_text(arguments.per_query, per_query);
  print(summary);
}

void write_page(const EvaluatedRankers& evaluated, const std::optional<GroupsReport>& groups,
                const EvalArguments& arguments, const Settings& settings) {
  if (arguments.reports.empty()) return;
  pages::RankersReportData report_data{.tested = evaluated.report,
                                       .options = evaluated.report.options,
                                       .data = evaluated.rankers.empty() ? nullptr : &evaluated.data,
                                       .data_name = arguments.data.empty() ? arguments.qrels : arguments.data};
  report_data.cutoffs = evaluated.cutoffs;
  report_data.by_cutoff = evaluated.by_cutoff;
  const ReadableTexts texts =
      report_data.data ? load_texts(arguments.data, arguments.input, *report_data.data) : ReadableTexts();
  report_data.texts = &texts;
  for (std::size_t r = 0; r < evaluated.rankers.size(); ++r) {
    const auto* model = std::get_if<Model>(&evaluated.rankers[r].what);
    const Dataset& data = evaluated.expected[r];
    report_data.rankers.push_back(
        {&evaluated.scores[r], model, &data, model ? share_trained_on(*model, data, settings.threads) : 0});
  }
  report::Report page = pages::eval_page(report_data, origin_of(settings));
  if (groups) page.sections.insert(page.sections.end() - 1, groups_section(*groups));  // how it was made comes last
  write_reports(page, arguments.reports);
}

void print_several(EvalArguments& arguments, const Settings& settings) {
  const EvaluatedRankers evaluated = evaluate_rankers(arguments, settings);
  std::optional<GroupsReport> groups;
  if (!arguments.by.empty())
    groups = rankers_by_group(evaluated.report.table, arguments.by, arguments.options, arguments.tests);
  write_page(evaluated, groups, arguments, settings);
  const bool judging = arguments.surveys_judging(), table = !evaluated.report.table.rows.empty();
  if (!judging && !groups) return print_rankers(evaluated.report, arguments, settings);
  if (settings.json || arguments.format == "json") {
    Json out = table ? Json::parse(rankers_json(evaluated.report)) : Json::object();
    if (groups) out.update(groups_json(*groups));
    if (judging) out.update(judging_json(evaluated.judging));
    return print(printable_json(out, 2) + "\n");
  }
  if (table) print_rankers(evaluated.report, arguments, settings);
  if (judging) print((table ? "\n" : "") + judging_text(evaluated.judging));
  if (groups) print("\n" + groups_text(*groups));
}

void run_eval(EvalArguments arguments, const Settings& settings) {
  check(arguments);
  arguments.options.convention = !arguments.convention.empty() ? arguments.convention
                                 : arguments.of_runs()         ? "trec"
                                                               : "standard";
  arguments.options.threads = settings.threads;
  if (arguments.format == "trec") return print_trec(arguments, settings);
  if (arguments.measures.empty())
    arguments.measures = !arguments.subtopics.empty() ? kSubtopicMeasures
                         : arguments.topics.given()   ? kTopicMeasures
                                                      : kMeasures;
  if (arguments.several()) return print_several(arguments, settings);
  EvalReport report = !arguments.subtopics.empty() ? evaluate_by_subtopic(arguments, settings)
                      : arguments.of_runs()        ? evaluate_trec(arguments, settings)
                                                   : evaluate_data(arguments, settings);
  report.options = arguments.options;
  if (!arguments.per_query.empty()) write_text(arguments.per_query, per_query_csv(report.table));
  if (arguments.per_query != "-")
    print(settings.json || arguments.format == "json" ? eval_json(report) : eval_text(report));
}

}  // namespace

Action declare_eval(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<EvalArguments>();
  declare_eval_options(app, *arguments);
  return [arguments, &settings] { run_eval(*arguments, settings); };
}

}  // namespace dorm::cli
