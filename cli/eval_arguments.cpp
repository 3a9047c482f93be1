// SPDX-License-Identifier: Apache-2.0
#include "eval_arguments.h"

#include <fmt/format.h>

#include <array>

#include "dorm/catalog.h"
#include "dorm/error.h"
#include "dorm/one_per.h"
#include "help.h"
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
  if (arguments.format != "trec") throw_unknown_name("format", arguments.format, kEvalFormats);
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

void declare_options(CLI::App& app, EvalArguments& arguments) {
  const auto text = [&app](const char* name, std::string& value, const char* shown, const char* group,
                           const std::string& help) {
    return app.add_option(name, value, help)->option_text(shown)->group(group);
  };
  const auto number = [&app](const char* name, auto& value, const std::string& help) {
    app.add_option(name, value, help)->option_text("N")->group("Evaluation");
  };
  app.add_option("DATA", arguments.data, "judged documents: LETOR, CSV, TSV or .dorm; text may be .gz or .zst");
  text("--model", arguments.model, "FILE", "What to judge", "rank by a model of dorm train or dorm tune");
  text("--scores", arguments.scores, "FILE", "What to judge", "scores of the documents, one per line");
  text("--feature", arguments.feature, "NAME", "What to judge", "rank by this feature alone: a baseline");
  text("--run", arguments.run, "FILE", "What to judge", "TREC run; with --qrels, instead of DATA");
  text("--qrels", arguments.qrels, "FILE", "What to judge", "TREC judgments of the run");
  text("--subtopics", arguments.subtopics, "FILE", "What to judge",
       "judgments by subtopic, \"qid subtopic docid relevance\"; needs\nsubtopic measures");
  text("--ratings", arguments.ratings, "FILE", "What to judge",
       "ratings, judged user by user; --model (and --against) are then\nmodels of dorm factorize");
  text("--against", arguments.against, "FILE", "What to judge",
       "other scores (or another run) to compare with: paired tests");
  text("--position-gains", arguments.position_gains, "FILE", "What to judge",
       "also measure position-gain@n, by these gains (of a model that has\nnone)");
  text("--measures", arguments.measures, "LIST", "Evaluation",
       "comma-separated; see below (ndcg@10,mrr,map). With --format trec also\nnum_q, num_ret, ..., official (the "
       "default there) and all_trec");
  text("--convention", arguments.convention, "NAME", "Evaluation", "see below (standard; trec for runs)");
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Evaluation",
                     "judge lists of at most one document (or k) of each group, against\nthe best such list: "
                     "group, host, domain, a CSV column, or none\n(as the model was trained)");
  app.add_flag("--as-ranked", arguments.options.as_ranked,
               "with --one-per: keep surplus documents in their places, where\nthey gain nothing")
      ->group("Evaluation");
  text("--ties", arguments.options.ties, "NAME", "Evaluation",
       "order of equal scores; see below (as the convention says)");
  app.add_option("--relevant-from", arguments.options.relevant_from,
                 "relevant: this label and above, in measures that count relevant\ndocuments (as the convention says); "
                 "trec_eval -l")
      ->option_text("X")
      ->group("Evaluation");
  number("--depth", arguments.options.depth,
         "judge the first N documents of each query, the others as not\nretrieved; 0: all (0); trec_eval -M");
  app.add_flag("--complete", arguments.options.complete,
               "with --run: judged queries that the run lacks count as empty lists,\nunder every convention; "
               "trec_eval -c")
      ->group("Evaluation");
  add_topic_options(app, arguments.topics);
  number("--top", arguments.top, "with --topics: length of the lists; 0: as the first measure says (0)");
  number("--bootstrap", arguments.options.bootstrap, "resamples for the intervals; 0: none (1000)");
  app.add_option("--confidence", arguments.options.confidence, "of the intervals (0.95)")
      ->option_text("X")
      ->group("Evaluation");
  number("--seed", arguments.options.seed, "of the bootstrap and the permutation test (0)");
  written(
      text("--per-query", arguments.per_query, "FILE", "Output",
           "write a CSV of values per query; empty: skipped; -: instead of the\ntable. With --format trec its lines "
           "per query; -: before the others"));
  text("--format", arguments.format, "NAME", "Output", "table or trec; see below (table)");
  add_split_options(app, arguments.split);
  add_input_options(app, arguments.input, "--input-format");
  app.description(kEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kEvalExamples, catalog_text("Measures", measure_catalog()),
                         catalog_text("Subtopic measures", subtopic_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog()),
                         catalog_text("Formats", kEvalFormats)));
}

}  // namespace dorm::cli
