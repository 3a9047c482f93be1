// SPDX-License-Identifier: Apache-2.0
// `dorm explore`: models and data behind a page.
#include "dorm/apps/explore.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/checksum.h"
#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "data/io/files/file.h"
#include "data/io/files/line_reader.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/document_table.h"
#include "dorm/apps/serve.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "input/input.h"
#include "input/rankers.h"
#include "input/runs_input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/evaluate_rankers.h"
#include "run/progress.h"
#include "run/run_server.h"
#include "text/help.h"
#include "text/messages.h"

namespace dorm::cli {
namespace {

constexpr const char* kExploreDescription =
    "Look at one or two rankers and their data in a browser.\n"
    "\n"
    "The page shows queries by loss or by the difference of two models; rankings next to the ideal order and the\n"
    "most violated ranking; contributions of features, and changes that swap two documents; a what-if of the\n"
    "weights, with the measure over all queries and a paired test; labels entered by keyboard into a shared\n"
    "file; a blind comparison of two models; and checks of the data. The values are those of dorm eval. The\n"
    "command contains the page, which loads nothing from other hosts; only this machine can open it. Ctrl-C\n"
    "ends the command.";

constexpr const char* kExploreExamples =
    "Examples:\n"
    "  dorm explore m.json --data test.txt\n"
    "  dorm explore new.json old.json --data test.txt --texts docs.jsonl --judgments judgments.sqlite\n"
    "  dorm explore m.json production.run --data test.csv --query-text-column query --title-column title\n"
    "  dorm explore m.json --data test.csv --measure map --port 8000 --no-open\n"
    "  dorm explore fused.json --data bm25.run,dense.run --qrels qrels.txt\n"
    "  dorm explore a.run b.run --data a.run,b.run --complete --texts docs.jsonl --queue judge.csv --judgments "
    "new.sqlite\n";

struct ExploreArguments {
  std::vector<std::string> models;
  std::string data, texts, judgments, queue, measure;
  EvaluateOptions options;
  InputArguments input;
  std::uint16_t port = 0;
  bool no_open = false;
};

std::vector<Ranker> load_explored(const std::vector<std::string>& words) {
  std::vector<Ranker> rankers;
  for (const std::string& word : words) {
    rankers.push_back(load_ranker(word));
    if (std::holds_alternative<PositionModel>(rankers.back().what))
      throw Error(
          ErrorCode::unsupported, {rankers.back().file},
          "a position model; expected a ranker that sorts by scores: a model, a TREC run, scores or feature:NAME");
  }
  make_names_distinct(rankers);
  return rankers;
}

/// A ranking by one feature is a model with one weight.
Model model_of_feature(const std::string& name) {
  Model model;
  model.features = {name};
  model.weights = {1};
  model.method = "feature";
  return model;
}

/// Documents that a run lacks stand at the end of their query, in the order of the data.
std::vector<double> with_lacking_last(std::vector<double> scores) {
  double least = 0;
  for (const double score : scores)
    if (std::isfinite(score)) least = std::min(least, score);
  for (double& score : scores)
    if (!std::isfinite(score)) score = least - 1;
  return scores;
}

explore::Candidate candidate_of(const Ranker& ranker, const Dataset& data, bool partial, const Settings& settings) {
  explore::Candidate out{ranker.name, {}, data, {}, ranker.kind()};
  const std::string bytes = file_exists(ranker.file) ? read_whole_file(ranker.file) : ranker.file;
  out.fingerprint = fmt::format("{:016x}", checksum(std::as_bytes(std::span(bytes))));
  if (const auto* model = std::get_if<Model>(&ranker.what)) {
    out.model = *model;
  } else if (const auto* feature = std::get_if<Feature>(&ranker.what)) {
    static_cast<void>(scores_of(ranker, data, false, settings));  // refuses one that is not there
    out.model = model_of_feature(feature->name);
  } else {
    out.model.method = ranker.kind();
    out.scores = with_lacking_last(scores_of(ranker, data, partial, settings));
  }
  return out;
}

/// A table of qid,docid and perhaps more, as --to-judge writes it.
std::vector<std::pair<std::string, std::string>> read_queue(const std::string& path) {
  const std::unique_ptr<TextSource> source = open_text(path);
  LineReader lines(*source, path);
  CsvRecords record(lines, CsvRecords::kBySight);
  const std::vector<std::string> names = read_header(record, path, "the columns qid and docid");
  const auto column = [&](const char* name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw Error(ErrorCode::bad_input, {path, 1, 0},
                  fmt::format("no column {}; expected a table qid,docid as --to-judge writes it", name));
    return static_cast<std::size_t>(found - names.begin());
  };
  const std::size_t query = column("qid"), document = column("docid");
  std::vector<std::pair<std::string, std::string>> queue;
  while (record.next()) {
    require_cells(record, names.size());
    queue.emplace_back(record[query], record[document]);
  }
  return queue;
}

explore::Options explore_options(ExploreArguments& arguments, const Settings& settings) {
  const std::vector<Ranker> rankers = load_explored(arguments.models);
  const auto progress_line = std::make_shared<LiveLine>();
  resolve_limits(arguments.options, common_limits(rankers));
  const RankedData source(arguments.data, arguments.input, settings, rankers);
  explore::Options options;
  for (const Ranker& ranker : rankers)
    options.models.push_back(candidate_of(ranker, source.as_expected_by(ranker), arguments.options.complete, settings));
  options.data_name = std::filesystem::path(arguments.data).filename().string();
  options.measure = arguments.measure;
  options.evaluation = arguments.options;
  options.evaluation.threads = settings.threads;
  options.evaluation.complete = false;  // every document has a score
  options.texts = arguments.texts;
  options.readable = load_texts(arguments.data, arguments.input, source.data());
  options.judgments = arguments.judgments;
  if (!arguments.queue.empty()) options.queue = read_queue(arguments.queue);
  if (!settings.quiet)
    options.progress = [progress_line](double share, std::string_view what) {
      if (progress_line->due()) progress_line->show(share, std::string(what));
    };
  return options;
}

/// In the background, where somebody sits at a screen; what becomes of it is the browser's business.
void open_in_browser(const std::string& url) {
  const bool screen = std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
#ifdef __APPLE__
  const char* const opener = "open";
#else
  const char* const opener = "xdg-open";
  if (!screen) return;
#endif
  static_cast<void>(screen);
  std::thread([command = fmt::format("{} {} >/dev/null 2>&1", opener, url)] {
    static_cast<void>(std::system(command.c_str()));
  }).detach();
}

/// Before anything is read.
void require_built_in(const ExploreArguments& arguments) {
  if (!serve::available())
    throw Error(ErrorCode::unsupported, "this build has no server: it was made without simdjson (libsimdjson-dev)");
  if (!arguments.judgments.empty() && !explore::can_judge())
    throw Error(ErrorCode::unsupported, "this build stores no judgments: it lacks SQLite (libsqlite3-dev)");
}

void run_explore(ExploreArguments& arguments, const Settings& settings) {
  require_built_in(arguments);
  require_option(!arguments.models.empty(), "MODEL", "expected one or two rankers");
  require_option(!arguments.data.empty(), "--data DATA", "expected judged documents");
  if (!arguments.queue.empty())
    require_option(!arguments.judgments.empty(), "--judgments FILE", "--queue lists what to judge");
  if (arguments.models.size() > 2)
    throw Error(ErrorCode::bad_option, fmt::format("{} rankers; expected one or two", arguments.models.size()));
  const std::unique_ptr<explore::Explorer> explorer =
      std::make_unique<explore::Explorer>(explore_options(arguments, settings));
  serve::Options options;
  options.port = arguments.port;
  options.threads = settings.threads;
  options.watch_seconds = 0;
  options.limits.body_bytes = explore::kBodyBytes;
  options.routes = [&explorer](serve::Router& router) { explorer->add_routes(router); };
  serve::Server server(options);
  if (settings.json)
    print(printable_json({{"url", server.url()}}) + "\n");
  else
    print(fmt::format("{}\n", server.url()));
  if (!settings.quiet) say("dorm: Ctrl-C ends it\n");
  if (!arguments.no_open && ::isatty(STDOUT_FILENO)) open_in_browser(server.url());
  run_to_the_end(server);
}

}  // namespace

Action declare_explore(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ExploreArguments>();
  const OptionGroup what(app, "Data"), how(app, "Evaluation"), where(app, "Server");
  app.add_option("MODEL", arguments->models,
                 "one or two rankers, as FILE or NAME=FILE: a model, a TREC run, a file of\nscores, or feature:NAME");
  what.add("--data", arguments->data, "FILE",
           "judged documents: LETOR, CSV, TSV, JSON lines or .dorm; a folder or\nquoted pattern of .dorm files; of "
           "runs and models of dorm fuse, RUN,RUN,...");
  what.add("--texts", arguments->texts, "FILE",
           "texts: JSON lines {\"id\", \"title\", \"text\", \"url\"} of documents, with the\nids of the data, or rows "
           "counted from 1, and {\"query\", \"text\"}");
  what.add("--judgments", arguments->judgments, "FILE",
           "SQLite file for judgments, created if missing; several processes may\nshare it");
  what.add(
      "--queue", arguments->queue, "FILE",
      "with --judgments: Judge shows these documents in this order; a table\nqid,docid, as --to-judge of dorm eval "
      "and dorm fuse writes it");
  how.add("--measure", arguments->measure, "NAME", "measure to show; see below (that of the first model)");
  how.add("--convention", arguments->options.convention, "NAME", "definition of the measures; see below (standard)");
  add_one_per_option(app, arguments->options.one_per, arguments->input, "Evaluation",
                     "evaluate lists of at most one document (or k) of each group: group,\nhost, domain, a CSV column, "
                     "or none (that of the model)");
  how.flag("--complete", arguments->options.complete,
           "a run may lack documents, which then stand at the end of their query");
  how.add("--ties", arguments->options.ties, "NAME", "order of equal scores; see below (that of the convention)");
  how.number("--bootstrap", arguments->options.bootstrap, whole_from(0, 1e7), "N",
             "resamples for the intervals; 0: none (1000)");
  how.number("--confidence", arguments->options.confidence, number_within(0, 1), "X", "of the intervals (0.95)");
  how.number("--seed", arguments->options.seed, whole_from(0), "N", "of the bootstrap and the permutation test (0)");
  where.number("--port", arguments->port, whole_from(0, 65535), "N", "port on this machine; 0: a free port (0)");
  where.flag("--no-open", arguments->no_open, "do not open the page in a browser");
  const OptionGroup fused(app, "Fused models");
  fused.add("--qrels", arguments->input.qrels, "FILE",
            "with runs as data: their judgments; documents without one count as\nnot relevant");
  add_fusion_options(fused, arguments->input);
  add_input_options(app, arguments->input);
  app.description(kExploreDescription);
  app.footer(fmt::format("{}\n{}\n{}\n{}", kExploreExamples, catalog_text("Measures", measure_catalog()),
                         catalog_text("Conventions", convention_catalog()), catalog_text("Ties", tie_catalog())));
  return [arguments, &settings] { run_explore(*arguments, settings); };
}

}  // namespace dorm::cli
