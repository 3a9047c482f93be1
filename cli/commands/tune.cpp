// SPDX-License-Identifier: Apache-2.0
// `dorm tune`: judge rankers on data not trained on, and deliver an average of the good ones.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "command.h"
#include "device/row_device.h"
#include "dorm/error.h"
#include "grid.h"
#include "list_options.h"
#include "option_group.h"
#include "output.h"
#include "report/pages/words.h"
#include "report_files.h"
#include "stop.h"
#include "text/train_text.h"
#include "text/tune_text.h"
#include "training_options.h"
#include "training_view.h"

namespace dorm::cli {
namespace {

constexpr const char* kTuneDescription =
    "Judge many rankers on validation data or by folds over queries, and deliver an average of the good ones.\n"
    "\n"
    "Every cell of the grid is trained and judged by --measure on the validation data, or without --valid "
    "on\n"
    "each of --folds parts of the queries by a model of the others. A cell counts in the average by how far it\n"
    "is behind the best; cells whose bound carries no information do not count. The average of linear rankers\n"
    "is a linear ranker; the model names its parts. The weights that were judged are those delivered: there is\n"
    "no second training, except after folds for kernels and lists.\n"
    "\n"
    "--time-limit is for the whole run but the reading of the data. Cheap rankers are judged first, then bounds,\n"
    "predicted last, kernels in the order of the grid; a cell that is being trained when the time is over, or at\n"
    "Ctrl-C, is not judged. --checkpoint keeps the cells judged: the same command goes on to the same model.";

constexpr const char* kTuneExamples =
    "Grid, --grid AXIS=VALUES,AXIS=VALUES...; axes left out keep their defaults:\n"
    "  C=LOW:HIGH:FACTOR, or C=1/10/100         (10:1e3:10), of the bounds\n"
    "  decay=NAME/NAME                          (measure)\n"
    "  bound=NAME/NAME                          (auto: best and predicted)\n"
    "  ranker=NAME/NAME, or none                (ridge/ridge-gain/pairwise/pairwise-gain; none when bound= is\n"
    "                                           given), cheap rankers beside the bounds\n"
    "  cutoff=N/N                               (that of --measure: train for one, be judged by another)\n"
    "  kernel=none/rbf:gamma=0.1/rbf:gamma=1    (that of --kernel)\n"
    "\n"
    "A larger C is not tried where the last one did no better than the one before, where the bound carries no\n"
    "information (explained risk below 0.02), or where the cell is too far behind the best to have a share. Cells of\n"
    "explained risk below 0.02 are out where there is another. Of several kernels, a later one is taken when it is "
    "ahead\n"
    "by more than one standard error of the paired difference.\n"
    "\n"
    "Choices:\n"
    "  average             the default; a share falls by a factor e for every half standard error of the paired\n"
    "                      difference to the best, and below a twentieth of the largest is none; kernels and\n"
    "                      lists after folds cannot be averaged: steady\n"
    "  steady              of the cells within one standard error of their paired difference to the best: "
    "the\n"
    "                      one nearest to the defaults: bounds before cheap rankers, the first bound, then the\n"
    "                      first decay of the grid, then the smallest C\n"
    "  best                the largest figure\n"
    "  one-standard-error  the smallest C within one standard error of the best\n"
    "\n"
    "Examples:\n"
    "  dorm tune train.txt --valid vali.txt --model m.json\n"
    "  dorm tune train.txt --folds 10 --grid C=1:1e5:10,decay=measure,bound=best --model m.json\n"
    "  dorm tune train.txt --valid vali.txt --measure ndcg@10 --grid cutoff=5/10/20 --model m.json\n";

constexpr const char* kStoppingTune =
    "dorm: stopping: the model is made of the cells judged so far; a second signal ends at once\n";
constexpr const char* kStoppingRefit =
    "dorm: stopping: the best cell so far is trained again on all of the data, since kernels and lists after folds\n"
    "      cannot be averaged; a second signal ends at once, without a model\n";

struct TuneArguments : TrainingArguments {
  ListArguments lists;
  std::string grid, choose = "average";
  std::size_t folds = 0;  // 0: not asked for
};

TuneOptions tune_options(const TuneArguments& arguments, const Settings& settings) {
  TuneOptions options;
  options.train = arguments.options;
  options.train.solve.threads = settings.threads;
  if (!arguments.grid.empty()) parse_grid(arguments.grid, options);
  options.choice = parse_choice(arguments.choose);
  if (arguments.folds > 0 && !arguments.valid.empty())
    throw Error(ErrorCode::bad_option, "--valid and --folds exclude each other; expected one of them");
  if (arguments.folds > 0) options.folds = arguments.folds;
  options.validate();
  return options;
}

/// Cells under one kernel, at most.
std::size_t most_cells(const TuneOptions& options) {
  constexpr std::size_t kStarts = 3;    // of best and predicted, together
  constexpr std::size_t kCheapest = 4;  // values of C of a cheap ranker
  return std::max<std::size_t>(1, options.measures.size()) * options.decays.size() * options.bounds.size() * kStarts *
             options.C.size() +
         options.rankers.size() * kCheapest;
}

/// A path keeps the planes of its first round beside those of the round it is in, and for a checkpoint a third time.
MemoryPlan memory_plan(const TuneArguments& arguments, const TuneOptions& options, const TrainingData& data,
                       std::size_t parts) {
  const bool saved = !options.train.checkpoint.empty();
  return {.plane_parts = parts,
          .folds = data.valid ? 0 : options.folds,
          .running = arguments.lists.given() ? 1 : thread_count(options.train.solve.threads),
          .plane_sets = saved ? 3u : 2u,
          .kernels = options.kernels,
          .cells = most_cells(options),
          .copies_of_cells = saved ? 2u : 1u};
}

/// Whether the winner is trained again on all of the data.
bool refits(const TuneArguments& arguments, const TuneOptions& options) {
  const bool linear =
      options.kernels.empty() ? options.train.kernel == "none" : options.kernels == std::vector<std::string>{"none"};
  return arguments.valid.empty() && (arguments.lists.given() || !linear);
}

struct Tuned {
  TuneResult result;
  std::string model_text, page;  // page: about the lists, if they are not a sort
  pages::TrainingTrace trace;    // of the refit
  std::string judged_on;         // the validation data, or folds
  bool interrupted = false;
};

void write_page(const TuneArguments& arguments, const TuneOptions& options, const TrainingData& data,
                const Tuned& tuned, const Settings& settings) {
  if (arguments.reports.empty()) return;
  const TrainResult refit{tuned.result.model, tuned.result.report};
  const pages::TuningReportData tuning{tuned.result, options, tuned.judged_on,
                                       pages::choice_reason(tuned.result, options.choice)};
  write_reports(pages::tune_page(training_report_data(arguments, data, refit, tuned.trace, tuned.interrupted, settings),
                                 tuning, origin_of(settings)),
                arguments.reports);
}

void write_result(const TuneArguments& arguments, const TuneOptions& options, const TrainingData& data,
                  const Tuned& tuned, const Settings& settings) {
  const TuneResult& result = tuned.result;
  write_text(arguments.model, tuned.model_text);
  if (result.end == TuneEnd::whole && result.report.finished) remove_file(options.train.checkpoint);
  for (const std::string& warning : result.report.warnings) warn(settings, warning);
  if (const std::string end = pages::end_text(result); !end.empty())
    warn(settings, fmt::format("{}; {}", end, how_to_go_on(options.train.checkpoint)));
  write_page(arguments, options, data, tuned, settings);
  if (arguments.model == "-") return;
  const TrainResult trained{result.model, result.report};
  if (!settings.json) {
    print(tune_text(result, options, tuned.judged_on, settings.verbose) +
          (result.refitted ? train_text(trained, arguments.model) : delivered_text(trained, arguments.model)) +
          tuned.page + report_lines(arguments.reports));
    return;
  }
  Json json = tune_json(result, options, tuned.judged_on);
  json["reports"] = arguments.reports;
  json["interrupted"] = tuned.interrupted;
  json["refitted"] = result.refitted;
  json["trained"] = train_json(trained, arguments.model);
  print(printable_json(json, 2) + "\n");
}

void tune_any(const ListArguments& lists, const PositionGainsFile& gains, const TrainingData& data,
              const TuneOptions& options, const TuneObserver& observer, const TrainObserver& refit_observer,
              Tuned& tuned) {
  if (!lists.given()) {
    tuned.result = tune(data.train, options, data.validation(), observer, refit_observer);
    tuned.model_text = to_json(tuned.result.model);
    return;
  }
  TrainedLists found = tune_lists(lists, gains, data, options, observer, refit_observer);
  tuned.result = {std::move(found.tuning), std::move(found.result.model)};
  tuned.model_text = std::move(found.model_text);
  tuned.page = std::move(found.page);
}

void run_tune(const TuneArguments& arguments, const Settings& settings) {
  check_training_arguments(arguments);
  check_list_arguments(arguments.lists, arguments);
  TuneOptions options = tune_options(arguments, settings);
  const WakingDevice waking(options.train.device);  // while data is read
  const TrainingData data = load_training_data(arguments, settings);
  if (!data.valid && options.folds > data.train.num_queries())
    throw Error(ErrorCode::bad_option, fmt::format("--folds is {}, but there are {} queries; expected fewer folds",
                                                   options.folds, data.train.num_queries()));
  const PositionGainsFile gains = load_gains(arguments.lists, data);
  plan_memory(arguments, data, settings, memory_plan(arguments, options, data, plane_parts(arguments.lists, gains)),
              options.train);
  options.train.keep_checkpoint = true;
  const StopRequest stop(settings.quiet ? nullptr : refits(arguments, options) ? kStoppingRefit : kStoppingTune);
  Tuned tuned;
  {
    const std::string measure = judged_by(arguments.lists, options.train);
    TuningView tuning(settings.quiet, measure);
    TrainingView refit(settings.quiet, measure, options.train.solve.tolerance);
    bool told = false;  // that it was resumed
    const TuneObserver judging = [&](const TuneProgress& progress) {
      if (progress.resumed > 0 && !std::exchange(told, true) && !settings.quiet)
        say(fmt::format("dorm: resumed from {}: {} of {} cells\n", options.train.checkpoint, progress.resumed,
                        progress.total));
      tuning.update(progress);
      return stop.signal() == 0;
    };
    std::optional<int> before;  // the signal that ended the judging, after which the refit is wanted all the same
    const TrainObserver refitting = [&](const TrainProgress& progress) {
      if (!before) before = stop.signal();
      refit.update(progress);
      tuned.trace.add(progress);
      return stop.signal() == *before;
    };
    about_file(arguments.data, [&] { tune_any(arguments.lists, gains, data, options, judging, refitting, tuned); });
  }
  const int signal = stop.signal();
  tuned.interrupted = signal != 0;
  options.train.measure = judged_by(arguments.lists, options.train);  // what is printed from here on
  tuned.judged_on = data.valid ? arguments.valid : fmt::format("{} folds", options.folds);
  write_result(arguments, options, data, tuned, settings);
  if (signal != 0) throw Stopped{signal};
}

}  // namespace

Action declare_tune(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<TuneArguments>();
  add_training_options(app, *arguments);
  const auto text = [&app](const char* name, std::string& value, const char* shown, const std::string& help) {
    app.add_option(name, value, help)->option_text(shown)->group("Tuning");
  };
  OptionGroup(app, "Tuning")
      .number("--folds", arguments->folds, whole_from(2), "K",
              "parts of the queries to judge on in turn, without --valid (5)");
  text("--grid", arguments->grid, "GRID", "what to try; see below");
  text("--choose", arguments->choose, "NAME", "average, best, steady or one-standard-error; see below (average)");
  add_list_options(app, arguments->lists);
  add_input_options(app, arguments->input);
  app.description(kTuneDescription);
  app.footer(training_footer(kTuneExamples));
  return [arguments, &settings] { run_tune(*arguments, settings); };
}

}  // namespace dorm::cli
