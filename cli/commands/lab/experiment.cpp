// SPDX-License-Identifier: Apache-2.0
// `dorm lab experiment`: the paper's tables and figures from one command.
#include "dorm/lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/lab/pages.h"
#include "input/download.h"
#include "input/input.h"
#include "options/grid.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/written_files.h"
#include "run/comparison_view.h"
#include "run/output.h"
#include "run/stop.h"
#include "text/experiment_text.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kExperimentDescription =
    "Repeat an experiment of the paper; NAME `all` runs every one.\n"
    "\n"
    "Data is found by name in --data-dir, or in the folder of DORM_DATA: mq2008/S1.txt ...,\n"
    "mq2007-sample/S1.txt ..., uci/pendigits.tra ...; plain, .gz or .zst. Missing files are listed\n"
    "with the place where they are published. --out keeps finished results, so that the same command resumes;\n"
    "NAME.html, NAME.md and NAME.csv are written there, and for `all` also all.html with all results. `all`\n"
    "skips experiments without data, and fails at its end.";

constexpr const char* kExperimentExamples =
    "Examples:\n"
    "  dorm lab experiment uci-table --data-dir data --out results\n"
    "  DORM_DATA=data dorm lab experiment all --out results\n";

struct ExperimentArguments {
  std::string name, data, out, mirror, choose = "best";
  bool download = false;
  std::vector<std::string> reports;
  std::uint64_t seed = 1;
};

ExperimentOptions experiment_options(const ExperimentArguments& arguments, const Settings& settings) {
  const char* environment = std::getenv("DORM_DATA");
  ExperimentOptions options;
  options.data_directory = !arguments.data.empty() ? arguments.data : environment ? environment : "";
  if (options.data_directory.empty())
    throw Error(ErrorCode::bad_option,
                "no folder of data; expected --data-dir DIR, or its name in the environment variable DORM_DATA");
  options.directory = arguments.out;
  options.threads = settings.threads;
  options.seed = arguments.seed;
  options.choice = parse_choice(arguments.choose);
  return options;
}

/// Fetches the files with an address; the experiment itself reports the others.
void fetch_missing(const std::string& name, const ExperimentArguments& arguments, const ExperimentOptions& options,
                   const Settings& settings) {
  for (const DataFile& file : missing_data(name, options.data_directory)) {
    if (file.url.empty()) continue;
    const std::string url =
        arguments.mirror.empty() ? file.url : arguments.mirror + file.url.substr(file.url.rfind('/'));
    if (!settings.quiet) say(fmt::format("dorm: fetching {}\n", url));
    download(url, file.path, file.sha256);
  }
}

ExperimentResult run_one(const std::string& name, const ExperimentArguments& arguments,
                         const ExperimentOptions& options, const Settings& settings, const StopRequest& stop) {
  if (arguments.download) fetch_missing(name, arguments, options, settings);
  ExperimentResult result;
  {
    ComparisonView view(settings.quiet);
    result = run_experiment(name, options, [&](const ComparisonProgress& progress) {
      view.update(progress);
      return stop.signal() == 0;
    });
  }
  if (!result.complete) {
    warn(settings, arguments.out.empty() ? "interrupted; nothing is kept without --out"
                                         : "interrupted; the same command resumes from the finished results");
    throw Stopped{stop.signal()};
  }
  if (!arguments.out.empty()) {
    const std::string path = fmt::format("{}/{}", arguments.out, name);
    write_text(path + ".md", experiment_markdown(result));
    write_text(path + ".csv", experiment_csv(result));
    write_reports(experiment_page(std::span(&result, 1), {}, options, origin_of(settings)), {path + ".html"});
  }
  print(settings.json ? printable_json(experiment_json(result), 2) + "\n" : experiment_text(result));
  return result;
}

/// Every experiment with its data; the page and the error at the end list the others.
void run_all(const ExperimentArguments& arguments, const ExperimentOptions& options, const Settings& settings,
             const StopRequest& stop) {
  std::vector<ExperimentResult> results;
  std::vector<std::string> skipped;
  std::string names;
  for (const CatalogEntry& entry : experiment_catalog()) {
    try {
      results.push_back(run_one(std::string(entry.name), arguments, options, settings, stop));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::io) throw;
      skipped.push_back(fmt::format("{}: {}", entry.name, error.what()));
      names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name);
      warn(settings, skipped.back());
    }
  }
  std::vector<std::string> reports = arguments.reports;
  if (!arguments.out.empty()) reports.push_back(arguments.out + "/all.html");
  if (!results.empty()) write_reports(experiment_page(results, skipped, options, origin_of(settings)), reports);
  if (!skipped.empty())
    throw Error(ErrorCode::io, fmt::format("{} of {} experiments lack their data: {}", skipped.size(),
                                           experiment_catalog().size(), names));
}

/// Before the data is looked for.
void check_name(const std::string& name) {
  std::vector<CatalogEntry> known(experiment_catalog().begin(), experiment_catalog().end());
  known.push_back({.name = "all", .usage = "all", .help = "every one"});
  if (name.empty())
    throw Error(ErrorCode::bad_option,
                fmt::format("NAME is missing; expected one of these\n{}", catalog_text("Experiments", known)));
  if (std::none_of(known.begin(), known.end(), [&](const CatalogEntry& entry) { return entry.name == name; }))
    throw_unknown_name("experiment", name, known);
}

void run_experiments(const ExperimentArguments& arguments, const Settings& settings) {
  check_name(arguments.name);
  const ExperimentOptions options = experiment_options(arguments, settings);
  check_report_files(arguments.reports);
  const StopRequest stop;
  if (arguments.name == "all") return run_all(arguments, options, settings, stop);
  const ExperimentResult result = run_one(arguments.name, arguments, options, settings, stop);
  write_reports(experiment_page(std::span(&result, 1), {}, options, origin_of(settings)), arguments.reports);
}

}  // namespace

Action declare_lab_experiment(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ExperimentArguments>();
  const OptionGroup options(app, "Options");
  app.add_option("NAME", arguments->name, "name of the experiment; see below");
  options.add("--data-dir", arguments->data, "DIR", "folder of data sets (DORM_DATA)");
  written_in(
      options.add("--out", arguments->out, "DIR", "folder for finished results, NAME.html, NAME.md and NAME.csv"),
      "all.html");
  add_report_option(app, arguments->reports, "page with tables, tests and plots, beside NAME.html", "Options");
  options.flag("--download", arguments->download, "fetch missing files that are published, and check their SHA-256");
  options.add("--mirror", arguments->mirror, "URL", "fetch from this address instead of the publisher");
  options.add("--choose", arguments->choose, "NAME", "choice of the candidate, as in dorm compare (best)");
  options.number("--seed", arguments->seed, whole_from(0), "S", "of samples and solvers (1)");
  app.description(kExperimentDescription);
  app.footer(fmt::format("{}\n{}", kExperimentExamples, catalog_text("Experiments", experiment_catalog())));
  return [arguments, &settings] { run_experiments(*arguments, settings); };
}

}  // namespace dorm::cli
