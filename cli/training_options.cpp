// SPDX-License-Identifier: Apache-2.0
#include "training_options.h"

#include <fmt/format.h>

#include <charconv>

#include "dorm/error.h"
#include "dorm/oracle.h"
#include "help.h"
#include "output.h"
#include "report_files.h"
#include "usage.h"

namespace dorm::cli {
namespace {

/// "1.5G", "800MB", "2GiB", "1000000": bytes.
std::uint64_t parse_bytes(const char* option, const std::string& text) {
  constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                            {"B", 1},
                                                            {"K", 1e3},
                                                            {"KB", 1e3},
                                                            {"M", 1e6},
                                                            {"MB", 1e6},
                                                            {"G", 1e9},
                                                            {"GB", 1e9},
                                                            {"T", 1e12},
                                                            {"TB", 1e12},
                                                            {"KIB", 1024},
                                                            {"MIB", 1048576.0},
                                                            {"GIB", 1073741824.0},
                                                            {"TIB", 1099511627776.0}};
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  for (const auto& [name, factor] : kUnits)
    if (code == std::errc{} && unit == name && number > 0 && number * factor < 1e18)
      return static_cast<std::uint64_t>(number * factor);
  throw Error(ErrorCode::bad_option,
              fmt::format("{} is \"{}\"; expected a size such as 800M, 1.5G or 2GiB", option, text));
}

void add_problem_options(CLI::App& app, TrainOptions& options) {
  const auto text = [&app](const char* name, std::string& value, const std::string& help) {
    app.add_option(name, value, fmt::format("{} ({})", help, value))->option_text("NAME")->group("Learning problem");
  };
  text("--measure", options.measure, "what to train for");
  text("--convention", options.convention, "whose definition of the measure");
  app.add_option("-C", options.C, fmt::format("weight of the loss against 1/2 |w|^2 ({})", options.C))
      ->option_text("X")
      ->group("Learning problem");
  app.add_flag("--c-paper", options.paper_C, "C of the paper: multiplies the sum over queries, features as they are")
      ->group("Learning problem");
  text("--decay", options.decay, "position weights of the ranking's score; see below");
  text("--bound", options.bound, "reference ranking of the bound; see below");
  text("--start", options.start, "where the rounds of best and predicted begin; see below");
  app.add_option("--rounds", options.rounds,
                 "rounds of best and predicted; 0: 1 for best, 4 from\nhealth 0.5 on; 4 or 8 for predicted (0)")
      ->option_text("N")
      ->group("Learning problem");
  text("--scale", options.scale, "scaling of the features; auto or see below");
}

void add_kernel_options(CLI::App& app, TrainingArguments& arguments) {
  TrainOptions& options = arguments.options;
  const auto add = [&app](const char* name, std::string& value, const char* shown, const char* help) {
    app.add_option(name, value, help)->option_text(shown)->group("Kernel");
  };
  add("--kernel", options.kernel, "SPEC",
      "learn in the space of a kernel, such as rbf:gamma=median;\nsee below (none)");
  add("--approx", options.approximation, "SPEC",
      "features that stand for the kernel, such as nystroem:1000;\nsee below (none)");
  add("--cache", arguments.cache, "SIZE", "memory for rows of the Gram matrix, without --approx (2GB)");
}

void add_solver_options(CLI::App& app, TrainingArguments& arguments) {
  TrainOptions& options = arguments.options;
  const auto add = [&app](const char* name, auto& value, const char* shown, const std::string& help) {
    app.add_option(name, value, help)->option_text(shown)->group("Solving");
  };
  std::string names;
  for (const CatalogEntry& solver : solver_catalog())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", solver.name);
  add("--solver", options.solver, "NAME", fmt::format("{} ({})", names, options.solver));
  add("--tolerance", options.tolerance, "X", fmt::format("relative duality gap to reach ({})", options.tolerance));
  add("--passes", options.max_passes, "N",
      fmt::format("most passes over the data in a round ({})", options.max_passes));
  add("--time-limit", options.seconds, "S", "seconds after which the best model so far is kept; 0: none (0)");
  add("--seed", options.seed, "N", fmt::format("of the order of queries and of folds ({})", options.seed));
  add("--memory", arguments.memory, "SIZE", "limit such as 800M or 2GiB; fewer planes are kept to stay below");
}

}  // namespace

void add_training_options(CLI::App& app, TrainingArguments& arguments) {
  app.add_option("DATA", arguments.data, "judged documents to train on: LETOR, CSV, TSV or .dorm");
  app.add_option("--model", arguments.model, "where to write the model; - is standard output")
      ->option_text("FILE")
      ->group("Files");
  app.add_option("--valid", arguments.valid, "judged documents to choose by, never trained on")
      ->option_text("DATA")
      ->group("Files");
  app.add_option("--weights", arguments.weights, "weights of the queries of DATA, one per line in order of\nappearance")
      ->option_text("FILE")
      ->group("Files");
  add_report_option(app, arguments.reports, "page about the model and its training", "Files");
  add_problem_options(app, arguments.options);
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Learning problem",
                     "at most one document (or k) of each group in the list: group,\nhost, domain or a CSV "
                     "column (docs/diversity.md)");
  add_kernel_options(app, arguments);
  add_solver_options(app, arguments);
}

void check_training_arguments(const TrainingArguments& arguments) {
  require_option(!arguments.data.empty(), "DATA", "expected judged documents to train on");
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
  arguments.options.validate();
  if (!arguments.memory.empty()) parse_bytes("--memory", arguments.memory);
  if (!arguments.cache.empty()) parse_bytes("--cache", arguments.cache);
  require_folder(arguments.model);
  check_report_files(arguments.reports);
}

TrainingData load_training_data(const TrainingArguments& arguments, const Settings& settings) {
  Loaded loaded = load(arguments.data, arguments.input, settings);
  TrainingData data{std::move(loaded.data), std::nullopt, loaded.format == "binary"};
  if (!arguments.weights.empty()) data.train = with_query_weights(data.train, read_scores(arguments.weights));
  if (!arguments.valid.empty()) data.valid = load(arguments.valid, arguments.input, settings).data;
  return data;
}

MemoryForecast plan_memory(const TrainingArguments& arguments, const TrainingData& data, const Settings& settings,
                           std::size_t copies, TrainOptions& options) {
  const ScalingKind kind = options.scale == "auto" ? choose_scaling(data.train) : parse_scaling(options.scale);
  options.scale = name_of(kind);
  MemoryInput input = memory_input(data.train, kind, data.mapped);
  if (!arguments.cache.empty()) options.cache_bytes = parse_bytes("--cache", arguments.cache);
  options.validate();
  KernelOptions kernel(options);
  kernel.cache_bytes /= copies;
  add_kernel(input, kernel, data.valid ? data.valid->num_documents() : 0);
  input.copies = copies;
  MemoryForecast forecast = predict_memory(input);
  if (!arguments.memory.empty()) {
    limit_memory(forecast, parse_bytes("--memory", arguments.memory));
    options.plane_bytes = std::max<std::uint64_t>(1, forecast.planes / copies);
  }
  if (!settings.quiet)
    fmt::print(stderr, "dorm: memory: about {} (features {}, scaled copy {}, {}queries {}, planes up to {})\n",
               bytes_text(forecast.total()),
               data.mapped ? bytes_text(forecast.mapped) + " mapped, not counted" : bytes_text(forecast.features),
               bytes_text(forecast.scaled_copy),
               forecast.kernel > 0 ? fmt::format("kernel {}, ", bytes_text(forecast.kernel)) : "",
               bytes_text(forecast.queries), bytes_text(forecast.planes));
  return forecast;
}

std::string training_footer(const std::string& examples) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", examples, catalog_text("Bounds", bound_choices()),
                     catalog_text("Starts", start_catalog()), catalog_text("Decays", decay_catalog()),
                     catalog_text("Scalings", scaling_catalog()),
                     catalog_text("Kernels, joined by * and +", kernel_catalog()),
                     catalog_text("Approximations", approximation_catalog()));
}

}  // namespace dorm::cli
