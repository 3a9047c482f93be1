// SPDX-License-Identifier: Apache-2.0
#include "eval_arguments.h"

#include <fmt/format.h>

#include <array>

#include "dorm/catalog.h"
#include "dorm/error.h"
#include "dorm/one_per.h"
#include "help.h"
#include "option_group.h"
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
    "  dorm eval --run my.run --qrels judgments.qrels --format trec --measures all_trec\n"
    "  dorm eval test.csv --model m.json --one-per host\n"
    "  dorm eval test.csv --model m.json --topics topics.csv --limits limits.csv --measures ndcg@5\n"
    "  dorm eval --run my.run --subtopics diversity.qrels\n"
    "  dorm eval --ratings test.csv --model m.factors --measures ndcg@10,ndcg\n";

constexpr std::array<CatalogEntry, 2> kEvalFormats = {{
    {.name = "table", .usage = "table", .help = "means with intervals"},
    {.name = "trec", .usage = "trec", .help = "the lines of trec_eval, with its names"},
}};

void check_format(const EvalArguments& arguments) {
  if (arguments.format == "table") return;
  if (arguments.format != "trec")
    throw_unknown_name("format of the output (that of the input is --input-format)", arguments.format, kEvalFormats);
  require_option(!arguments.run.empty() && !arguments.qrels.empty(), "--run FILE and --qrels FILE",
                 "--format trec prints like trec_eval");
  if (!arguments.against.empty())
    throw Error(ErrorCode::bad_option, "--format trec has no place for tests; expected no --against beside it");
}

}  // namespace

void check(const EvalArguments& arguments) {
  const auto refuse = [](const std::string& message) { throw Error(ErrorCode::bad_option, message); };
  const std::string& one_per = arguments.options.one_per;
  check_format(arguments);
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

namespace {

void declare_rankings(const OptionGroup& judged, EvalArguments& arguments) {
  judged.add("--model", arguments.model, "FILE", "rank by a model of dorm train or dorm tune");
  judged.add("--scores", arguments.scores, "FILE", "scores of the documents, one per line");
  judged.add("--feature", arguments.feature, "NAME", "rank by this feature alone: a baseline");
  judged.add("--run", arguments.run, "FILE", "TREC run; with --qrels, instead of DATA");
  judged.add("--qrels", arguments.qrels, "FILE", "TREC judgments of the run");
  judged.add("--subtopics", arguments.subtopics, "FILE",
             "judgments by subtopic, \"qid subtopic docid relevance\"; needs\nsubtopic measures");
  judged.add("--ratings", arguments.ratings, "FILE",
             "ratings, judged user by user; --model (and --against) are then\nmodels of dorm factorize");
  judged.add("--against", arguments.against, "FILE", "other scores (or another run) to compare with: paired tests");
  judged.add("--position-gains", arguments.position_gains, "FILE",
             "also measure position-gain@n, by these gains (of a model that has\nnone)");
}

void declare_evaluation(CLI::App& app, const OptionGroup& how, EvalArguments& arguments) {
  how.add("--measures", arguments.measures, "LIST",
          "comma-separated; see below (ndcg@10,mrr,map). With --format trec also\nnum_q, num_ret, ..., official (the "
          "default there) and all_trec");
  how.add("--convention", arguments.convention, "NAME", "see below (standard; trec for runs)");
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Evaluation",
                     "judge lists of at most one document (or k) of each group, against\nthe best such list: "
                     "group, host, domain, a CSV column, or none\n(as the model was trained)");
  how.flag("--as-ranked", arguments.options.as_ranked,
           "with --one-per: keep surplus documents in their places, where\nthey gain nothing");
  how.add("--ties", arguments.options.ties, "NAME", "order of equal scores; see below (as the convention says)");
  how.add("--relevant-from", arguments.options.relevant_from, "X",
          "relevant: this label and above, in measures that count relevant\ndocuments (as the convention says); "
          "trec_eval -l");
  how.add("--depth", arguments.options.depth, "N",
          "judge the first N documents of each query, the others as not\nretrieved; 0: all (0); trec_eval -M");
  how.flag("--complete", arguments.options.complete,
           "with --run: judged queries that the run lacks count as empty lists,\nunder every convention; "
           "trec_eval -c");
}

}  // namespace

void declare_options(CLI::App& app, EvalArguments& arguments) {
  const OptionGroup judged(app, "What to judge"), how(app, "Evaluation"), output(app, "Output");
  app.add_option("DATA", arguments.data, "judged documents: LETOR, CSV, TSV or .dorm; text may be .gz or .zst");
  declare_rankings(judged, arguments);
  declare_evaluation(app, how, arguments);
  add_topic_options(app, arguments.topics);
  how.add("--top", arguments.top, "N", "with --topics: length of the lists; 0: as the first measure says (0)");
  how.add("--bootstrap", arguments.options.bootstrap, "N", "resamples for the intervals; 0: none (1000)");
  how.add("--confidence", arguments.options.confidence, "X", "of the intervals (0.95)");
  how.add("--seed", arguments.options.seed, "N", "of the bootstrap and the permutation test (0)");
  written(output.add(
      "--per-query", arguments.per_query, "FILE",
      "write a CSV of values per query; empty: skipped; -: instead of the\ntable. With --format trec its lines "
      "per query; -: before the others"));
  output.add("--format", arguments.format, "NAME", "table or trec; see below (table)");
  add_layout_option(app, arguments.layout, "Split");
  add_split_options(app, arguments.split);
  add_input_options(app, arguments.input);
  app.description(kEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kEvalExamples, catalog_text("Measures", measure_catalog()),
                         catalog_text("Subtopic measures", subtopic_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog()),
                         catalog_text("Formats", kEvalFormats)));
}

}  // namespace dorm::cli
