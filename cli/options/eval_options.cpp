// SPDX-License-Identifier: Apache-2.0
#include "options/eval_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "command_line.h"
#include "dorm/base/catalog.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/ranking/subtopics.h"
#include "input/runs_input.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/written_files.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kEvalDescription =
    "Evaluate rankers: measures with intervals and significance tests.\n"
    "\n"
    "Ranks the documents of every query by each RANKER, and prints the mean of each measure over the queries\n"
    "with a bootstrap interval. Several rankers appear in one table: the means, the best marked, and the paired\n"
    "differences to the first ranker (or --against), with stars where they are significant. --qrels evaluates\n"
    "TREC runs: documents without a judgment have label 0, and judged documents that a run lacks count in the\n"
    "ideal ranking.";

constexpr const char* kEvalExamples =
    "Examples:\n"
    "  dorm eval test.txt new.json old.json bm25=bm25.run feature:25\n"
    "  dorm eval test.txt new.json --against old.json --report new.html\n"
    "  dorm eval test.txt --model new.json --against old.json\n"
    "  dorm eval test.txt --feature all --measures ndcg@10 --bootstrap 0\n"
    "  dorm eval test.txt --scores model.scores\n"
    "  dorm eval test.txt --feature 25 --measures ndcg@1,ndcg@10,map --convention letor4\n"
    "  dorm eval test.dorm --scores new.scores --against old.scores --per-query values.csv\n"
    "  dorm eval --run my.run --qrels judgments.qrels --measures ndcg@10,map --json\n"
    "  dorm eval --run my.run --qrels judgments.qrels --format trec --measures all_trec\n"
    "  dorm eval --qrels judgments.qrels a.run b.run c.run --test tukey --pairs --format latex\n"
    "  dorm eval --qrels judgments.qrels runs/ --coverage --other-qrels llm.qrels\n"
    "  dorm eval --qrels judgments.qrels a.run b.run --new-qrels new.qrels --to-judge judge.csv\n"
    "  dorm eval test.csv --model m.json --one-per host\n"
    "  dorm eval test.csv --model m.json --topics topics.csv --limits limits.csv --measures ndcg@5\n"
    "  dorm eval --run my.run --subtopics diversity.qrels\n";

constexpr std::array<CatalogEntry, 3> kRankerKinds = {{
    {.name = "FILE",
     .usage = "[NAME=]FILE",
     .help =
         "a model, a TREC run (with the document ids of DATA, or row numbers), or scores, one per line; the content "
         "decides, and the name is that of the file unless a NAME is given"},
    {.name = "feature",
     .usage = "feature:NAME",
     .help = "one feature; feature:all is every feature, best first by the first measure"},
    {.name = "given", .usage = "given", .help = "the order of the rows"},
}};

constexpr std::array<CatalogEntry, 7> kEvalFormats = {{
    {.name = "table", .usage = "table", .help = "means with intervals; for several rankers, differences with stars"},
    {.name = "csv", .usage = "csv", .help = "one line per ranker and measure, with intervals and tests"},
    {.name = "markdown", .usage = "markdown", .help = "one line per ranker"},
    {.name = "latex", .usage = "latex", .help = "a table with booktabs; superscripts: better than these rankers"},
    {.name = "html", .usage = "html", .help = "the same as a table of HTML"},
    {.name = "json", .usage = "json", .help = "everything, as --json"},
    {.name = "trec", .usage = "trec", .help = "the lines of trec_eval, with its names"},
}};
constexpr std::span<const CatalogEntry> kTableFormats = std::span(kEvalFormats).first(6);

void check_format_among(std::span<const CatalogEntry> formats, const EvalArguments& arguments) {
  if (std::none_of(formats.begin(), formats.end(),
                   [&](const CatalogEntry& entry) { return entry.name == arguments.format; }))
    throw_unknown_name("format of the output (that of the input is --input-format)", arguments.format, formats);
}

void check_trec_format(const EvalArguments& arguments) {
  if (arguments.format != "trec") return;
  require_option(!arguments.qrels.empty() && (!arguments.run.empty() || !arguments.rankers.empty()),
                 "--qrels FILE and a run", "--format trec prints like trec_eval");
  if (!arguments.against.empty())
    throw Error(ErrorCode::bad_option, "--format trec prints no tests; expected runs without --against");
}

[[noreturn]] void refuse_arguments(const std::string& message) { throw Error(ErrorCode::bad_option, message); }

void check_several(const EvalArguments& arguments) {
  if (!arguments.several()) return;
  if (arguments.topics.given() || !arguments.subtopics.empty() || !arguments.position_gains.empty())
    refuse_arguments(
        "--topics, --subtopics and --position-gains evaluate one ranker; expected --model, --scores or --run");
}

void check_run(const EvalArguments& arguments) {
  require_option(!arguments.run.empty() || !arguments.rankers.empty(), "--run FILE",
                 "--qrels evaluates the documents of a run");
  require_option(arguments.plans_judging() || arguments.qrels.empty() == !arguments.subtopics.empty(),
                 "--qrels FILE or --subtopics FILE", "--run needs judgments of one kind");
  if (!arguments.data.empty() || !arguments.scores.empty() || !arguments.feature.empty() || !arguments.model.empty())
    refuse_arguments("--run and --qrels exclude DATA, --model, --scores and --feature; expected one kind of data");
}

}  // namespace

bool EvalArguments::several() const {
  const int given = !scores.empty() + !feature.empty() + !model.empty();
  const bool table = format != "table" && format != "json" && format != "trec";
  return !rankers.empty() || given > 1 || feature == "all" || !reports.empty() || table || effects || coverage ||
         !other_qrels.empty() || !by.empty() || plans_judging() || tests != TestOptions{};
}

void check(EvalArguments& arguments) {
  if ((!arguments.qrels.empty() || arguments.plans_judging()) && !arguments.data.empty()) {  // all arguments are runs
    arguments.rankers.insert(arguments.rankers.begin(), arguments.data);
    arguments.data.clear();
  }
  const std::string& one_per = arguments.options.one_per;
  check_format_among(kEvalFormats, arguments);
  check_trec_format(arguments);
  check(arguments.tests);
  if (arguments.format == "latex" || arguments.format == "html") arguments.tests.all_pairs = true;
  if ((arguments.coverage || !arguments.other_qrels.empty()) &&
      (arguments.qrels.empty() || arguments.format != "table"))
    throw Error(
        ErrorCode::bad_option,
        "--coverage and --other-qrels are about --qrels FILE, and print tables or --json; expected no other --format");
  if (arguments.plans_judging() && (arguments.format != "table" && arguments.format != "json"))
    refuse_arguments("--to-judge and --new-qrels print tables or --json; expected no other --format");
  if (arguments.plans_judging() &&
      (!arguments.subtopics.empty() || !arguments.by.empty() || !arguments.reports.empty()))
    refuse_arguments("--to-judge decides between two runs on all queries; expected no --subtopics, --by or --report");
  if (!arguments.by.empty() && arguments.format != "table" && arguments.format != "json")
    throw Error(ErrorCode::bad_option, "--by prints tables or --json; expected no other --format");
  if (!arguments.queries.empty() && arguments.qrels.empty())
    throw Error(ErrorCode::bad_option, "--queries chooses queries of --qrels; of DATA, dorm split does");
  arguments.device.check();
  check_report_files(arguments.reports);
  check_several(arguments);
  if (!one_per.empty() && one_per != "none") parse_one_per(one_per);
  if (arguments.topics.given() && arguments.of_runs())
    refuse_arguments("--topics and --limits evaluate rankings of DATA; expected no --run or --qrels");
  if (arguments.of_runs()) return check_run(arguments);
  require_option(!arguments.data.empty(), "DATA", "expected judged documents, or --run and --qrels");
  if (arguments.topics.given() && (!arguments.subtopics.empty() || (!one_per.empty() && one_per != "none")))
    refuse_arguments("--topics excludes --subtopics and --one-per; expected one of them");
  if (arguments.scores.empty() && arguments.feature.empty() && arguments.model.empty() && arguments.rankers.empty())
    refuse_arguments(
        "expected rankers after DATA (models, runs, scores, feature:NAME), or one of --model FILE, --scores FILE "
        "or --feature NAME");
}

namespace {

void declare_rankings(const OptionGroup& rankers, EvalArguments& arguments) {
  rankers.add("--model", arguments.model, "FILE", "rank by a model of dorm train or dorm tune");
  rankers.add("--scores", arguments.scores, "FILE", "rank by scores of the documents, one per line");
  rankers.add("--feature", arguments.feature, "NAME",
              "rank by one feature, as a baseline; all: by each feature, best first");
  rankers.add("--run", arguments.run, "FILE", "TREC run; with --qrels, instead of DATA");
  rankers.add("--qrels", arguments.qrels, "FILE",
              "TREC judgments, instead of DATA; all arguments are then runs, and models of\ndorm fuse beside the runs "
              "they fuse");
  add_fusion_options(rankers, arguments.input, "--document-features");
  rankers.add("--subtopics", arguments.subtopics, "FILE",
              "judgments by subtopic, \"qid subtopic docid relevance\", for subtopic\nmeasures");
  rankers.add("--position-gains", arguments.position_gains, "FILE",
              "evaluate position-gain@n by these gains, for a model without gains");
}

void declare_conventions(CLI::App& app, const OptionGroup& how, EvalArguments& arguments) {
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Evaluation",
                     "evaluate lists of at most one document (or k) of each group, against\nthe best such list: "
                     "group, host, domain, a CSV column, or none\n(the default is that of the model)");
  how.flag("--as-ranked", arguments.options.as_ranked,
           "with --one-per: keep surplus documents in their places, with gain 0");
  how.add("--ties", arguments.options.ties, "NAME", "order of equal scores; see below (that of the convention)");
  how.number("--relevant-from", arguments.options.relevant_from, number_above(0), "X",
             "smallest relevant label, for measures that count relevant documents\n(that of the convention); "
             "trec_eval -l");
  how.number("--depth", arguments.options.depth, whole_from(0), "N",
             "evaluate the first N documents of each query; 0: all (0);\ntrec_eval -M");
  how.flag("--complete", arguments.options.complete,
           "count judged queries without a run as empty lists, under every\nconvention; trec_eval -c. Documents that "
           "the run lacks are not\nretrieved, and documents that the data lacks have label 0");
}

}  // namespace

void add_test_options(CLI::App& app, EvalArguments& arguments) {
  const OptionGroup tests(app, "Tests of differences");
  tests.add("--test", arguments.tests.test, "NAME", "see below (permutation)");
  tests.add("--correction", arguments.tests.correction, "NAME", "for the number of tests; see below (holm)");
  tests.flag("--over-measures", arguments.tests.over_measures,
             "correct for the tests of all measures together, not of each");
  tests.flag("--pairs", arguments.tests.all_pairs, "test every pair of rankers, and print a matrix");
  tests.flag("--effects", arguments.effects,
             "print effect sizes, and how many queries would show the\ndifference (5 % level, 80 % power)");
  tests.number("--same-within", arguments.tests.same_within, number_above(0), "X",
               "test, too, whether the means differ by less than X");
}

void add_statistics_options(CLI::App& app, EvalArguments& arguments, const std::string& default_measures,
                            const std::string& default_convention) {
  const OptionGroup how(app, "Evaluation"), output(app, "Output");
  how.add("--against", arguments.against, "RANKER",
          "reference of the paired tests: a ranker, or the name of one (the\nfirst of several)");
  how.list("--measures", arguments.measures, "LIST", fmt::format("comma-separated measures ({})", default_measures));
  how.add("--convention", arguments.convention, "NAME",
          fmt::format("definition of the measures; see below ({})", default_convention));
  how.number("--bootstrap", arguments.options.bootstrap, whole_from(0, 1e7), "N",
             "resamples for the intervals; 0: none (1000)");
  how.number("--confidence", arguments.options.confidence, number_within(0, 1), "X", "of the intervals (0.95)");
  how.number("--seed", arguments.options.seed, whole_from(0), "N", "of the bootstrap and the permutation test (0)");
  written(output.add("--per-query", arguments.per_query, "FILE",
                     "write a CSV of values per query, empty where a measure skips the\nquery; -: print it instead of "
                     "the table"));
}

void add_table_format(CLI::App& app, EvalArguments& arguments) {
  OptionGroup(app, "Output")
      .add("--format", arguments.format, "NAME", "table, csv, markdown, latex, html or json (table)");
}

void check_table_format(const EvalArguments& arguments) { check_format_among(kTableFormats, arguments); }

std::string ranker_kinds_text() { return catalog_text("Rankers", kRankerKinds); }
std::string table_formats_text() { return catalog_text("Formats", kTableFormats); }

void declare_eval_options(CLI::App& app, EvalArguments& arguments) {
  const OptionGroup rankers(app, "Rankers"), how(app, "Evaluation"), output(app, "Output");
  app.add_option("DATA", arguments.data,
                 "judged documents: LETOR, CSV, TSV or .dorm, also .gz or .zst;\na folder or quoted pattern of "
                 ".dorm files");
  app.add_option("RANKER", arguments.rankers, "models, runs, scores or features; see below");
  declare_rankings(rankers, arguments);
  add_statistics_options(app, arguments, "ndcg@10,mrr,map", "standard; trec for runs");
  add_test_options(app, arguments);
  rankers.add("--other-qrels", arguments.other_qrels, "FILE",
              "with --qrels: agreement of these judgments with those, and of the\norders of the runs under both");
  how.flag("--coverage", arguments.coverage,
           "with --qrels: the judged share of each run, and its measures with\ndocuments without a judgment taken as "
           "bad, passed over and as good");
  OptionGroup judging(app, "What to judge next");
  written(
      judging.add("--to-judge", arguments.to_judge, "FILE",
                  "of two runs, which is better by the first measure? Lists the documents\nwhose labels decide it, as "
                  "CSV, in the order of judging"));
  judging.add("--new-qrels", arguments.new_qrels, "FILE",
              "judgments made since, by such lists; decided, or what to judge next");
  judging.number("--batch", arguments.judging.batch, whole_from(1), "N",
                 "documents in the list, or more to complete a query (100)");
  judging.number("--best-label", arguments.judging.best_label, number_above(0), "X",
                 "the highest that judges give (that of --qrels, at least 1)");
  rankers.add("--queries", arguments.queries, "LIST",
              "with --qrels: these queries only; ids with commas, or a file of them");
  output.add("--by", arguments.by, "FILE:COLUMN",
             "the table once more for each group of queries, also on the page of\n--report: by a column of a CSV file "
             "whose first column, or qid, is the\nquery. Texts are groups, many different numbers four groups by size");
  declare_conventions(app, how, arguments);
  add_device_options(app, arguments.device, "Evaluation");
  add_topic_options(app, arguments.topics);
  how.number("--top", arguments.top, whole_from(0), "N",
             "with --topics: length of the lists; 0: the cutoff of the first measure (0)");
  output.add("--format", arguments.format, "NAME",
             "table, csv, markdown, latex, html, json or trec; see below (table).\ntrec has the measures num_q, "
             "num_ret, ..., official "
             "(its default) and all_trec");
  add_report_option(app, arguments.reports, "page about wins and losses, query by query", "Output");
  add_input_options(app, arguments.input);
  app.description(kEvalDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", kEvalExamples, ranker_kinds_text(),
                         catalog_text("Measures", measure_catalog()),
                         catalog_text("Subtopic measures", subtopic_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog()),
                         catalog_text("Tests", difference_test_catalog()),
                         catalog_text("Corrections", correction_catalog()), catalog_text("Formats", kEvalFormats)));
}

}  // namespace dorm::cli
