// SPDX-License-Identifier: Apache-2.0
// `dorm recommend compare`: recommenders on the same splits of ratings.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/lab/pages.h"
#include "input/ratings_input.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/written_files.h"
#include "run/comparison.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kRecommendCompareDescription =
    "Compare recommenders on the same splits of ratings, with significance tests.\n"
    "\n"
    "Parameters that a method does not spell are validated on held-out training ratings, for each measure\n"
    "separately. Every user with test ratings is a query. --out keeps every finished result: the same command\n"
    "resumes an interrupted comparison and ends with the same table.";

constexpr const char* kRecommendCompareExamples =
    "Examples:\n"
    "  dorm recommend compare u.data --methods dorm,joint,cgpr,mmmf,item-mean --splits 5 --out results\n"
    "  dorm recommend compare ratings.csv --split random:0.2 --measures ndcg@10 --report page.html\n";

constexpr const char* kFastRecommenders = "item-mean,item-knn,squared,dorm";  // each takes seconds
constexpr const char* kComparedMeasures = "ndcg@10,ndcg";

struct RecommendCompareArguments {
  std::string ratings, layout = "auto", methods = kFastRecommenders, measures = kComparedMeasures, out;
  std::string item_features, item_columns, user_features, user_columns;
  SplitArguments split = {.split = "given:10"};
  RecommenderComparison options;
  bool defaults = false;  // of the parameters, instead of validation
  std::vector<std::string> reports;
};

RecommenderComparison recommender_options(const RecommendCompareArguments& arguments, const Settings& settings) {
  RecommenderComparison options = arguments.options;
  options.methods = split_measures(arguments.methods);
  options.measures.clear();
  for (const std::string& name : split_measures(arguments.measures))
    options.measures.push_back(make_measure(name, make_convention(options.convention))->name());
  const SplitSpec spec = parse_split(arguments.split.split);
  if (spec.kind != SplitSpec::Kind::given && spec.kind != SplitSpec::Kind::random)
    throw Error(ErrorCode::bad_option, fmt::format("--split {}: the users must have training ratings; "
                                                   "expected given:N or random:SHARE",
                                                   arguments.split.split));
  options.given = spec.kind == SplitSpec::Kind::given ? spec.given : 0;
  if (spec.kind == SplitSpec::Kind::random) options.share = spec.share;
  options.split_seed = arguments.split.seed;
  options.choose = !arguments.defaults;
  options.threads = settings.threads;
  if (!arguments.out.empty()) options.directory = arguments.out + "/cells";
  options.validate();
  return options;
}

ComparisonResult compare_ratings(const RecommendCompareArguments& arguments, const RecommenderComparison& options,
                                 const Settings& settings, const ComparisonObserver& observer) {
  const Ratings ratings = load_ratings(arguments.ratings, arguments.layout, settings);
  const auto items =
      load_side_features(arguments.item_features, arguments.item_columns, ratings.items(), "item", settings);
  const auto users =
      load_side_features(arguments.user_features, arguments.user_columns, ratings.users(), "user", settings);
  return compare_recommenders(ratings, options,
                              {.item_features = items ? &*items : nullptr, .user_features = users ? &*users : nullptr},
                              observer);
}

std::vector<std::string> ratings_files(const RecommendCompareArguments& arguments) {
  std::vector<std::string> files = {arguments.ratings};
  for (const std::string* file : {&arguments.item_features, &arguments.user_features})
    if (!file->empty()) files.push_back(*file);
  return files;
}

void run_recommend_compare(const RecommendCompareArguments& arguments, const Settings& settings) {
  require_option(!arguments.ratings.empty(), "RATINGS", "expected a file of user, item, rating");
  check_report_files(arguments.reports);
  const RecommenderComparison options = recommender_options(arguments, settings);
  const ComparisonResult result = compared(arguments.out, settings, [&](const ComparisonObserver& observer) {
    return compare_ratings(arguments, options, settings, observer);
  });
  deliver_comparison(result, comparison_page(result, options, ratings_files(arguments), origin_of(settings)),
                     arguments.out, arguments.reports, settings);
}

}  // namespace

Action declare_recommend_compare(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<RecommendCompareArguments>();
  RecommenderComparison& options = arguments->options;
  const OptionGroup files(app, "Ratings"), comparison(app, "Comparison");
  app.add_option("RATINGS", arguments->ratings,
                 "user, item, rating per line; tab, comma, :: or blanks; .gz and .zst too");
  comparison.list("--methods", arguments->methods, "LIST",
                  fmt::format("methods to compare; see below ({})", kFastRecommenders));
  comparison.list("--measures", arguments->measures, "LIST",
                  fmt::format("measures, each with its own tuning ({})", kComparedMeasures));
  comparison.add("--against", options.against, "METHOD", "reference of the paired tests (the best method)");
  comparison.add("--convention", options.convention, "NAME", "definition of the measures (standard)");
  comparison.number("--rank", options.train.rank, whole_from(1, 1e5), "K", "number of factors (20)");
  comparison.flag("--default-parameters", arguments->defaults, "default parameters instead of validated ones");
  comparison.number("--seed", options.train.seed, whole_from(0), "S", "of splits and solvers (1)");
  add_layout_option(app, arguments->layout, "Ratings");
  files.add("--item-features", arguments->item_features, "FILE", "ids and features of the items, e.g. genres");
  files.add("--item-columns", arguments->item_columns, "LIST", "columns of that file, e.g. 6-24 (trailing numbers)");
  files.add("--user-features", arguments->user_features, "FILE", "ids and features of the users");
  files.add("--user-columns", arguments->user_columns, "LIST", "columns of that file (trailing numbers)");
  files.add("--split", arguments->split.split, "SPEC",
            "given:N (N ratings of each user train, the rest test; users with fewer\nthan N + 10 dropped) or "
            "random:SHARE (a share tests) (given:10)");
  files.number("--split-seed", arguments->split.seed, whole_from(0), "S", "first of the random splits (0)");
  files.number("--splits", options.splits, whole_from(1, 1000), "K",
               "number of splits; the values of a user are averaged over them (1)");
  written_in(
      files.add("--out", arguments->out, "DIR", "folder for finished results, table.csv, table.md and report.html"),
      "table.csv table.md report.html");
  add_report_option(app, arguments->reports, "page with tables, tests and plots (DIR/report.html)", "Ratings");
  app.description(kRecommendCompareDescription);
  app.footer(fmt::format("{}\n{}", kRecommendCompareExamples, catalog_text("Methods", collaborative_catalog())));
  return [arguments, &settings] { run_recommend_compare(*arguments, settings); };
}

}  // namespace dorm::cli
