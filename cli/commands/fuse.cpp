// SPDX-License-Identifier: Apache-2.0
// `dorm fuse`: the best weights for several retrievers.
#include "dorm/fusion/fuse.h"

#include <fmt/format.h>

#include <memory>

#include "base/quote.h"
#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/fusion/fused_model.h"
#include "input/input.h"
#include "input/runs_input.h"
#include "options/list_options.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/judging_text.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/stop.h"
#include "text/fuse_text.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kFuseDescription =
    "Fuse runs of several retrievers by the weights that are best for the measure.\n"
    "\n"
    "Runs are joined by document; scores become comparable per run and query (--scale); weights of 0 or more are\n"
    "learnt from the judgments and blended with equal ones where queries are few. The table shows every run,\n"
    "reciprocal rank fusion, equal weights (mean) and the learnt ones, these held out by cross-validation.\n"
    "Documents without a judgment count as not relevant. Without --qrels: equal weights, and what to judge first.\n"
    "With --query-features the weights of a run depend on the query: they are linear in the features, 0 or more for\n"
    "every query, and stand in the table beside those that do not depend on it.";

constexpr const char* kFuseExamples =
    "Examples:\n"
    "  dorm fuse bm25.run dense.run --qrels qrels.txt\n"
    "  dorm fuse bm25.run dense.run splade.run --qrels qrels.txt --model fused.json -o fused.run\n"
    "  dorm fuse bm25.run dense.run --qrels qrels.txt --query-features lengths.csv\n"
    "  dorm fuse bm25.run vectors=run-17.txt --to-judge judge.csv\n";

struct FuseArguments {
  std::vector<std::string> runs;
  std::string qrels, features, encode, query_features, model, output, to_judge, joined;
  std::string scale = "minmax", absent = "minimum", weights = "bound";
  std::size_t top = 0, judge = 100;
  FuseOptions options;
};

std::string run_text(const Dataset& data, std::span<const double> scores, std::size_t top) {
  std::string text;
  const std::vector<Ranking> rankings = sorted_rankings(data, scores, top);
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t k = 0; k < rankings[q].size(); ++k) {
      const std::size_t d = query.first_document + rankings[q][k];
      text += fmt::format("{} Q0 {} {} {} dorm\n", query.id, data.document_id(d), k + 1, scores[d]);
    }
  }
  return text;
}

/// Writes what was asked for; a line for each file.
std::vector<std::string> write_results(const FuseArguments& arguments, const JoinedRuns& runs,
                                       const FusedWeights& weights, const std::vector<DocumentToJudge>& to_judge) {
  std::vector<std::string> lines;
  if (!arguments.model.empty()) {
    write_text(arguments.model, to_json(FusedModel{weights.model, runs.input, runs.low, runs.high}));
    lines.push_back("model        " + arguments.model);
  }
  if (!arguments.output.empty()) {
    write_text(arguments.output,
               run_text(runs.data, score(weights.model, runs.data, arguments.options.threads), arguments.top));
    lines.push_back("run          " + arguments.output);
  }
  if (!arguments.joined.empty()) {
    write_data(runs.data, arguments.joined);
    lines.push_back("joined       " + arguments.joined);
  }
  if (!arguments.to_judge.empty()) {
    write_text(arguments.to_judge, to_judge_csv(to_judge));
    lines.push_back("to judge     " + arguments.to_judge);
  }
  return lines;
}

double value_of(const JoinedRuns& runs, const std::vector<double>& weights, const FuseOptions& options) {
  // At every point of a line that goes nowhere the measure is that of its base.
  const WeightLine line{weights, std::vector<double>(weights.size(), 0.0)};
  return maximise_on_line(runs, judged_queries(runs), line, 0, 1, options).value;
}

/// A run of other queries often has other names for the same ones.
void warn_of_other_queries(const JoinedRuns& joined, const std::vector<NamedRun>& runs, const Settings& settings) {
  for (std::size_t r = 0; r < joined.judged_by_run.size(); ++r)
    if (joined.judged_by_run[r] == 0)
      warn(settings, fmt::format("{} lists none of the {} judged queries, so that its weight says nothing; its first "
                                 "query is {}, the first that is judged {}: the ids have to be the same",
                                 runs[r].name, joined.judged_queries, in_quotes(runs[r].entries.front().query),
                                 in_quotes(joined.data.query(0).id)));
}

void fuse_judged(const FuseArguments& arguments, const JoinedRuns& joined, const std::vector<NamedRun>& runs,
                 const Settings& settings) {
  const StopRequest stop(settings.quiet ? nullptr : "dorm: stopping; weights are kept\n");
  FuseReport report{.runs = &joined, .options = arguments.options, .weights = {}, .swept = {}, .evidence = {}};
  {
    LiveLine line;
    const auto watch = [&](const char* what) {
      return [&, what](std::size_t done, std::size_t total) {
        if (!settings.quiet && line.due()) line.show(fmt::format("dorm: {} {} of {}", what, done + 1, total));
        return stop.signal() == 0;
      };
    };
    report.weights = learn_weights(joined, arguments.options, watch("weights"));
    report.value = value_of(joined, report.weights.weights, arguments.options);
    if (joined.input.runs.size() > 1 && joined.input.query_features.empty() && stop.signal() == 0)
      report.swept = sweep_weights(joined, judged_queries(joined), report.weights.weights, arguments.options);
    report.evidence = evaluate_fusion(joined, runs, arguments.options, watch("fold"), report.weights.weights);
  }
  std::vector<DocumentToJudge> to_judge;
  if (!arguments.to_judge.empty()) to_judge = documents_to_judge(joined, arguments.judge);
  report.written = write_results(arguments, joined, report.weights, to_judge);
  warn_of_other_queries(joined, runs, settings);
  if (report.weights.usable_queries == 0)
    warn(settings, "no judged query has a relevant document in a run beside others: equal weights");
  if (stop.signal() != 0) warn(settings, "interrupted; the weights are the best so far");
  if (arguments.output != "-" && arguments.model != "-") print(settings.json ? fuse_json(report) : fuse_text(report));
  if (stop.signal() != 0) throw Stopped{stop.signal()};
}

void check(const FuseArguments& arguments) {
  make_trainable(arguments.options.measure, make_convention(arguments.options.convention));
  require_option(!arguments.runs.empty(), "RUN RUN...", "expected the runs of two or more retrievers");
  if (arguments.runs.size() < 2 && arguments.features.empty())
    throw Error(
        ErrorCode::bad_option,
        fmt::format("found one run, {}; expected two or more{}, or --features beside it", arguments.runs.front(),
                    arguments.runs.front().find(',') == std::string::npos ? "" : ", with blanks between"));
  if (arguments.features.empty() && !arguments.encode.empty())
    throw Error(ErrorCode::bad_option, "--encode is about the columns of --features FILE, which is missing");
  if (arguments.query_features.empty()) return;
  require_option(!arguments.qrels.empty(), "--qrels FILE", "--query-features needs judgments to learn from");
  if (parse_fusion_learner(arguments.weights) != FusionLearner::bound)
    throw Error(ErrorCode::bad_option, fmt::format("--weights {} knows no weights that depend on the query; expected "
                                                   "--weights bound beside --query-features",
                                                   arguments.weights));
}

void run_fuse(FuseArguments arguments, const Settings& settings) {
  check(arguments);
  FusionInput input;
  input.scale = parse_fusion_scale(arguments.scale);
  input.absent = parse_absent(arguments.absent);
  arguments.options.learner = parse_fusion_learner(arguments.weights);
  arguments.options.threads = settings.threads;
  const std::vector<RunFile> files = run_files(arguments.runs);
  for (const RunFile& file : files) input.runs.push_back(file.name);
  std::vector<Judgment> judgments;
  if (!arguments.qrels.empty()) judgments = read_qrels(arguments.qrels);
  std::vector<NamedRun> runs = load_runs(files, settings);
  if (!arguments.features.empty()) {
    FeatureColumns features = load_columns(arguments.features, runs, {.encode = arguments.encode}, settings);
    input.encodings = std::move(features.encodings);
    for (NamedRun& column : features.columns) {
      input.features.push_back(column.name);
      runs.push_back(std::move(column));
    }
  }
  SideFeatures query_features;
  if (!arguments.query_features.empty()) {
    query_features = load_query_features(arguments.query_features);
    input.query_features =
        about_file(arguments.query_features, [&] { return query_features_of(query_features, judgments); });
  }
  const JoinedRuns joined =
      join_runs(runs, judgments, input, {.threads = settings.threads, .query_features = &query_features});
  runs.resize(input.runs.size());
  if (!judgments.empty() && joined.judged_queries == 0)
    throw Error(ErrorCode::bad_input, {arguments.qrels},
                "no judged query is in a run; expected the query ids of the runs");
  if (joined.judged_queries > 0) return fuse_judged(arguments, joined, runs, settings);
  const std::vector<DocumentToJudge> to_judge = documents_to_judge(joined, arguments.judge);
  arguments.options.learner = FusionLearner::equal;
  const FusedWeights weights = learn_weights(joined, arguments.options);
  const std::vector<std::string> written = write_results(arguments, joined, weights, to_judge);
  if (arguments.output != "-" && arguments.model != "-") print(unjudged_text(joined, to_judge, written));
}

void declare_fuse_options(CLI::App& app, FuseArguments& arguments) {
  FuseOptions& options = arguments.options;
  app.add_option("RUN", arguments.runs, "TREC runs, plain, .gz or .zst: FILE, or NAME=FILE");
  const OptionGroup learning(app, "Learning"), join(app, "Join"), output(app, "Output");
  learning.add("--qrels", arguments.qrels, "FILE", "judgments: TREC qrels or a table of query, document and label");
  learning.add("--measure", options.measure, "NAME", "what to maximise, any that dorm train can (ndcg@10)");
  learning.add("--convention", options.convention, "NAME", "how tools differ on it: dorm help conventions (trec)");
  learning.add("--weights", arguments.weights, "NAME", "how they are found: bound, sweep or equal; see below (bound)");
  learning.number("-C,--C", options.C, number_above(0), "X", "trade-off of the loss and the norm of the weights (1)");
  learning.number("--blend", options.blend, number_from(0), "N",
                  "learnt weights count n / (n + N) for n queries, equal ones the rest (10)");
  learning.number("--folds", options.folds, whole_from(0), "N", "parts of the cross-validation; 0: none (5)");
  learning.number("--seed", options.seed, whole_from(0), "N", "of the folds and tests (0)");
  join.add("--scale", arguments.scale, "NAME", "of scores per run and query: minmax, zscore, rank or none (minmax)");
  join.add("--absent", arguments.absent, "NAME", "documents a run does not list: minimum or below (minimum)");
  join.add("--features", arguments.features, "FILE",
           "columns of a table docid,... or qid,docid,... beside the runs, with weights of any sign");
  join.add("--encode", arguments.encode, "RULES",
           "columns of it that are no plain numbers, as in category=onehot,published=age: docs/columns.md");
  join.add("--query-features", arguments.query_features, "FILE",
           "a table qid,...: numbers and words on which the weights of runs may depend");
  written(output.add("--model", arguments.model, "FILE", "where to write the model"));
  written(output.add("-o,--output", arguments.output, "FILE", "where to write the fused run"));
  output.number("--top", arguments.top, whole_from(0), "N", "documents per query in it; 0: all (0)");
  written(output.add("--to-judge", arguments.to_judge, "FILE", "where to list documents to judge next, as CSV"));
  written(output.add("--joined", arguments.joined, "FILE", "where to write the joined scores: data for all commands"));
  output.number("--pairs", arguments.judge, whole_from(0), "N", "how many of them (100)");
}

}  // namespace

Action declare_fuse(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<FuseArguments>();
  declare_fuse_options(app, *arguments);
  app.description(kFuseDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}", kFuseExamples, catalog_text("Weights", fusion_learner_catalog()),
                         catalog_text("Scales", fusion_scale_catalog()),
                         catalog_text("Documents that a run does not list", absent_catalog())));
  return [arguments, &settings] { run_fuse(*arguments, settings); };
}

}  // namespace dorm::cli
