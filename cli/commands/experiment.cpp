// SPDX-License-Identifier: Apache-2.0
// `dorm experiment`: the paper's tables and figures from one command.
#include "dorm/experiment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "comparison_view.h"
#include "dorm/error.h"
#include "download.h"
#include "grid.h"
#include "help.h"
#include "input.h"
#include "output.h"
#include "stop.h"
#include "usage.h"

namespace dorm::cli {
namespace {

constexpr const char* kDescription =
    "Repeat an experiment of the paper; NAME `all` runs every one.\n"
    "\n"
    "Data is found by name in --data-dir, or in the folder that DORM_DATA names: mq2008/S1.txt ...,\n"
    "mq2007-sample/S1.txt ..., uci/pendigits.tra ...; plain, .gz or .zst. What is missing is named, with "
    "the\n"
    "place where it is published. With --out finished cells are kept and a stopped run goes on; NAME.md and\n"
    "NAME.csv are written there.";

constexpr const char* kExamples =
    "Examples:\n"
    "  dorm experiment uci-table --data-dir data --out results\n"
    "  DORM_DATA=data dorm experiment all --out results\n";

struct ExperimentArguments {
  std::string name, data, out, mirror, choose = "best";
  bool download = false;
  std::uint64_t seed = 1;
};

ExperimentOptions experiment_options(const ExperimentArguments& arguments, const Settings& settings) {
  const char* environment = std::getenv("DORM_DATA");
  ExperimentOptions options;
  options.data_directory = !arguments.data.empty() ? arguments.data : environment ? environment : "";
  if (options.data_directory.empty())
    throw Error(
        ErrorCode::bad_option,
        "no folder of data; expected --data-dir DIR, or its name in the environment variable DORM_DATA");
  options.directory = arguments.out;
  options.threads = settings.threads;
  options.seed = arguments.seed;
  options.choice = parse_choice(arguments.choose);
  return options;
}

/// Fetches what has an address; what has none is complained about by the experiment itself.
void fetch_missing(const std::string& name, const ExperimentArguments& arguments,
                   const ExperimentOptions& options, const Settings& settings) {
  for (const DataFile& file : missing_data(name, options.data_directory)) {
    if (file.url.empty()) continue;
    const std::string url =
        arguments.mirror.empty() ? file.url : arguments.mirror + file.url.substr(file.url.rfind('/'));
    if (!settings.quiet) fmt::print(stderr, "dorm: fetching {}\n", url);
    download(url, file.path, file.sha256);
  }
}

std::string result_page(const ExperimentResult& result) {
  std::string page = fmt::format("{}: {}\n", result.name, result.title);
  for (const TextTable& table : result.tables) {
    std::vector<std::vector<std::string>> lines = {table.columns};
    lines.insert(lines.end(), table.rows.begin(), table.rows.end());
    page += fmt::format("\n{}\n{}", table.caption, aligned(lines));
  }
  return page;
}

nlohmann::ordered_json result_json(const ExperimentResult& result) {
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const TextTable& table : result.tables)
    tables.push_back({{"caption", table.caption}, {"columns", table.columns}, {"rows", table.rows}});
  return {{"name", result.name}, {"title", result.title}, {"remarks", result.remarks}, {"tables", tables}};
}

void run_one(const std::string& name, const ExperimentArguments& arguments, const ExperimentOptions& options,
             const Settings& settings, const StopRequest& stop) {
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
    warn(settings, arguments.out.empty()
                       ? "interrupted; nothing is kept without --out"
                       : "interrupted; the same command goes on from the cells that are done");
    throw Stopped{stop.signal()};
  }
  if (!arguments.out.empty()) {
    std::filesystem::create_directories(arguments.out);
    write_text(fmt::format("{}/{}.md", arguments.out, name), experiment_markdown(result));
    write_text(fmt::format("{}/{}.csv", arguments.out, name), experiment_csv(result));
  }
  print(settings.json ? result_json(result).dump(2) + "\n" : result_page(result));
}

void run_experiments(const ExperimentArguments& arguments, const Settings& settings) {
  require_option(!arguments.name.empty(), "NAME", "expected an experiment, or all");
  const ExperimentOptions options = experiment_options(arguments, settings);
  const StopRequest stop;
  if (arguments.name != "all") return run_one(arguments.name, arguments, options, settings, stop);
  for (const CatalogEntry& entry : experiment_catalog())
    run_one(std::string(entry.name), arguments, options, settings, stop);
}

}  // namespace

Action declare_experiment(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ExperimentArguments>();
  app.add_option("NAME", arguments->name, "which one; see below")->option_text("NAME");
  app.add_option("--data-dir", arguments->data, "folder of data sets (DORM_DATA)")->option_text("DIR");
  app.add_option("--out", arguments->out, "folder for finished cells, NAME.md and NAME.csv")
      ->option_text("DIR");
  app.add_flag("--download", arguments->download,
               "fetch missing files that have a plain address, and check their SHA-256");
  app.add_option("--mirror", arguments->mirror, "fetch from this address instead of the publisher's")
      ->option_text("URL");
  app.add_option("--choose", arguments->choose, "candidate by validation, as in dorm compare (best)")
      ->option_text("NAME");
  app.add_option("--seed", arguments->seed, "of samples and solvers (1)")->option_text("S");
  app.description(kDescription);
  app.footer(fmt::format("{}\n{}", kExamples, catalog_page("Experiments", experiment_catalog())));
  return [arguments, &settings] { run_experiments(*arguments, settings); };
}

}  // namespace dorm::cli
