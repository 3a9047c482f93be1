// SPDX-License-Identifier: Apache-2.0
// `dorm eval`: how good a ranking is.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "command.h"
#include "document_scores.h"
#include "dorm/catalog.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/factorize.h"
#include "dorm/model.h"
#include "dorm/one_per.h"
#include "help.h"
#include "input.h"
#include "list_options.h"
#include "output.h"
#include "ratings_input.h"
#include "text/eval_text.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kEvalDescription =
    "Measure how good a ranking is, with intervals and tests.\n"
    "\n"
    "Ranks the documents of every query by a model, or by their scores (one number per line, in the order "
    "of\n"
    "the rows of DATA; higher is better), and prints the mean of each measure over the queries with a\n"
    "bootstrap interval over queries. A TREC run is judged by its qrels: documents without a judgment have\n"
    "label 0, judged documents that were not retrieved count in what could have been reached.";

constexpr const char* kEvalExamples =
    "Examples:\n"
    "  dorm eval test.txt --scores model.scores\n"
    "  dorm eval test.txt --model m.json --against baseline.scores\n"
    "  dorm eval test.txt --feature 25 --measures ndcg@1,ndcg@10,map --convention letor4\n"
    "  dorm eval test.dorm --scores new.scores --against old.scores --per-query values.csv\n"
    "  dorm eval --run my.run --qrels judgments.qrels --measures ndcg@10,map --json\n"
    "  dorm eval test.csv --model m.json --one-per host\n"
    "  dorm eval test.csv --model m.json --topics topics.csv --limits limits.csv --measures ndcg@5\n"
    "  dorm eval --run my.run --subtopics diversity.qrels\n"
    "  dorm eval --ratings test.csv --model m.factors --measures ndcg@10,ndcg\n";

constexpr const char* kMeasures = "ndcg@10,mrr,map";
constexpr const char* kTopicMeasures = "ndcg@10";
constexpr std::string_view kPositionGain = "position-gain";
constexpr const char* kSubtopicMeasures = "alpha-ndcg@10,ia-precision@10,subtopic-recall@10";

struct EvalArguments {
  std::string data, scores, feature, model, run, qrels, subtopics, ratings, against, per_query, convention,
      position_gains;
  SplitArguments split;
  TopicArguments topics;
  std::size_t top = 0;   // length of lists under topic limits; 0: as the first measure says
  std::string measures;  // empty: kMeasures, kSubtopicMeasures with --subtopics, or kTopicMeasures with --topics
  EvaluateOptions options;
  InputArguments input;

  bool judged_run() const { return !run.empty() || !qrels.empty(); }
};

void check(const EvalArguments& arguments) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::bad_option, message); };
  const std::string& one_per = arguments.options.one_per;
  if (!one_per.empty() && one_per != "none") parse_one_per(one_per);
  if (arguments.topics.given() && (arguments.judged_run() || !arguments.ratings.empty()))
    refuse("--topics and --limits judge rankings of DATA; expected no --run, --qrels or --ratings");
  if (arguments.judged_run()) {
    require_option(!arguments.run.empty(), "--run FILE", "--qrels judges the documents of a run");
    require_option(arguments.qrels.empty() == !arguments.subtopics.empty(), "--qrels FILE or --subtopics FILE",
                   "--run needs judgments of one kind");
    if (!arguments.data.empty() || !arguments.scores.empty() || !arguments.feature.empty() || !arguments.model.empty())
      refuse("--run and --qrels stand alone; expected no DATA, --model, --scores or --feature beside them");
    return;
  }
  if (!arguments.ratings.empty()) {
    require_option(!arguments.model.empty(), "--model FILE", "--ratings judges a model of dorm factorize");
    if (!arguments.data.empty() || !arguments.scores.empty() || !arguments.feature.empty())
      refuse("--ratings stands alone; expected no DATA, --scores or --feature beside it");
    return;
  }
  require_option(!arguments.data.empty(), "DATA", "expected judged documents, or --run and --qrels");
  if (arguments.topics.given() && (!arguments.subtopics.empty() || (!one_per.empty() && one_per != "none")))
    refuse("--topics stands alone; expected no --subtopics or --one-per beside it");
  const int rankers = !arguments.scores.empty() + !arguments.feature.empty() + !arguments.model.empty();
  if (rankers != 1)
    refuse("expected one of --model FILE, --scores FILE or --feature NAME, to say what ranks the documents");
}

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

// A model brings the limits it was trained under, unless others are asked for.
void resolve_limits(EvaluateOptions& options, const std::string& of_model) {
  if (options.one_per.empty())
    options.one_per = of_model;
  else if (options.one_per == "none")
    options.one_per.clear();
  if (options.as_ranked && options.one_per.empty())
    throw Error(ErrorCode::bad_option, "--as-ranked says how limits are judged; expected --one-per beside it");
}

std::vector<double> scores_of(const Dataset& data, EvalArguments& arguments, const Model* model,
                              const Settings& settings) {
  if (model) {
    resolve_limits(arguments.options, model->one_per);
    return score(*model, data, settings.threads);
  }
  resolve_limits(arguments.options, "");
  return arguments.feature.empty() ? scores_of_file(data, arguments.scores)
                                   : scores_of_feature(data, arguments.feature);
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

EvalReport evaluate_by_position(const PositionModel& model, const EvalArguments& arguments, const Settings& settings) {
  if (!arguments.against.empty())
    throw Error(ErrorCode::unsupported, "--against does not compare models with a function per position");
  if (arguments.topics.given())
    throw Error(ErrorCode::unsupported, "--topics needs a linear model; this one ranks by position");
  const AskedMeasures asked(arguments.measures);
  const Dataset data = load(arguments.data, arguments.input, settings).data;
  const std::vector<Ranking> rankings = rank(model, data, settings.threads);
  EvalReport report;
  report.table = evaluate(data, scores_of_rankings(data, rankings), asked.names, arguments.options);
  asked.add_gain(model.gains, arguments, data, rankings, report.table);
  return report;
}

// c of what the lists are judged by, where no model says with which c they are to be made.
Model without_model(const EvalArguments& arguments) {
  Model model;
  model.measure = split_measures(arguments.measures).front();
  model.convention = arguments.options.convention;
  return model;
}

// Lists that keep the limits, against the best of those.
EvalReport evaluate_within_topics(EvalArguments& arguments, const Model* model, const Settings& settings) {
  const std::vector<std::string> measures = split_measures(arguments.measures);
  const std::size_t top = arguments.top > 0 ? arguments.top : cutoff_of(measures.front());
  const Dataset data = load(arguments.data, arguments.input, settings).data;
  const TopicTable topics = load_topics(arguments.topics, data);
  const auto judge = [&](std::span<const double> scores) {
    const std::vector<Ranking> lists =
        ranked_under_topics(model ? *model : without_model(arguments), data, scores, arguments.topics, top, settings);
    return evaluate_topics(data, lists, top, topics, measures, arguments.topics.options, arguments.options);
  };
  EvalReport report;
  report.table = judge(scores_of(data, arguments, model, settings));
  if (!arguments.against.empty()) add_comparison(report, judge(scores_of_file(data, arguments.against)), arguments);
  return report;
}

EvalReport evaluate_data(EvalArguments& arguments, const Settings& settings) {
  std::optional<Model> model;
  if (!arguments.model.empty()) {
    AnyModel any = load_any_model(arguments.model);
    if (const auto* by_position = std::get_if<PositionModel>(&any))
      return evaluate_by_position(*by_position, arguments, settings);
    model = std::get<Model>(std::move(any));
  }
  const Model* ranker = model ? &*model : nullptr;
  if (arguments.topics.given()) return evaluate_within_topics(arguments, ranker, settings);
  const AskedMeasures asked(arguments.measures);
  const Dataset data = load(arguments.data, arguments.input, settings).data;
  const std::vector<double> scores = scores_of(data, arguments, ranker, settings);
  EvalReport report;
  report.table = evaluate(data, scores, asked.names, arguments.options);
  if (asked.position_gain)
    require_option(!arguments.position_gains.empty(), "--position-gains FILE", "position-gain is measured by gains");
  if (!arguments.position_gains.empty()) {
    if (!arguments.against.empty()) throw Error(ErrorCode::unsupported, "--against does not compare gains by position");
    asked.add_gain({}, arguments, data, sorted_rankings(data, scores), report.table);
  }
  if (!arguments.against.empty())
    add_comparison(report, evaluate(data, scores_of_file(data, arguments.against), asked.names, arguments.options),
                   arguments);
  return report;
}

EvalReport evaluate_ratings(const EvalArguments& arguments, const Settings& settings) {
  const std::vector<std::string> measures = split_measures(arguments.measures);
  SplitRatings parts = split_ratings(load_ratings(arguments.ratings, settings), arguments.split, settings);
  const Ratings& test = arguments.split.split.empty() ? parts.train : parts.test;
  const auto judge = [&](const std::string& path) {
    FactorModel model = load_factors(path);
    if (parts.given.size() > 0) fold_in_users(model, parts.given, nullptr, settings.threads);
    UnknownIds unknown;
    const std::vector<double> scores = score(model, test, &unknown);
    if (unknown.users + unknown.items > 0)
      warn(settings, fmt::format("{}: {} users and {} items of the ratings are unknown; such users get the items by "
                                 "their offsets, such items the offset of one nobody has rated",
                                 path, unknown.users, unknown.items));
    return evaluate(test, scores, measures, arguments.options);
  };
  EvalReport report;
  report.table = judge(arguments.model);
  if (!arguments.against.empty()) add_comparison(report, judge(arguments.against), arguments);
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
    const auto judge = [&](const std::string& run) {
      return evaluate_subtopics(judgments, read_run(run), measures, arguments.options);
    };
    report.table = judge(arguments.run);
    if (!arguments.against.empty())
      add_comparison(report, on_queries_of(report.table, judge(arguments.against)), arguments);
    return report;
  }
  const Dataset data = load(arguments.data, arguments.input, settings).data;
  std::optional<Model> model;
  if (!arguments.model.empty()) model = load_model(arguments.model);
  const std::vector<double> scores = scores_of(data, arguments, model ? &*model : nullptr, settings);
  const std::string one_per = std::exchange(arguments.options.one_per, "");
  const auto judge = [&](std::span<const double> of) {
    return evaluate_subtopics(judgments, as_run(data, of, one_per), measures, arguments.options);
  };
  report.table = judge(scores);
  if (!arguments.against.empty())
    add_comparison(report, on_queries_of(report.table, judge(scores_of_file(data, arguments.against))), arguments);
  report.table.one_per = one_per;
  return report;
}

EvalReport evaluate_trec(EvalArguments& arguments, const Settings& settings) {
  resolve_limits(arguments.options, "");
  const std::vector<std::string> measures = split_measures(arguments.measures);
  const std::vector<Judgment> judgments = read_qrels(arguments.qrels);
  EvalReport report;
  report.table = evaluate_run(judgments, read_run(arguments.run), measures, arguments.options);
  if (report.table.unjudged_queries > 0)
    warn(settings,
         fmt::format("{}: {} queries have no judgments and are ignored", arguments.run, report.table.unjudged_queries));
  if (!arguments.against.empty())
    add_comparison(
        report,
        on_queries_of(report.table, evaluate_run(judgments, read_run(arguments.against), measures, arguments.options)),
        arguments);
  return report;
}

void run_eval(EvalArguments arguments, const Settings& settings) {
  check(arguments);
  arguments.options.convention = !arguments.convention.empty() ? arguments.convention
                                 : arguments.judged_run()      ? "trec"
                                                               : "standard";
  arguments.options.threads = settings.threads;
  if (arguments.measures.empty())
    arguments.measures = !arguments.subtopics.empty() ? kSubtopicMeasures
                         : arguments.topics.given()   ? kTopicMeasures
                                                      : kMeasures;
  EvalReport report = !arguments.subtopics.empty() ? evaluate_by_subtopic(arguments, settings)
                      : arguments.judged_run()     ? evaluate_trec(arguments, settings)
                      : !arguments.ratings.empty() ? evaluate_ratings(arguments, settings)
                                                   : evaluate_data(arguments, settings);
  report.confidence = arguments.options.confidence;
  if (!arguments.per_query.empty()) write_text(arguments.per_query, per_query_csv(report.table));
  if (arguments.per_query != "-") print(settings.json ? eval_json(report) : eval_text(report));
}

}  // namespace

Action declare_eval(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<EvalArguments>();
  const auto text = [&app](const char* name, std::string& value, const char* shown, const char* group,
                           const std::string& help) {
    return app.add_option(name, value, help)->option_text(shown)->group(group);
  };
  const auto number = [&app](const char* name, auto& value, const std::string& help) {
    app.add_option(name, value, help)->option_text("N")->group("Evaluation");
  };
  app.add_option("DATA", arguments->data, "judged documents: LETOR, CSV, TSV or .dorm; text may be .gz or .zst");
  text("--model", arguments->model, "FILE", "What to judge", "rank by a model of dorm train or dorm tune");
  text("--scores", arguments->scores, "FILE", "What to judge", "scores of the documents, one per line");
  text("--feature", arguments->feature, "NAME", "What to judge", "rank by this feature alone: a baseline");
  text("--run", arguments->run, "FILE", "What to judge", "TREC run; with --qrels, instead of DATA");
  text("--qrels", arguments->qrels, "FILE", "What to judge", "TREC judgments of the run");
  text("--subtopics", arguments->subtopics, "FILE", "What to judge",
       "judgments by subtopic, \"qid subtopic docid relevance\"; needs\nsubtopic measures");
  text("--ratings", arguments->ratings, "FILE", "What to judge",
       "ratings, judged user by user; --model (and --against) are then\nmodels of dorm factorize");
  text("--against", arguments->against, "FILE", "What to judge",
       "other scores (or another run) to compare with: paired tests");
  text("--position-gains", arguments->position_gains, "FILE", "What to judge",
       "also measure position-gain@n, by these gains (of a model that has\nnone)");
  text("--measures", arguments->measures, "LIST", "Evaluation",
       fmt::format("comma-separated; see below ({})", kMeasures));
  text("--convention", arguments->convention, "NAME", "Evaluation", "see below (standard; trec for runs)");
  add_one_per_option(app, arguments->options.one_per, arguments->input, "Evaluation",
                     "judge lists of at most one document (or k) of each group, against\nthe best such list: "
                     "group, host, domain, a CSV column, or none\n(as the model was trained)");
  app.add_flag("--as-ranked", arguments->options.as_ranked,
               "with --one-per: keep surplus documents in their places, where\nthey gain nothing")
      ->group("Evaluation");
  text("--ties", arguments->options.ties, "NAME", "Evaluation",
       "order of equal scores; see below (as the convention says)");
  add_topic_options(app, arguments->topics);
  number("--top", arguments->top, "with --topics: length of the lists; 0: as the first measure says (0)");
  number("--bootstrap", arguments->options.bootstrap, "resamples for the intervals; 0: none (1000)");
  app.add_option("--confidence", arguments->options.confidence, "of the intervals (0.95)")
      ->option_text("X")
      ->group("Evaluation");
  number("--seed", arguments->options.seed, "of the bootstrap and the permutation test (0)");
  written(text("--per-query", arguments->per_query, "FILE", "Output",
               "write a CSV of values per query; empty: skipped; -: instead of the\ntable"));
  add_split_options(app, arguments->split);
  add_input_options(app, arguments->input);
  app.description(kEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}", kEvalExamples, catalog_text("Measures", measure_catalog()),
                         catalog_text("Subtopic measures", subtopic_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog())));
  return [arguments, &settings] { run_eval(*arguments, settings); };
}

}  // namespace dorm::cli
