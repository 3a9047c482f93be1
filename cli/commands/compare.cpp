// SPDX-License-Identifier: Apache-2.0
// `dorm compare`: methods on the same data, with significance tests.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/lab/comparison.h"
#include "dorm/lab/pages.h"
#include "input/input.h"
#include "input/rankers.h"
#include "options/grid.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/training_options.h"
#include "options/written_files.h"
#include "run/comparison.h"
#include "run/comparison_view.h"
#include "run/output.h"
#include "run/stop.h"
#include "text/comparison_text.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kCompareDescription =
    "Compare methods on the same data, with significance tests.\n"
    "\n"
    "Every method has the same number of candidates: values of C, with bounds and initial models for DORM, and\n"
    "targets for its baselines. For each measure the candidate that is best on the validation queries is\n"
    "evaluated on the test queries. One DATA file is divided into --folds parts; several files are the parts.\n"
    "Each part is the test data once and the validation data once, so that every query is tested once. With\n"
    "--test that file is the test data, and --valid or one part of DATA validates.\n"
    "\n"
    "--out keeps every finished result: the same command resumes an interrupted comparison and ends with the\n"
    "same table. The table does not depend on --threads.";

constexpr const char* kCompareExamples =
    "Examples:\n"
    "  dorm compare data.txt --out results\n"
    "  dorm compare S1.txt S2.txt S3.txt S4.txt S5.txt --methods ridge,ranksvm,dorm:ndcg@10 --out results\n"
    "  dorm compare train.txt --valid vali.txt --test test.txt --methods feature:BM25,dorm:mrr --measures mrr\n"
    "  dorm compare data.txt --sizes 100,300,1000 --against ranksvm --out results\n"
    "  dorm compare train.txt --test test.txt --methods dorm:ndcg@10,scores:lambdamart.txt\n"
    "  dorm compare train.txt --test test.txt --methods model:lgb.txt --trees\n";

struct CompareArguments {
  std::vector<std::string> data;
  std::string valid, test, methods, measures, sizes, grid, out;
  std::string choose = "best";
  std::vector<std::string> reports;
  std::size_t folds = 5;
  bool no_curve = false, as_spelled = false, trees = false;
  ComparisonOptions options;
  InputArguments input = {.unjudged = "auto"};
};

constexpr const char* kDataMeasures = "ndcg@10,mrr,map,precision@10,wta";

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
  if (!arguments.methods.empty())
    options.methods = split_measures(arguments.methods);
  else if (!arguments.trees)
    options.methods = default_methods(options.measures, convention);
  if (arguments.trees)
    for (const CatalogEntry& entry : tuned_catalog())
      if (std::find(options.methods.begin(), options.methods.end(), entry.name) == options.methods.end())
        options.methods.emplace_back(entry.name);
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
    refuse("--valid without --test; expected both, or only --folds");
  if (arguments.data.size() > 1 && !arguments.test.empty())
    refuse("--test with several DATA files; expected one file to train on, or the parts without --test");
  check_report_files(arguments.reports);
}

struct SplitData {
  std::vector<DataSplit> splits;
  std::size_t rows = 0;  // of the test data, as the files of scores count them
};

std::vector<std::vector<double>> by_split(const std::vector<double>& by_row, const SplitData& data) {
  std::vector<std::vector<double>> out;
  for (const DataSplit& split : data.splits) {
    std::vector<double>& scores = out.emplace_back();
    for (std::size_t d = 0; d < split.test.num_documents(); ++d) scores.push_back(by_row.at(split.test.source_row(d)));
  }
  return out;
}

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

constexpr std::string_view kScores = "scores:", kModel = "model:";

bool is_outside(std::string_view method) { return method.starts_with(kScores) || method.starts_with(kModel); }

std::vector<double> scores_by_row(const std::string& path, const SplitData& data) {
  std::vector<double> by_row = read_scores(path);
  if (by_row.size() != data.rows)
    throw Error(
        ErrorCode::bad_input, {path},
        fmt::format("{} scores for {} documents; expected one per row of the test data", by_row.size(), data.rows));
  return by_row;
}

/// The model scores the files that the test data is from, each read as the model expects it.
OutsideScores model_scores(const std::string& argument, const SplitData& data, const CompareArguments& arguments,
                           const Settings& settings) {
  std::vector<Ranker> ranker = {load_ranker(argument)};
  const Model* const model = std::get_if<Model>(&ranker.front().what);
  if (!model)
    throw Error(
        ErrorCode::bad_input, {ranker.front().file},
        fmt::format("expected a model behind {}, this is of the kind {}", kModel, std::string(ranker.front().kind())));
  OutsideScores outside{.name = ranker.front().name, .of_split = {}, .linear = model->linear()};
  std::vector<double> by_row;
  for (const std::string& path : arguments.test.empty() ? arguments.data : std::vector<std::string>{arguments.test}) {
    const RankedData read(path, arguments.input, settings, ranker);
    const Dataset known = read.as_expected_by(ranker.front());
    const std::vector<double> scores = scores_of(ranker.front(), known, false, settings);
    const std::size_t begin = by_row.size();
    by_row.resize(begin + known.num_documents());
    for (std::size_t d = 0; d < scores.size(); ++d) by_row.at(begin + known.source_row(d)) = scores[d];
    if (!outside.serving) outside.serving = serving_cost(*model, known);
  }
  if (by_row.size() != data.rows)
    throw Error(ErrorCode::bad_input, {ranker.front().file},
                fmt::format("{} documents as the model reads the data, and {} as the methods do; expected a model of "
                            "data that was read alike",
                            by_row.size(), data.rows));
  outside.of_split = by_split(by_row, data);
  return outside;
}

/// Removes "scores:FILE" and "model:FILE" from the methods and reads the files: a score per row of the test data.
void read_outside(const SplitData& data, const CompareArguments& arguments, const Settings& settings,
                  ComparisonOptions& options) {
  std::vector<std::string> learnt;
  for (const std::string& method : options.methods) {
    if (method.starts_with(kScores))
      options.outside.push_back({method, by_split(scores_by_row(method.substr(kScores.size()), data), data)});
    else if (method.starts_with(kModel))
      options.outside.push_back(model_scores(method.substr(kModel.size()), data, arguments, settings));
    else
      learnt.push_back(method);
  }
  options.methods = std::move(learnt);
}

std::vector<std::string> data_files(const CompareArguments& arguments) {
  std::vector<std::string> files = arguments.data;
  for (const std::string* file : {&arguments.valid, &arguments.test})
    if (!file->empty()) files.push_back(*file);
  return files;
}

void run_compare(const CompareArguments& arguments, const Settings& settings) {
  check_arguments(arguments);
  ComparisonOptions options = comparison_options(arguments, settings);
  for (const std::string& method : options.methods)
    if (!is_outside(method)) check_compared(method);
  const SplitData data = make_splits(arguments, settings);
  read_outside(data, arguments, settings, options);
  const ComparisonResult result = compared(arguments.out, settings, [&](const ComparisonObserver& observer) {
    return run_comparison(data.splits, options, observer);
  });
  const report::Report page = comparison_page(result, options, comparison_queries(result, data.splits),
                                              data_files(arguments), origin_of(settings));
  deliver_comparison(result, page, arguments.out, arguments.reports, settings);
}

}  // namespace

Action declare_compare(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<CompareArguments>();
  ComparisonOptions& options = arguments->options;
  app.add_option("DATA", arguments->data, "judged documents: one file, or one file per part");
  const OptionGroup data(app, "Data"), comparison(app, "Comparison");
  data.add("--valid", arguments->valid, "FILE", "validation data that chooses C, with --test");
  data.add("--test", arguments->test, "FILE", "test data; without it each part of DATA is the test data once");
  data.number("--folds", arguments->folds, whole_from(3), "K",
              "number of parts of one DATA file, to train, to validate and to test on (5)");
  data.list("--sizes", arguments->sizes, "N,N", "learning curve: numbers of training queries, sampled at random");
  written_in(
      data.add("--out", arguments->out, "DIR", "folder for finished results, table.csv, table.md and report.html"),
      "table.csv table.md report.html");
  add_report_option(app, arguments->reports, "page with tables, tests and plots (DIR/report.html)", "Data");
  comparison.list("--methods", arguments->methods, "LIST",
                  "methods to compare (all below but feature:NAME and ranksvm-pairs)");
  comparison.list("--measures", arguments->measures, "LIST",
                  fmt::format("measures, each with its own tuning ({})", kDataMeasures));
  comparison.add("--against", options.against, "METHOD", "reference of the paired tests (the best method)");
  comparison.list("-C,--C", arguments->grid, "C,C", "grid of C (1,10,100,1000,10000)");
  comparison.add("--choose", arguments->choose, "NAME",
                 "choice of the candidate: best, steady or one-standard-error, as in\ndorm tune (best)");
  comparison.add("--convention", options.convention, "NAME", "definition of the measures (standard)");
  comparison.add("--scale", options.scale, "NAME", "feature scaling (auto)");
  comparison.add("--for", options.target, "TARGET", "only scalings that this tool can evaluate, as in dorm train");
  comparison.number("--tolerance", options.tolerance, number_within(0, 1), "GAP",
                    "relative duality gap of each training (0.001)");
  comparison.number("--seed", options.seed, whole_from(0), "S", "of folds, samples and solvers (1)");
  comparison.flag("--trees", arguments->trees,
                  "linear or trees? Compare tune, tune:curves, tune:trees and tune:both (beside\n--methods), and say "
                  "what trees are worth and cost");
  add_lightgbm_option(app, options.lightgbm);
  comparison.flag("--as-spelled", arguments->as_spelled, "train baselines on the labels, at each C of the grid only");
  comparison.flag("--no-curve", arguments->no_curve, "omit the table of the first measure by cutoff");
  add_input_options(app, arguments->input);
  app.description(kCompareDescription);
  const CatalogEntry outside{
      .name = "scores", .usage = "scores:FILE", .help = "scores of another tool, one per row of the test data"};
  std::vector<CatalogEntry> methods(method_catalog().begin(), method_catalog().end());
  methods.insert(methods.end(), tuned_catalog().begin(), tuned_catalog().end());
  methods.push_back(outside);
  methods.push_back({.name = "model",
                     .usage = "model:[NAME=]FILE",
                     .help = "a trained model of DORM or another library, which is only tested"});
  app.footer(fmt::format("{}\n{}", kCompareExamples, catalog_text("Methods", methods)));
  return [arguments, &settings] { run_compare(*arguments, settings); };
}

}  // namespace dorm::cli
