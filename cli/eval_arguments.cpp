// SPDX-License-Identifier: Apache-2.0
#include "eval_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dorm/base/catalog.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "help.h"
#include "option_group.h"
#include "rankers.h"
#include "report_files.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kEvalDescription =
    "Measure how good rankings are, with intervals and tests.\n"
    "\n"
    "Ranks the documents of every query by a model, or by their scores (one number per line, in the order of\n"
    "the rows of DATA; higher is better), and prints the mean of each measure over the queries with a\n"
    "bootstrap interval over queries. Several rankers are shown in one table: means, the best marked, and\n"
    "paired differences to the first (or --against) with stars where they are significant. A TREC run is\n"
    "judged by its qrels: documents without a judgment have label 0, judged documents that were not\n"
    "retrieved count in what could have been reached.";

constexpr const char* kEvalExamples =
    "Examples:\n"
    "  dorm eval --data test.txt new.json old.json bm25=bm25.run feature:25\n"
    "  dorm eval --data test.txt new.json --against old.json --report new.html\n"
    "  dorm eval test.txt --model new.json --against old.json\n"
    "  dorm eval test.txt --feature all --measures ndcg@10 --bootstrap 0\n"
    "  dorm eval test.txt --scores model.scores\n"
    "  dorm eval test.txt --model m.json --against baseline.scores\n"
    "  dorm eval test.txt --feature 25 --measures ndcg@1,ndcg@10,map --convention letor4\n"
    "  dorm eval test.dorm --scores new.scores --against old.scores --per-query values.csv\n"
    "  dorm eval --run my.run --qrels judgments.qrels --measures ndcg@10,map --json\n"
    "  dorm eval --run my.run --qrels judgments.qrels --format trec --measures all_trec\n"
    "  dorm eval test.csv --model m.json --one-per host\n"
    "  dorm eval test.csv --model m.json --topics topics.csv --limits limits.csv --measures ndcg@5\n"
    "  dorm eval --run my.run --subtopics diversity.qrels\n"
    "  dorm eval --ratings test.csv --model m.factors --measures ndcg@10,ndcg\n"
    "  dorm eval log.csv --clicks --propensities p.csv --data features.csv new.json old.json\n";

constexpr std::array<CatalogEntry, 3> kRankerKinds = {{
    {.name = "FILE",
     .usage = "[NAME=]FILE",
     .help = "a model, a TREC run (its documents called as in DATA, or by their row) or scores, one per line; known "
             "by what stands in it, and called as the file unless a NAME is given"},
    {.name = "feature",
     .usage = "feature:NAME",
     .help = "one feature; feature:all is every one, best first by the first measure"},
    {.name = "given", .usage = "given", .help = "the order of the rows"},
}};

constexpr std::array<CatalogEntry, 4> kEvalFormats = {{
    {.name = "table", .usage = "table", .help = "means with intervals; of several rankers differences with stars"},
    {.name = "csv", .usage = "csv", .help = "one line per ranker and measure, with intervals and tests"},
    {.name = "markdown", .usage = "markdown", .help = "one line per ranker"},
    {.name = "trec", .usage = "trec", .help = "the lines of trec_eval, with its names"},
}};

void check_format(const EvalArguments& arguments) {
  if (std::none_of(kEvalFormats.begin(), kEvalFormats.end(),
                   [&](const CatalogEntry& entry) { return entry.name == arguments.format; }))
    throw_unknown_name("format of the output (that of the input is --input-format)", arguments.format, kEvalFormats);
  if (arguments.format != "trec") return;
  require_option(!arguments.run.empty() && !arguments.qrels.empty(), "--run FILE and --qrels FILE",
                 "--format trec prints like trec_eval");
  if (!arguments.against.empty() || !arguments.rankers.empty())
    throw Error(ErrorCode::bad_option,
                "--format trec has no place for tests; expected one run and no --against beside it");
}

}  // namespace

bool EvalArguments::several() const {
  const int given = !scores.empty() + !feature.empty() + !model.empty();
  return !rankers.empty() || given > 1 || feature == "all" || !reports.empty() || format == "csv" ||
         format == "markdown";
}

void settle_positions(EvalArguments& arguments) {
  if (arguments.clicks.on) {
    arguments.clicks.log = arguments.data;
    arguments.data = arguments.data_option;
    return;
  }
  if (arguments.data_option.empty() && arguments.qrels.empty() && arguments.ratings.empty()) return;
  if (!arguments.data.empty()) arguments.rankers.insert(arguments.rankers.begin(), arguments.data);
  arguments.data = arguments.data_option;
}

namespace {

[[noreturn]] void refuse_arguments(const std::string& message) { throw Error(ErrorCode::bad_option, message); }

void check_several(const EvalArguments& arguments) {
  if (!arguments.several()) return;
  if (arguments.topics.given() || !arguments.subtopics.empty() || !arguments.position_gains.empty())
    refuse_arguments(
        "--topics, --subtopics and --position-gains judge one ranker; expected --model, --scores or --run");
}

void check_clicks_judge(const EvalArguments& arguments) {
  const ClickEvalArguments& clicks = arguments.clicks;
  require_option(!clicks.log.empty(), "LOG", "--clicks judges by a click log");
  require_option(!clicks.propensities.empty(), "--propensities FILE",
                 "clicks count by how likely their position is to be looked at");
  if (arguments.judged_run() || !arguments.ratings.empty() || !arguments.subtopics.empty() ||
      arguments.topics.given() || !arguments.position_gains.empty() || !arguments.reports.empty() ||
      arguments.format == "trec")
    refuse_arguments(
        "--clicks stands alone; expected no --run, --qrels, --ratings, --topics, --subtopics, "
        "--position-gains, --report or --format trec beside it");
  const std::string& one_per = arguments.options.one_per;
  if (!one_per.empty() && one_per != "none")
    refuse_arguments("--one-per is not known to --clicks; expected rankings as they are");
  if (arguments.feature == kAllFeatures) refuse_arguments("--feature all with --clicks; expected the features by name");
  if (arguments.rankers.empty() && arguments.model.empty() && arguments.scores.empty() && arguments.feature.empty())
    refuse_arguments("expected rankers after LOG: models and scores of --data, runs, feature:NAME or given");
}

void check_run(const EvalArguments& arguments) {
  require_option(!arguments.run.empty() || !arguments.rankers.empty(), "--run FILE",
                 "--qrels judges the documents of a run");
  require_option(arguments.qrels.empty() == !arguments.subtopics.empty(), "--qrels FILE or --subtopics FILE",
                 "--run needs judgments of one kind");
  if (!arguments.data.empty() || !arguments.scores.empty() || !arguments.feature.empty() || !arguments.model.empty())
    refuse_arguments("--run and --qrels stand alone; expected no DATA, --model, --scores or --feature beside them");
}

}  // namespace

void check(const EvalArguments& arguments) {
  const std::string& one_per = arguments.options.one_per;
  check_format(arguments);
  arguments.device.check();
  check_report_files(arguments.reports);
  if (arguments.clicks.on) return check_clicks_judge(arguments);
  if (!arguments.clicks.propensities.empty())
    refuse_arguments("--propensities weigh clicks; expected --clicks, which takes DATA for a click log");
  check_several(arguments);
  if (!one_per.empty() && one_per != "none") parse_one_per(one_per);
  if (arguments.topics.given() && (arguments.judged_run() || !arguments.ratings.empty()))
    refuse_arguments("--topics and --limits judge rankings of DATA; expected no --run, --qrels or --ratings");
  if (arguments.judged_run()) return check_run(arguments);
  if (!arguments.ratings.empty()) {
    require_option(!arguments.model.empty() || !arguments.rankers.empty(), "--model FILE",
                   "--ratings judges a model of dorm factorize");
    if (!arguments.data.empty() || !arguments.scores.empty() || !arguments.feature.empty())
      refuse_arguments("--ratings stands alone; expected no DATA, --scores or --feature beside it");
    return;
  }
  require_option(!arguments.data.empty(), "DATA", "expected judged documents, or --run and --qrels");
  if (arguments.topics.given() && (!arguments.subtopics.empty() || (!one_per.empty() && one_per != "none")))
    refuse_arguments("--topics stands alone; expected no --subtopics or --one-per beside it");
  if (arguments.scores.empty() && arguments.feature.empty() && arguments.model.empty() && arguments.rankers.empty())
    refuse_arguments(
        "expected rankers after DATA (models, runs, scores, feature:NAME), or one of --model FILE, --scores FILE "
        "or --feature NAME, to say what ranks the documents");
}

namespace {

void declare_rankings(const OptionGroup& judged, EvalArguments& arguments) {
  judged.add("--data", arguments.data_option, "FILE", "the judged documents; all arguments are then rankers");
  judged.add("--model", arguments.model, "FILE", "rank by a model of dorm train or dorm tune");
  judged.add("--scores", arguments.scores, "FILE", "scores of the documents, one per line");
  judged.add("--feature", arguments.feature, "NAME",
             "rank by this feature alone: a baseline; all: by each, best first");
  judged.add("--run", arguments.run, "FILE", "TREC run; with --qrels, instead of DATA");
  judged.add("--qrels", arguments.qrels, "FILE", "TREC judgments of the run");
  judged.add("--subtopics", arguments.subtopics, "FILE",
             "judgments by subtopic, \"qid subtopic docid relevance\"; needs\nsubtopic measures");
  judged.add("--ratings", arguments.ratings, "FILE",
             "ratings, judged user by user; --model (and --against) are then\nmodels of dorm factorize");
  judged.add("--against", arguments.against, "RANKER",
             "what to compare with by paired tests: a ranker (see below), or the\nname of one; of several the first");
  judged.add("--position-gains", arguments.position_gains, "FILE",
             "also measure position-gain@n, by these gains (of a model that has\nnone)");
}

void declare_evaluation(CLI::App& app, const OptionGroup& how, EvalArguments& arguments) {
  how.list("--measures", arguments.measures, "LIST",
           "comma-separated; see below (ndcg@10,mrr,map). With --format trec also\nnum_q, num_ret, ..., official (the "
           "default there) and all_trec");
  how.add("--convention", arguments.convention, "NAME",
          "whose definitions of the measures; see below (standard; trec for runs)");
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Evaluation",
                     "judge lists of at most one document (or k) of each group, against\nthe best such list: "
                     "group, host, domain, a CSV column, or none\n(as the model was trained)");
  how.flag("--as-ranked", arguments.options.as_ranked,
           "with --one-per: keep surplus documents in their places, where\nthey gain nothing");
  how.add("--ties", arguments.options.ties, "NAME", "order of equal scores; see below (as the convention says)");
  how.number("--relevant-from", arguments.options.relevant_from, number_above(0), "X",
             "relevant: this label and above, in measures that count relevant\ndocuments (as the convention says); "
             "trec_eval -l");
  how.number("--depth", arguments.options.depth, whole_from(0), "N",
             "judge the first N documents of each query, the others as not\nretrieved; 0: all (0); trec_eval -M");
  how.flag("--complete", arguments.options.complete,
           "of runs: judged queries that a run lacks count as empty lists, under\nevery convention; trec_eval -c. "
           "Documents that a run or the data\nlacks are not retrieved, or have label 0");
}

}  // namespace

void declare_options(CLI::App& app, EvalArguments& arguments) {
  const OptionGroup judged(app, "What to judge"), how(app, "Evaluation"), output(app, "Output");
  app.add_option("DATA", arguments.data,
                 "judged documents: LETOR, CSV, TSV or .dorm; text may be .gz or .zst;\na folder or quoted pattern of "
                 ".dorm files");
  app.add_option("RANKER", arguments.rankers, "what ranks them, any number of them; see below");
  declare_rankings(judged, arguments);
  declare_evaluation(app, how, arguments);
  add_device_options(app, arguments.device, "Evaluation");
  add_topic_options(app, arguments.topics);
  how.number("--top", arguments.top, whole_from(0), "N",
             "with --topics: length of the lists; 0: as the first measure says (0)");
  how.number("--bootstrap", arguments.options.bootstrap, whole_from(0, 1e7), "N",
             "resamples for the intervals; 0: none (1000)");
  how.number("--confidence", arguments.options.confidence, number_within(0, 1), "X", "of the intervals (0.95)");
  how.number("--seed", arguments.options.seed, whole_from(0), "N", "of the bootstrap and the permutation test (0)");
  written(output.add(
      "--per-query", arguments.per_query, "FILE",
      "write a CSV of values per query; empty: skipped; -: instead of the\ntable. With --format trec its lines "
      "per query; -: before the others"));
  output.add("--format", arguments.format, "NAME", "table, csv, markdown or trec; see below (table)");
  add_report_option(app, arguments.reports, "a page about wins and losses, query by query", "Output");
  add_click_evaluation_options(app, arguments.clicks);
  add_layout_option(app, arguments.layout, "Split");
  add_split_options(app, arguments.split);
  add_input_options(app, arguments.input);
  app.description(kEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kEvalExamples, catalog_text("Rankers", kRankerKinds),
                         catalog_text("Measures", measure_catalog()),
                         catalog_text("Subtopic measures", subtopic_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog()),
                         catalog_text("Formats", kEvalFormats), catalog_text("Estimators", click_estimator_catalog())));
}

}  // namespace dorm::cli
