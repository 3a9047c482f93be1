// SPDX-License-Identifier: Apache-2.0
// `dorm clicks gains`: a click log to judged documents.
#include <fmt/format.h>

#include <memory>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/clicks/click_gains.h"
#include "dorm/error.h"
#include "input/click_log_input.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/output.h"
#include "run/progress.h"
#include "text/clicks_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kGainsDescription =
    "Turn a click log into judged documents.\n"
    "\n"
    "A row of the log is a document that was shown, in which session, at which position, and whether it was\n"
    "clicked: CSV, TSV or JSON lines with the columns session, qid, docid, position and click. A click at a\n"
    "position that few users examine has a larger weight: the gain of a document is its mean of clicks over\n"
    "propensity, which does not depend on its positions (dorm clicks propensity estimates propensities).\n"
    "Without --propensities every click has weight 1, and gains are click rates.\n"
    "\n"
    "The gains are the column click_gain, which train, tune and eval take for the labels. With --features the\n"
    "output has the features of the documents, to train on; without, it is a table for --qrels.\n"
    "docs/clicks.md explains the assumptions and their limits.";

constexpr const char* kGainsFooter =
    "Examples:\n"
    "  dorm clicks gains log.csv.gz --propensities p.csv --features features.csv -o train.csv\n"
    "  dorm clicks gains log.csv --propensities p.csv --context device --clip 0.1 -o gains.csv\n"
    "  dorm clicks gains log.jsonl --propensities p.csv --features train.dorm --pool session --cost -o clicks.txt\n"
    "  dorm train train.csv --measure dcg@10:gain=linear --model m.json\n";

struct ClicksArguments {
  std::string log, output, propensities, per = "pages", pool = "query";
  std::vector<std::string> features;
  ClickGainOptions gains;
  bool cost = false;
  ClickLogArguments reading;
  InputArguments input;
};

bool named(const std::string& option, const std::string& value, const std::string& no, const std::string& yes) {
  if (value != no && value != yes)
    throw Error(ErrorCode::bad_option, fmt::format("{} {}; expected {} or {}", option, value, no, yes));
  return value == yes;
}

/// The log, counted by query, or by page; then `query_of` is the query of each page.
struct CountedLog {
  ClickCounts counts;
  ClickLogReport report;
  std::vector<std::string> query_of;
};

CountedLog count_log(const ClicksArguments& arguments, const Settings& settings) {
  const bool by_page = named("--pool", arguments.pool, "query", "session");
  ClickLogOptions options =
      click_log_options(arguments.reading, arguments.input.columns.query, arguments.input.columns.document, settings);
  ReadProgress progress(arguments.log);
  if (!settings.quiet)
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
  CountedLog out;
  out.counts = by_page ? read_page_counts(arguments.log, options, out.query_of, &out.report)
                       : read_click_counts(arguments.log, options, &out.report);
  return out;
}

void write_joined(const ClicksArguments& arguments, const Dataset& data) {
  if (!arguments.cost) return write_data(data, arguments.output);
  write_file(arguments.output, [&](std::ostream& out) { write_letor_costs(data, out); });
}

void check_clicks(const ClicksArguments& arguments) {
  require_option(!arguments.log.empty(), "LOG", "expected a click log to read, or - for standard input");
  require_option(!arguments.output.empty(), "-o FILE", "expected a file to write, or - for standard output");
  if (arguments.cost && arguments.features.empty())
    throw Error(ErrorCode::bad_option, "--cost without --features; expected documents with features");
}

void run_clicks_gains(ClicksArguments& arguments, const Settings& settings) {
  check_clicks(arguments);
  arguments.gains.per =
      named("--per", arguments.per, "pages", "shown") ? ClickGainOptions::Per::shown : ClickGainOptions::Per::pages;
  Propensities propensities;
  if (!arguments.propensities.empty()) propensities = read_propensities(arguments.propensities);
  const CountedLog log = count_log(arguments, settings);
  const ClickGains gains =
      about_file(arguments.log, [&] { return estimate_gains(log.counts, propensities, arguments.gains); });
  ClicksReport report{log.counts, log.report, gains, arguments.gains, !propensities.empty(), {}};
  if (arguments.features.empty()) {
    write_file(arguments.output, [&](std::ostream& out) { write_click_gains(log.counts, gains, out); });
  } else {
    const Dataset features =
        load(arguments.features.front(), arguments.features, arguments.input, settings, {.labels = false}).data;
    report.joined = join_gains(log.counts, gains, features, log.query_of);
    write_joined(arguments, report.joined->data);
  }
  if (arguments.output == "-") return;
  if (settings.json)
    print(printable_json(clicks_json(report), 2) + "\n");
  else if (!settings.quiet)
    print(clicks_text(report));
}

}  // namespace

Action declare_clicks_gains(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ClicksArguments>();
  app.add_option("LOG", arguments->log, "click log: CSV, TSV or JSON lines, also .gz or .zst; - is standard\ninput");
  const OptionGroup gains(app, "Gains"), output(app, "Output");
  gains.add("--propensities", arguments->propensities, "FILE",
            "CSV: position,propensity, optional: se, context, and alpha,beta\nof trust bias (every click has "
            "weight 1)");
  gains.number("--clip", arguments->gains.clip, number_from(0, 1), "X",
               fmt::format("lower bound of the propensities: bias for variance ({})", arguments->gains.clip));
  gains.add("--per", arguments->per, "NAME",
            "mean over the pages of the query (pages), or over those that showed\nthe document (shown), for several "
            "production rankers (pages)");
  gains.add("--pool", arguments->pool, "NAME",
            "query: one list of all sessions of a query; session: a list per page\n(query)");
  output
      .add("--features", arguments->features, "FILE",
           "documents with features, joined by qid and docid: LETOR, CSV, TSV,\nJSON lines or .dorm; may be repeated")
      ->expected(1)
      ->take_all();
  output.flag("--cost", arguments->cost,
              "write LETOR text for PropSVMrank: a block for each clicked document,\nwith its weight as cost:");
  written(output.add("-o,--output", arguments->output, "FILE",
                     "where to write; format by extension: .dorm, .csv, .tsv, else\nLETOR; .gz and .zst compress; "
                     "- is standard output"));
  add_click_log_options(app, arguments->reading);
  add_input_options(app, arguments->input);
  app.description(kGainsDescription);
  app.footer(kGainsFooter);
  return [arguments, &settings] { run_clicks_gains(*arguments, settings); };
}

}  // namespace dorm::cli
