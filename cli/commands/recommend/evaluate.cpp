// SPDX-License-Identifier: Apache-2.0
// `dorm recommend evaluate`: recommenders on ratings that were held out.
#include <fmt/format.h>

#include <memory>
#include <type_traits>
#include <variant>

#include "command.h"
#include "command_line.h"
#include "dorm/apps/pages.h"
#include "dorm/error.h"
#include "dorm/recommend/any_model.h"
#include "input/ratings_input.h"
#include "options/eval_options.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "run/catalogue_rows.h"
#include "run/evaluate_rankers.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kRecommendEvalDescription =
    "Evaluate recommenders on held-out ratings.\n"
    "\n"
    "Each user is a query, and the rated items are its documents: every MODEL orders them, and the mean of each\n"
    "measure over the users is printed with a bootstrap interval. Several models appear in one table with the\n"
    "paired differences to the first (or --against). With --split the test part of RATINGS is used, and new\n"
    "users are folded in from their given ratings.\n"
    "\n"
    "With --implicit or --liked X the question is another one: which items, of all that a user has not had in\n"
    "training, will the user take? Every model ranks the whole catalogue, and implicit ALS, item-kNN and popularity\n"
    "appear beside it.";

constexpr const char* kRecommendEvalExamples =
    "Examples:\n"
    "  dorm recommend evaluate test.csv m.factors k.joint --measures ndcg@10,ndcg\n"
    "  dorm recommend evaluate test.csv --model m.factors --against means.factors\n"
    "  dorm recommend evaluate u.data --model m.factors --split given:10 --split-seed 3\n"
    "  dorm recommend evaluate u.data m.factors m.implicit --liked 4 --split random:0.2\n";

constexpr const char* kRecommendMeasures = "ndcg@10,mrr,map";

struct RecommendEvalArguments {
  EvalArguments evaluation;
  std::string ratings, layout = "auto";
  SplitArguments split;
  EventArguments events;
};

/// A factorization, or a model over a joint kernel. `given`: ratings of new users, who are folded in.
template <class RatingsModel>
EvaluationTable evaluate_recommender(RatingsModel& model, const std::string& path, const Ratings& test,
                                     const Ratings& given, const RecommendEvalArguments& arguments,
                                     const Settings& settings) {
  if (const std::size_t trained = count_trained(model, test); trained > 0)
    warn(settings, fmt::format("{}: {} of the {} ratings are training data of the model; measures on them do not "
                               "estimate the quality on new ratings",
                               path, trained, test.size()));
  if (given.size() > 0) fold_in_users(model, given, nullptr, settings.threads);
  UnknownIds unknown;
  const std::vector<double> scores = score(model, test, &unknown);
  if (unknown.users + unknown.items > 0)
    warn(settings, fmt::format("{}: the model does not know {} users and {} items of the ratings; {}", path,
                               unknown.users, unknown.items,
                               std::is_same_v<RatingsModel, FactorModel>
                                   ? "it ranks by the offsets of the items, and a new item has the offset of an "
                                     "unrated one"
                               : std::is_same_v<RatingsModel, ImplicitModel>
                                   ? "their scores are 0"
                                   : "it ranks for the mean user, and a new item has score 0"));
  return evaluate(model, test, scores, split_measures(arguments.evaluation.measures), arguments.evaluation.options);
}

/// The ratings to evaluate on, read once for all models.
class RatingsEvaluation {
 public:
  RatingsEvaluation(const RecommendEvalArguments& arguments, const Settings& settings)
      : arguments_(arguments),
        settings_(settings),
        parts_(split_ratings(load_ratings(arguments.ratings, arguments.layout, settings), arguments.split, settings)) {}

  EvaluationTable of_model(const std::string& path) const {
    const Ratings& test = arguments_.split.split.empty() ? parts_.train : parts_.test;
    auto loaded = load_recommender(path);
    return std::visit(
        [&](auto& model) { return evaluate_recommender(model, path, test, parts_.given, arguments_, settings_); },
        loaded);
  }

 private:
  const RecommendEvalArguments& arguments_;
  const Settings& settings_;
  SplitRatings parts_;
};

void evaluate_one_model(const RecommendEvalArguments& given, const Settings& settings) {
  const EvalArguments& arguments = given.evaluation;
  const RatingsEvaluation ratings(given, settings);
  EvalReport report;
  report.table = ratings.of_model(arguments.model);
  if (!arguments.against.empty()) add_comparison(report, ratings.of_model(arguments.against), arguments);
  report.options = arguments.options;
  if (!arguments.per_query.empty()) write_text(arguments.per_query, per_query_csv(report.table));
  if (arguments.per_query != "-") print(settings.json ? eval_json(report) : eval_text(report));
}

void evaluate_models(const RecommendEvalArguments& given, const Settings& settings) {
  const EvalArguments& arguments = given.evaluation;
  const RatingsEvaluation ratings(given, settings);
  std::vector<Ranker> rankers = load_rankers(arguments, recommender_ranker);
  make_names_distinct(rankers);
  const std::size_t reference = reference_of(rankers, arguments.against);
  std::vector<RankerRow> rows;
  for (const Ranker& ranker : rankers) rows.push_back({ranker.name, ratings.of_model(ranker.file)});
  const RankersReport report = finished_report(std::move(rows), rankers, reference, arguments);
  if (!arguments.reports.empty())
    write_reports(pages::eval_page({.tested = report, .options = report.options, .data_name = given.ratings},
                                   origin_of(settings)),
                  arguments.reports);
  print_rankers(report, arguments, settings);
}

/// The test events, or the test part of their split, over the whole catalogue.
void evaluate_over_catalogue(const RecommendEvalArguments& given, const Settings& settings) {
  const EvalArguments& arguments = given.evaluation;
  const SplitRatings parts = split_events(load_events(given.ratings, given.events, settings), given.split);
  std::vector<Ranker> rankers = load_rankers(arguments, recommender_ranker);
  make_names_distinct(rankers);
  std::vector<NamedRecommender> models;
  for (const Ranker& ranker : rankers) models.push_back({ranker.name, ranker.file, load_recommender(ranker.file)});
  std::size_t known = 0;
  const Ratings& test = given.split.split.empty() ? parts.train : parts.test;
  const RankersReport report = catalogue_report(models, test, reference_of(rankers, arguments.against),
                                                split_measures(arguments.measures), arguments.options, known);
  if (known > 0)
    warn(settings, fmt::format("{}: {} of the {} events are training data of a model and are ignored", given.ratings,
                               known, test.size()));
  if (!arguments.reports.empty())
    write_reports(pages::eval_page({.tested = report, .options = report.options, .data_name = given.ratings},
                                   origin_of(settings)),
                  arguments.reports);
  print_rankers(report, arguments, settings);
}

void run_recommend_evaluate(RecommendEvalArguments arguments, const Settings& settings) {
  EvalArguments& evaluation = arguments.evaluation;
  require_option(!arguments.ratings.empty(), "RATINGS", "expected a file of user, item, rating");
  require_option(!evaluation.model.empty() || !evaluation.rankers.empty(), "MODEL",
                 "expected models of dorm recommend train");
  check_table_format(evaluation);
  check_report_files(evaluation.reports);
  evaluation.options.convention = evaluation.convention.empty() ? "standard" : evaluation.convention;
  evaluation.options.threads = settings.threads;
  if (evaluation.measures.empty())
    evaluation.measures = arguments.events.given() ? kCatalogueMeasures : kRecommendMeasures;
  if (arguments.events.given()) return evaluate_over_catalogue(arguments, settings);
  if (evaluation.several()) return evaluate_models(arguments, settings);
  evaluate_one_model(arguments, settings);
}

}  // namespace

Action declare_recommend_evaluate(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<RecommendEvalArguments>();
  EvalArguments& evaluation = arguments->evaluation;
  app.add_option("RATINGS", arguments->ratings,
                 "user, item, rating per line, or events; tab, comma, :: or blanks; .gz and .zst too");
  app.add_option("MODEL", evaluation.rankers, "models of dorm recommend train, as [NAME=]FILE");
  OptionGroup(app, "Models").add("--model", evaluation.model, "FILE", "a model of dorm recommend train");
  add_statistics_options(app, evaluation, kRecommendMeasures, "standard");
  OptionGroup(app, "Evaluation")
      .add("--ties", evaluation.options.ties, "NAME", "order of equal scores; see below (that of the convention)");
  add_table_format(app, evaluation);
  add_report_option(app, evaluation.reports, "page about wins and losses, user by user", "Output");
  add_layout_option(app, arguments->layout, "Split");
  add_split_options(app, arguments->split);
  add_event_options(app, arguments->events, "Whole catalogue");
  app.description(kRecommendEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}", kRecommendEvalExamples, catalog_text("Measures", measure_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog()),
                         table_formats_text()));
  return [arguments, &settings] { run_recommend_evaluate(*arguments, settings); };
}

}  // namespace dorm::cli
