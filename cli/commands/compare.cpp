// SPDX-License-Identifier: Apache-2.0
// `dorm compare`: many methods on the same data, with the evidence that one is better.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "command.h"
#include "compare_ratings.h"
#include "comparison_view.h"
#include "dorm/error.h"
#include "dorm/lab/comparison.h"
#include "dorm/lab/pages.h"
#include "grid.h"
#include "help.h"
#include "input.h"
#include "option_group.h"
#include "output.h"
#include "report_files.h"
#include "stop.h"
#include "text/comparison_text.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kCompareDescription =
    "Which linear ranker, or which recommender, is best on your data, and is the difference real?\n"
    "\n"
    "Every method has the same number of candidates: values of C, and bounds and starts for DORM, aims\n"
    "for its baselines. For each measure the one that the validation queries prefer is judged on the test\n"
    "queries. With one DATA file the queries are cut into --folds "
    "parts,\n"
    "with several each file is a part; parts take turns to test and to validate, so that every query is\n"
    "tested once. With --test the test data is that file, and --valid or one part of DATA validates.\n"
    "\n"
    "With --ratings recommenders are compared: parameters that are not spelled are chosen by held-out training\n"
    "ratings, for each measure in turn, and every user with test ratings is a list.\n"
    "\n"
    "With --out every finished cell is kept: a run that was stopped or killed goes on with the same command\n"
    "and ends with the same table. The table does not depend on --threads.";

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  dorm compare data.txt --out results\n"
    "  dorm compare S1.txt S2.txt S3.txt S4.txt S5.txt --methods ridge,ranksvm,dorm:ndcg@10 --out results\n"
    "  dorm compare train.txt --valid vali.txt --test test.txt --methods feature:BM25,dorm:mrr --measures "
    "mrr\n"
    "  dorm compare data.txt --sizes 100,300,1000 --against ranksvm --out results\n"
    "  dorm compare train.txt --test test.txt --methods dorm:ndcg@10,scores:lambdamart.txt\n"
    "  dorm compare --ratings u.data --methods dorm,joint,cgpr,mmmf,item-mean --splits 5 --out results\n";

struct CompareArguments {
  std::vector<std::string> data;
  std::string valid, test, methods, measures, sizes, grid, out;
  std::string choose = "best";
  std::vector<std::string> reports;
  std::size_t folds = 5;
  bool no_curve = false, as_spelled = false;
  ComparisonOptions options;
  InputArguments input = {.unjudged = "auto"};
  RatingsComparison ratings;
};

constexpr const char* kDataMeasures = "ndcg@10,mrr,map,precision@10,wta";
constexpr const char* kRatingsMeasures = "ndcg@10,ndcg";

template <class Number>
std::vector<Number> numbers(const std::string& list, const char* option) {
  std::vector<Number> values;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::string piece = list.substr(begin, end - begin);
    Number value{};
    if (piece.starts_with('-') || !CLI::detail::lexical_cast(piece, value) || !(value > 0))
      throw Error(ErrorCode::bad_option,
                  fmt::format("{} has \"{}\"; expected numbers above 0, separated by commas", option, piece));
    values.push_back(value);
    begin = end + 1;
  }
  return values;
}

ComparisonOptions comparison_options(const CompareArguments& arguments, const Settings& settings) {
  ComparisonOptions options = arguments.options;
  const Convention convention = make_convention(options.convention);
  options.measures.clear();
  for (const std::string& name : split_measures(arguments.measures.empty() ? kDataMeasures : arguments.measures))
    options.measures.push_back(make_measure(name, convention)->name());
  if (!arguments.no_curve) options.curve = measures_by_cutoff(options.measures.front());
  options.methods =
      arguments.methods.empty() ? default_methods(options.measures, convention) : split_measures(arguments.methods);
  if (!arguments.sizes.empty()) options.sizes = numbers<std::size_t>(arguments.sizes, "--sizes");
  if (!arguments.grid.empty()) options.C = numbers<double>(arguments.grid, "--C");
  if (!arguments.out.empty()) options.directory = arguments.out + "/cells";
  options.choice = parse_choice(arguments.choose);
  options.equal_candidates = !arguments.as_spelled;
  options.threads = settings.threads;
  return options;
}

/// Refuses what can be refused before any data is read.
void check_arguments(const CompareArguments& arguments) {
  const auto refuse = [](const char* message) { throw Error(ErrorCode::bad_option, message); };
  if (arguments.data.empty()) refuse("DATA is missing; expected one file of judged documents or several parts");
  if (!arguments.valid.empty() && arguments.test.empty())
    refuse("--valid without --test; expected both, or --folds alone");
  if (arguments.data.size() > 1 && !arguments.test.empty())
    refuse("--test with several DATA files; expected one file to train on, or parts that take turns");
  check_report_files(arguments.reports);
}

struct SplitData {
  std::vector<DataSplit> splits;
  std::size_t rows = 0;  // of the data that is tested on, as outside scores count them
};

SplitData make_splits(const CompareArguments& arguments, const Settings& settings) {
  std::vector<Dataset> files;
  for (const std::string& path : arguments.data) {
    files.push_back(load(path, arguments.input, settings).data);
    warn_of_leaks(files.back(), path, settings);
  }
  if (arguments.test.empty()) {
    const std::vector<DataSplit> splits = rotating_splits(files, arguments.folds, arguments.options.seed);
    std::size_t rows = 0;
    for (const Dataset& file : files) rows += file.num_documents();
    return {splits, rows};
  }
  const Expected like{.like = &files[0].input()};
  const Dataset test = load(arguments.test, arguments.input, settings, like).data;
  std::optional<Dataset> valid;
  if (!arguments.valid.empty()) valid = load(arguments.valid, arguments.input, settings, like).data;
  return {{tested_split(files[0], valid ? &*valid : nullptr, test, arguments.folds, arguments.options.seed)},
          test.num_documents()};
}

/// Takes "scores:FILE" out of the methods and reads the files: a score per row of the data tested on.
void read_outside(const SplitData& data, ComparisonOptions& options) {
  std::vector<std::string> learnt;
  for (const std::string& method : options.methods) {
    if (!method.starts_with("scores:")) {
      learnt.push_back(method);
      continue;
    }
    const std::string path = method.substr(7);
    const std::vector<double> by_row = read_scores(path);
    if (by_row.size() != data.rows)
      throw Error(ErrorCode::bad_input, {path},
                  fmt::format("{} scores for {} documents; expected one per row of the data tested on", by_row.size(),
                              data.rows));
    OutsideScores outside{method, {}};
    for (const DataSplit& split : data.splits) {
      std::vector<double>& scores = outside.of_split.emplace_back();
      for (std::size_t d = 0; d < split.test.num_documents(); ++d) scores.push_back(by_row[split.test.source_row(d)]);
    }
    options.outside.push_back(std::move(outside));
  }
  options.methods = std::move(learnt);
}

std::vector<std::string> data_files(const CompareArguments& arguments) {
  std::vector<std::string> files = arguments.data;
  for (const std::string* file : {&arguments.valid, &arguments.test})
    if (!file->empty()) files.push_back(*file);
  return files;
}

using RunComparison = std::function<ComparisonResult(const ComparisonObserver&)>;

/// Runs it, unless it is stopped.
ComparisonResult compared(const CompareArguments& arguments, const Settings& settings, const RunComparison& run) {
  const StopRequest stop;
  ComparisonResult result;
  {
    ComparisonView view(settings.quiet);
    result = run([&](const ComparisonProgress& progress) {
      view.update(progress);
      return stop.signal() == 0;
    });
  }
  if (result.complete) return result;
  warn(settings, arguments.out.empty()
                     ? "interrupted; nothing is kept without --out"
                     : fmt::format("interrupted; what is done is kept in {}: the same command goes on", arguments.out));
  throw Stopped{stop.signal()};
}

/// Tables, page and text.
void deliver_comparison(const ComparisonResult& result, const report::Report& page, const CompareArguments& arguments,
                        const Settings& settings) {
  std::vector<std::string> reports = arguments.reports;
  if (!arguments.out.empty()) {
    write_text(arguments.out + "/table.csv", comparison_csv(result));
    write_text(arguments.out + "/table.md", comparison_markdown(result));
    if (reports.empty()) reports = {arguments.out + "/report.html"};
  }
  write_reports(page, reports);
  if (!settings.json) return print(fmt::format("{}\n{}", comparison_text(result), report_lines(reports)));
  Json json = comparison_json(result);
  json["reports"] = reports;
  print(printable_json(json, 2) + "\n");
}

void run_on_ratings(const CompareArguments& arguments, const Settings& settings) {
  require_option(arguments.data.empty(), "one of DATA and --ratings", "the ratings are the data");
  check_report_files(arguments.reports);
  ComparisonOptions shared = arguments.options;
  if (!arguments.out.empty()) shared.directory = arguments.out + "/cells";
  shared.threads = settings.threads;
  const RecommenderComparison options = recommender_options(
      arguments.ratings, arguments.methods, arguments.measures.empty() ? kRatingsMeasures : arguments.measures, shared);
  const ComparisonResult result = compared(arguments, settings, [&](const ComparisonObserver& observer) {
    return compare_ratings(arguments.ratings, options, settings, observer);
  });
  deliver_comparison(result, comparison_page(result, options, ratings_files(arguments.ratings), origin_of(settings)),
                     arguments, settings);
}

void run_compare(const CompareArguments& arguments, const Settings& settings) {
  if (!arguments.ratings.ratings.empty()) return run_on_ratings(arguments, settings);
  check_arguments(arguments);
  ComparisonOptions options = comparison_options(arguments, settings);
  for (const std::string& method : options.methods)
    if (!method.starts_with("scores:")) check_method(method);
  const SplitData data = make_splits(arguments, settings);
  read_outside(data, options);
  const ComparisonResult result = compared(arguments, settings, [&](const ComparisonObserver& observer) {
    return run_comparison(data.splits, options, observer);
  });
  const report::Report page = comparison_page(result, options, comparison_queries(result, data.splits),
                                              data_files(arguments), origin_of(settings));
  deliver_comparison(result, page, arguments, settings);
}

}  // namespace

Action declare_compare(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<CompareArguments>();
  ComparisonOptions& options = arguments->options;
  app.add_option("DATA", arguments->data, "judged documents: one file, or the parts that take turns");
  const OptionGroup data(app, "Data"), comparison(app, "Comparison");
  data.add("--valid", arguments->valid, "FILE", "data to choose C on, beside --test");
  data.add("--test", arguments->test, "FILE", "data to judge on; without it parts of DATA take turns");
  data.number("--folds", arguments->folds, whole_from(3), "K",
              "parts of the queries of one DATA file: to train, to validate and to\ntest on (5)");
  data.list("--sizes", arguments->sizes, "N,N", "learning curve: training queries to take, chosen at random");
  written_in(data.add("--out", arguments->out, "DIR", "folder for finished cells, table.csv, table.md and report.html"),
             "table.csv table.md report.html");
  add_report_option(app, arguments->reports, "page with tables, tests and plots (DIR/report.html)", "Data");
  comparison.list("--methods", arguments->methods, "LIST",
                  "what to compare; by default all below but feature:NAME\nand ranksvm-pairs");
  comparison.list("--measures", arguments->measures, "LIST",
                  fmt::format("measures, each tuned for ({}; of ratings\n{})", kDataMeasures, kRatingsMeasures));
  comparison.add("--against", options.against, "METHOD", "test the others against this one; by default the best");
  comparison.list("-C,--C", arguments->grid, "C,C", "the grid of C (1,10,100,1000,10000)");
  comparison.add("--choose", arguments->choose, "NAME",
                 "candidate by validation: best, steady or one-standard-error, as in dorm\ntune (best)");
  comparison.add("--convention", options.convention, "NAME", "details of the measures (standard)");
  comparison.add("--scale", options.scale, "NAME", "feature scaling (auto)");
  comparison.add("--for", options.target, "TARGET", "only scalings that this tool can evaluate, as in dorm train");
  comparison.number("--tolerance", options.tolerance, number_within(0, 1), "GAP",
                    "relative duality gap of each training (0.001)");
  comparison.number("--seed", options.seed, whole_from(0), "S", "of folds, samples and solvers (1)");
  comparison.flag("--as-spelled", arguments->as_spelled,
                  "baselines aim at the labels, at each C of the grid and no other");
  comparison.flag("--no-curve", arguments->no_curve, "no table of the first measure by cutoff");
  add_ratings_comparison(app, arguments->ratings);
  add_input_options(app, arguments->input);
  app.description(kCompareDescription);
  const CatalogEntry outside{
      .name = "scores", .usage = "scores:FILE", .help = "somebody else's scores, one per row of the data tested on"};
  std::vector<CatalogEntry> methods(method_catalog().begin(), method_catalog().end());
  methods.push_back(outside);
  app.footer(fmt::format("{}\n{}\n{}", kCompareExamples, catalog_text("Methods", methods),
                         catalog_text("Methods with --ratings", collaborative_catalog())));
  return [arguments, &settings] { run_compare(*arguments, settings); };
}

}  // namespace dorm::cli
