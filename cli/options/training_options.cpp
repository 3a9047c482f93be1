// SPDX-License-Identifier: Apache-2.0
#include "options/training_options.h"

#include <fmt/format.h>

#include <filesystem>

#include "command_line.h"
#include "dorm/data/prepare.h"
#include "dorm/data/split.h"
#include "dorm/error.h"
#include "dorm/oracle.h"
#include "input/rankers.h"
#include "options/declared_options.h"
#include "options/option_defaults.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/written_files.h"
#include "run/output.h"
#include "text/help.h"

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

void add_training_options(CLI::App& app, TrainingArguments& arguments, const std::string& initial) {
  written(app.add_option("--model", arguments.model, "where to write the model; - is standard output"))
      ->option_text("FILE")
      ->group("Files");
  app.add_option("--valid", arguments.valid, "validation data: judged documents that choose among candidates")
      ->option_text("DATA")
      ->group("Files");
  app.add_option("--weights", arguments.weights, "weights of the queries of DATA, one per line")
      ->option_text("FILE")
      ->group("Files");
  TrainOptions& options = arguments.options;
  written(app.add_option("--checkpoint", options.checkpoint,
                         "file to save the state of the training to, and to resume from"))
      ->option_text("FILE")
      ->group("Files");
  OptionGroup(app, "Files")
      .number("--checkpoint-interval", options.checkpoint_seconds, number_from(0), "S",
              fmt::format("seconds between checkpoints; 0: at every evaluation ({})", options.checkpoint_seconds));
  add_report_option(app, arguments.reports, "page about the model and its training", "Files");
  OptionGroup(app, "Files")
      .add(kLikeOption, arguments.like, "MODEL", "take the options that this model was trained with, unless given");
  app.add_option("--baseline", arguments.baseline,
                 "ranker to compare the model with where the model is evaluated: a model,\na TREC run, a file of "
                 "scores, or feature:NAME")
      ->option_text("[NAME=]FILE")
      ->group("Files");
  OptionGroup(app, "Files")
      .flag("--complete", arguments.complete,
            "--baseline may be a run that lacks documents: they count as not\nretrieved, and others as label 0");
  add_group(app, "Learning problem", arguments.options);
  OptionGroup(app, "Learning problem").add("--initial", arguments.initial, "NAME", initial);
  add_one_per_option(app, arguments.options.one_per, arguments.input, "Learning problem",
                     "at most one document (or k) of each group in a list: group,\nhost, domain or a CSV "
                     "column (docs/diversity.md)");
  OptionGroup(app, "Learning problem")
      .number("--at-most", arguments.few.budget, number_above(0), "N",
              "choose N features, and learn from these alone (docs/few-features.md);\nwith --feature-costs: those that "
              "cost N together");
  OptionGroup(app, "Learning problem")
      .add("--feature-costs", arguments.feature_costs, "FILE",
           "CSV feature,cost: what features cost to compute; others cost 1");
  add_group(app, "Kernel", arguments.options);
  add_group(app, "Solving", arguments.options);
}

void add_lightgbm_option(CLI::App& app, std::string& file) {
  OptionGroup(app, "Files")
      .add("--lightgbm", file, "FILE", "LightGBM's library lib_lightgbm.so (that of pip install lightgbm)");
}

void make_training_expert(CLI::App& app) {
  make_expert(app, {"--checkpoint-interval",
                    "--at-most",
                    "--feature-costs",
                    "--lightgbm",
                    "--weights",
                    "--complete",
                    "--c-paper",
                    "--given-ties",
                    "--rounds",
                    "--non-negative",
                    "--decreasing",
                    "--increasing",
                    "--epsilon",
                    "--planes",
                    "--passes",
                    "--shards",
                    "--one-function",
                    "--valid-lists",
                    "--list-seconds",
                    "--unjudged",
                    "--missing",
                    "--encode",
                    "--document-column",
                    "--group-column",
                    "--weight-column",
                    "--query-text-column",
                    "--title-column",
                    "--url-column",
                    "--query-ids",
                    "--no-side-files"});
}

void settle_initial(TrainingArguments& arguments) {
  if (arguments.initial.empty() || std::filesystem::exists(arguments.initial)) return;
  arguments.options.start = parse_initial_model(arguments.initial);
  if (!arguments.options.start) arguments.initial.clear();  // auto
}

std::optional<Model> initial_model(const TrainingArguments& arguments) {
  if (arguments.initial.empty() || arguments.options.start) return std::nullopt;
  return load_model(arguments.initial);
}

void check_training_arguments(const TrainingArguments& arguments) {
  require_option(!arguments.data.empty(), "DATA", "expected judged documents to train on");
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
  arguments.options.validate();
  check_report_files(arguments.reports);
  if (!arguments.feature_costs.empty())
    require_option(arguments.few.budget > 0, "--at-most N", "--feature-costs is about its features");
  if (!arguments.baseline.empty()) load_ranker(arguments.baseline);
  if (arguments.complete)
    require_option(!arguments.baseline.empty(), "--baseline FILE", "--complete is about the run it names");
}

namespace {

/// Before the training, so that what is wrong with it is known at once. Of a file of scores or a run, the rows are
/// those of all data.
pages::TrainingReportData::Baseline load_baseline(const TrainingArguments& arguments, const TrainingData& data,
                                                  const Dataset& all, const QuerySplit& split,
                                                  const Settings& settings) {
  const Ranker ranker = load_ranker(arguments.baseline);
  const Dataset& judged = data.test ? all : data.valid ? *data.valid : data.train;
  std::vector<double> scores =
      about_file(ranker.file, [&] { return scores_of(ranker, judged, arguments.complete, settings); });
  if (data.test) scores = values_of_queries(all, scores, split.test);
  const auto* run = std::get_if<std::vector<RunEntry>>(&ranker.what);
  return {ranker.name, std::move(scores), run && arguments.complete ? *run : std::vector<RunEntry>()};
}

}  // namespace

TrainingData load_training_data(const TrainingArguments& arguments, const Settings& settings, TestedFigure* held_out) {
  Loaded loaded = load(arguments.data, arguments.input, settings);
  TrainingData data{std::move(loaded.data), std::nullopt};
  warn_of_leaks(data.train, arguments.data, settings);
  if (!arguments.weights.empty()) data.train = with_query_weights(data.train, read_scores(arguments.weights));
  const Dataset all = data.train;
  QuerySplit split;
  if (held_out) {
    split = split_queries(all, {.test = held_out->share, .seed = held_out->seed});
    held_out->fingerprint = all.fingerprint(settings.threads);
    data.test = all.select(split.test);
    data.train = all.select(split.train);
  }
  if (!arguments.valid.empty())
    data.valid = load(arguments.valid, arguments.input, settings, {.like = &data.train.input()}).data;
  const Dataset& judged = data.test ? *data.test : data.valid ? *data.valid : data.train;
  if (!arguments.reports.empty())
    data.texts = load_texts(data.valid && !data.test ? arguments.valid : arguments.data, arguments.input, judged);
  if (!arguments.baseline.empty()) data.baseline = load_baseline(arguments, data, all, split, settings);
  return data;
}

void settle_scaling(const TrainingData& data, const Settings& settings, TrainOptions& options) {
  const bool chosen = options.scale == "auto" && options.target.empty() && options.kernel != "precomputed";
  const ScalingKind kind = dorm::settle_scaling(data.train, options);
  if (chosen && Scaling{kind, {}, {}}.per_query() && !settings.quiet)
    say(fmt::format(
        "dorm: note: scaling {} works within each query, so that a document's score depends on its list and "
        "no search engine can apply it; --for ENGINE chooses one that it can\n",
        name_of(kind)));
  options.scale = name_of(kind);
}

void say_memory(const MemoryForecast& forecast, const Settings& settings) {
  if (settings.quiet) return;
  say(fmt::format(
      "dorm: memory: about {} (features {}, scaled features {}, {}{}queries {}, planes up to {})\n",
      bytes_text(forecast.total()),
      forecast.mapped > 0 ? bytes_text(forecast.mapped) + " mapped, not counted" : bytes_text(forecast.features),
      bytes_text(forecast.scaled), forecast.kernel > 0 ? fmt::format("kernel {}, ", bytes_text(forecast.kernel)) : "",
      forecast.kept > 0 ? fmt::format("grid points {}, ", bytes_text(forecast.kept)) : "", bytes_text(forecast.queries),
      bytes_text(forecast.planes)));
}

pages::TrainingReportData training_report_data(const TrainingArguments& arguments, const TrainingData& data,
                                               const TrainResult& result, const pages::TrainingTrace& trace,
                                               bool interrupted, const std::string& reason,
                                               const std::string& measure) {
  return {.train = data.train,
          .valid = data.validation(),
          .test = data.test ? &*data.test : nullptr,
          .result = result,
          .trace = trace,
          .train_name = arguments.data,
          .valid_name = arguments.valid,
          .model_name = arguments.model,
          .interrupted = interrupted,
          .reason = reason,
          .measure = measure,
          .baseline = data.baseline,
          .texts = &data.texts,
          .few = data.few ? &*data.few : nullptr};
}

std::string how_to_resume(const std::string& checkpoint) {
  if (checkpoint.empty()) return "with --checkpoint FILE the same command can resume";
  return fmt::format("the same command resumes from {}", checkpoint);
}

std::string training_footer(const std::string& examples) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", examples, catalog_text("Bounds", bound_choices()),
                     catalog_text("Initial models", initial_model_catalog()), catalog_text("Decays", decay_catalog()),
                     catalog_text("Scalings", scaling_catalog()), catalog_text("Targets", target_choices()),
                     catalog_text("Solvers", solver_catalog()),
                     catalog_text("Kernels, joined by * and +", kernel_catalog()),
                     catalog_text("Approximations", approximation_catalog()));
}

}  // namespace dorm::cli
