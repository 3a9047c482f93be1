// SPDX-License-Identifier: Apache-2.0
#include "training_options.h"

#include <fmt/format.h>

#include "dorm/error.h"
#include "dorm/oracle.h"
#include "help.h"
#include "learning/train/scaling_choice.h"
#include "option_defaults.h"
#include "option_group.h"
#include "output.h"
#include "rankers.h"
#include "report_files.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

std::string default_text(const TrainOption& option) {
  const OptionValue value = option.get(TrainOptions());
  if (std::string_view(option.value) == "SIZE") return bytes_text(std::get<std::uint64_t>(value));
  return std::visit([](const auto& x) { return fmt::format("{}", x); }, value);
}

void add_option_of(CLI::App& app, const TrainOption& option, TrainOptions& options) {
  const std::string name =
      option.command[1] == '\0' ? fmt::format("-{0},--{0}", option.command) : fmt::format("--{}", option.command);
  const OptionValue initial = option.get(options);
  if (std::holds_alternative<bool>(initial)) {
    app.add_flag_function(
           name, [&](std::int64_t) { option.set(options, true); }, option.help)
        ->group(option.group);
    return;
  }
  const std::string otherwise = default_text(option);
  const std::string help = otherwise.empty() ? option.help : fmt::format("{} ({})", option.help, otherwise);
  const OptionGroup group(app, option.group);
  if (std::string_view(option.value) == "SIZE") {
    app.add_option_function<std::string>(
           name, [&options, &option, name](const std::string& text) { option.set(options, parse_bytes(name, text)); },
           help)
        ->option_text(option.value)
        ->group(option.group);
  } else if (std::holds_alternative<double>(initial)) {
    group.number_function<double>(
        name, [&](double x) { option.set(options, x); }, option.range, option.value, help);
  } else if (std::holds_alternative<std::uint64_t>(initial)) {
    group.number_function<std::uint64_t>(
        name, [&](std::uint64_t x) { option.set(options, x); }, option.range, option.value, help);
  } else {
    app.add_option_function<std::string>(
           name, [&](const std::string& x) { option.set(options, x); }, help)
        ->option_text(option.value)
        ->group(option.group);
  }
}

/// Those of the catalog that have a name on the command line, in this group.
void add_group(CLI::App& app, std::string_view group, TrainOptions& options) {
  for (const TrainOption& option : train_option_catalog())
    if (option.group == group && option.command[0] != '\0') add_option_of(app, option, options);
}

}  // namespace

void add_training_options(CLI::App& app, TrainingArguments& arguments) {
  app.add_option("DATA", arguments.data,
                 "judged documents to train on: LETOR, CSV, TSV or .dorm; a folder or\nquoted pattern of .dorm files");
  written(app.add_option("--model", arguments.model, "where to write the model; - is standard output"))
      ->option_text("FILE")
      ->group("Files");
  app.add_option("--valid", arguments.valid, "judged documents to choose by, never trained on")
      ->option_text("DATA")
      ->group("Files");
  app.add_option("--weights", arguments.weights, "weights of the queries of DATA, one per line in order of\nappearance")
      ->option_text("FILE")
      ->group("Files");
  TrainOptions& options = arguments.options;
  written(
      app.add_option("--checkpoint", options.checkpoint, "file to save progress to, and to go on from when it exists"))
      ->option_text("FILE")
      ->group("Files");
  OptionGroup(app, "Files")
      .number("--checkpoint-interval", options.checkpoint_seconds, number_from(0), "S",
              fmt::format("seconds between saves; 0: at every evaluation ({})", options.checkpoint_seconds));
  add_report_option(app, arguments.reports, "page about the model and its training", "Files");
  OptionGroup(app, "Files")
      .add(kLikeOption, arguments.like, "MODEL", "the options that this model was trained with; those given here win");
  app.add_option("--baseline", arguments.baseline,
                 "what is in production, for the page to judge the model against, on the\nvalidation data (else the "
                 "training data): a model, a TREC run, a file of\nscores, or feature:NAME")
      ->option_text("[NAME=]FILE")
      ->group("Files");
  add_group(app, "Learning problem", arguments.options);
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Learning problem",
                     "at most one document (or k) of each group in the list: group,\nhost, domain or a CSV "
                     "column (docs/diversity.md)");
  add_group(app, "Kernel", arguments.options);
  add_group(app, "Solving", arguments.options);
  app.add_option("--memory", arguments.memory, "limit such as 800M or 2GiB; fewer planes are kept to stay below")
      ->option_text("SIZE")
      ->group("Solving");
}

void check_training_arguments(const TrainingArguments& arguments) {
  require_option(!arguments.data.empty(), "DATA", "expected judged documents to train on");
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
  arguments.options.validate();
  if (!arguments.memory.empty()) parse_bytes("--memory", arguments.memory);
  check_report_files(arguments.reports);
  if (!arguments.baseline.empty()) {
    require_option(!arguments.reports.empty(), "--report FILE", "--baseline is judged on a page");
    load_ranker(arguments.baseline);
  }
}

TrainingData load_training_data(const TrainingArguments& arguments, const Settings& settings) {
  Loaded loaded = load(arguments.data, arguments.input, settings);
  TrainingData data{std::move(loaded.data), std::nullopt, loaded.format == "binary"};
  warn_of_leaks(data.train, arguments.data, settings);
  if (!arguments.weights.empty()) data.train = with_query_weights(data.train, read_scores(arguments.weights));
  if (!arguments.valid.empty())
    data.valid = load(arguments.valid, arguments.input, settings, {.like = &data.train.input()}).data;
  return data;
}

namespace {

/// Under one kernel.
MemoryForecast forecast_of(const TrainingData& data, const MemoryPlan& plan, const TrainOptions& options,
                           const std::string& kernel_spec) {
  MemoryInput input = memory_input(data.train, parse_scaling(options.scale), data.mapped);
  KernelOptions kernel(options);
  kernel.spec = kernel_spec;
  input.copies = std::max<std::size_t>(1, plan.folds);
  input.running = plan.running;
  input.plane_sets = plan.plane_sets;
  input.planes_per_block = options.solve.planes_per_block;
  kernel.cache_bytes /= input.copies;
  if (plan.plane_parts > 1) input.plane_length = plan.plane_parts * input.features;
  std::uint64_t judged = data.valid ? data.valid->num_documents() : 0;
  input.validation = judged;
  if (plan.folds > 0) {
    judged = input.documents / plan.folds + 1;
    input.learnable = input.learnable * (plan.folds - 1) / plan.folds + 1;
  }
  const std::uint64_t queries = data.valid ? data.valid->num_queries() : input.queries;
  input.kept =
      plan.cells * (input.copies * num_weights(input, kernel) + queries) * sizeof(double) * plan.copies_of_cells;
  add_kernel(input, kernel, judged);
  return predict_memory(input);
}

}  // namespace

MemoryForecast plan_memory(const TrainingArguments& arguments, const TrainingData& data, const Settings& settings,
                           const MemoryPlan& plan, TrainOptions& options) {
  if (options.scale == "auto" && options.kernel == "precomputed") options.scale = "none";  // it is taken as it is
  const ScalingKind kind = ScalingChoice(options.scale, options.target).settle([&] {
    return choose_scaling(data.train, settings.threads) == ScalingKind::none;
  });
  if (options.scale == "auto" && options.target.empty() && Scaling{kind, {}, {}}.per_query() && !settings.quiet)
    say(fmt::format(
        "dorm: note: scaling {} works within each query, so that a document's score depends on its list and "
        "no search engine can apply it; --for ENGINE chooses one that it can\n",
        name_of(kind)));
  options.scale = name_of(kind);
  MemoryForecast forecast = forecast_of(data, plan, options, options.kernel);
  for (std::size_t k = 0; k < plan.kernels.size(); ++k)  // one after the other; the largest counts
    if (const MemoryForecast each = forecast_of(data, plan, options, plan.kernels[k]);
        k == 0 || each.total() > forecast.total())
      forecast = each;
  if (!arguments.memory.empty()) {
    limit_memory(forecast, parse_bytes("--memory", arguments.memory));
    options.solve.plane_bytes = std::max<std::uint64_t>(1, forecast.planes / (plan.running * plan.plane_sets));
    const std::uint64_t trained = data.train.num_documents(), judged = data.valid ? data.valid->num_documents() : 0;
    const double share =
        static_cast<double>(trained) / static_cast<double>(std::max<std::size_t>(1, plan.folds) * trained + judged);
    options.scaled_bytes = 1 + static_cast<std::uint64_t>(static_cast<double>(forecast.scaled) * share);
  }
  if (!settings.quiet)
    say(fmt::format("dorm: memory: about {} (features {}, scaled features {}, {}{}queries {}, planes up to {})\n",
                    bytes_text(forecast.total()),
                    data.mapped ? bytes_text(forecast.mapped) + " mapped, not counted" : bytes_text(forecast.features),
                    bytes_text(forecast.scaled),
                    forecast.kernel > 0 ? fmt::format("kernel {}, ", bytes_text(forecast.kernel)) : "",
                    forecast.kept > 0 ? fmt::format("cells {}, ", bytes_text(forecast.kept)) : "",
                    bytes_text(forecast.queries), bytes_text(forecast.planes)));
  return forecast;
}

pages::TrainingReportData training_report_data(const TrainingArguments& arguments, const TrainingData& data,
                                               const TrainResult& result, const pages::TrainingTrace& trace,
                                               bool interrupted, const Settings& settings, const std::string& reason) {
  std::optional<pages::TrainingReportData::Baseline> baseline;
  if (!arguments.baseline.empty()) {
    const Ranker ranker = load_ranker(arguments.baseline);
    const Dataset& judged = data.valid ? *data.valid : data.train;
    baseline = {ranker.name, about_file(ranker.file, [&] { return scores_of(ranker, judged, false, settings); })};
  }
  return {.train = data.train,
          .valid = data.validation(),
          .result = result,
          .trace = trace,
          .train_name = arguments.data,
          .valid_name = arguments.valid,
          .model_name = arguments.model,
          .interrupted = interrupted,
          .reason = reason,
          .baseline = std::move(baseline)};
}

std::string how_to_go_on(const std::string& checkpoint) {
  if (checkpoint.empty()) return "with --checkpoint FILE the same command would go on from here";
  return fmt::format("the same command goes on from {}", checkpoint);
}

std::string training_footer(const std::string& examples) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", examples, catalog_text("Bounds", bound_choices()),
                     catalog_text("Starts", start_catalog()), catalog_text("Decays", decay_catalog()),
                     catalog_text("Scalings", scaling_catalog()), catalog_text("Targets", target_choices()),
                     catalog_text("Solvers", solver_catalog()),
                     catalog_text("Kernels, joined by * and +", kernel_catalog()),
                     catalog_text("Approximations", approximation_catalog()));
}

}  // namespace dorm::cli
