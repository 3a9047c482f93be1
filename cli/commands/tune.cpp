// SPDX-License-Identifier: Apache-2.0
// `dorm tune`: rankers validated over a grid of options, and an average of the best.
#include "dorm/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "command.h"
#include "device/row_device.h"
#include "dorm/data/split.h"
#include "dorm/error.h"
#include "options/declared_options.h"
#include "options/few_options.h"
#include "options/grid.h"
#include "options/list_options.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/training_options.h"
#include "report/pages/grid_blocks.h"
#include "report/pages/words.h"
#include "run/output.h"
#include "run/stop.h"
#include "run/training_view.h"
#include "text/baseline_text.h"
#include "text/train_text.h"
#include "text/tune_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kTuneDescription =
    "Validate rankers over a grid of options, and deliver an average of the best ones.\n"
    "\n"
    "Every grid point is trained, and validated by --measure on the data of --valid, or without --valid on each\n"
    "of --folds parts of the queries with a model of the other parts. A grid point has a weight in the average\n"
    "by its distance to the best one; grid points whose bound carries no information have none. The average of\n"
    "linear rankers is a linear ranker; the model lists its parts. The delivered weights are the validated\n"
    "ones: nothing is trained again, except kernels and slates after folds.\n"
    "\n"
    "--test SHARE first sets whole queries aside, those that dorm split --test SHARE --seed draws, and\n"
    "evaluates the delivered model on them once. --baseline evaluates what is in production where the model is\n"
    "evaluated: on the test queries, the validation data, or the folds, each held out in turn.\n"
    "\n"
    "--time-limit covers the whole run except the reading of the data. Baselines are validated first, then\n"
    "bounds, predicted last, kernels in the order of the grid; a grid point that is in training when the time\n"
    "is over, or at Ctrl-C, is dropped. --checkpoint saves the validated grid points: the same command resumes\n"
    "to the same model.";

constexpr const char* kTuneExamples =
    "Grid, --grid AXIS=VALUES,AXIS=VALUES...; other axes keep their defaults:\n"
    "  C=LOW:HIGH:FACTOR, or C=1/10/100         (10:1e3:10), of the bounds\n"
    "  decay=NAME/NAME                          (measure)\n"
    "  bound=NAME/NAME                          (auto: best and predicted)\n"
    "  ranker=NAME/NAME, or none                (ridge/ridge-gain/pairwise/pairwise-gain; none with bound=),\n"
    "                                           baselines beside the bounds\n"
    "  cutoff=N/N                               (that of --measure), to train for; --measure validates\n"
    "  kernel=none/rbf:gamma=0.1/rbf:gamma=1    (that of --kernel)\n"
    "  curves=none/8                            (that of --curves, or none/8 from 40 queries on), lines and\n"
    "                                           curves of the features, where curves can be learnt and served\n"
    "  trees=lambdarank/dorm/regression         (all, with --trees), losses that LightGBM grows trees for\n"
    "  leaves=7/15                              (7/15/31/63), of a tree; more only while that helps\n"
    "\n"
    "A larger C is pruned where the last one was no better than the one before, where the bound carries no\n"
    "information (explained risk below 0.02), or where the grid point is too far behind the best to have a\n"
    "weight. Grid points of explained risk below 0.02 are dropped if there are others. Of several kernels, a\n"
    "later one is chosen when it is better by more than one standard error of the paired difference.\n"
    "\n"
    "Choices:\n"
    "  average             the default; a weight falls by a factor e for every half standard error of the\n"
    "                      paired difference to the best, and is 0 below a twentieth of the largest; kernels\n"
    "                      and slates after folds cannot be averaged: steady\n"
    "  steady              of the grid points within one standard error of their paired difference to the\n"
    "                      best, the one nearest to the defaults: bounds before baselines, the first bound,\n"
    "                      then the first decay of the grid, then the smallest C\n"
    "  best                the largest validation value\n"
    "  one-standard-error  the smallest C within one standard error of the best\n"
    "\n"
    "Examples:\n"
    "  dorm tune train.txt --valid vali.txt --model m.json\n"
    "  dorm tune train.txt --folds 10 --grid C=1:1e5:10,decay=measure,bound=best --model m.json\n"
    "  dorm tune judged.csv --test 0.2 --baseline prod=prod.run --model m.json --report m.html\n"
    "  dorm tune train.txt --valid vali.txt --measure ndcg@10 --grid cutoff=5/10/20 --model m.json\n"
    "  dorm tune train.txt --valid vali.txt --trees --model m.json\n";

constexpr const char* kInitialNames =
    "initial model of the rounds: ridge, ridge-gain, pairwise or\npairwise-gain (auto); see below";

constexpr const char* kStoppingTune =
    "dorm: stopping: the validated grid points make the model; a second signal ends at once\n";
constexpr const char* kStoppingRefit =
    "dorm: stopping: the best grid point so far is trained again on all of the data, since kernels and slates after\n"
    "      folds cannot be averaged; a second signal ends at once, without a model\n";

struct TuneArguments : TrainingArguments {
  ListArguments lists;
  std::string grid, choose = "average", only;
  bool trees = false;
  std::size_t folds = 0;                // 0: the default
  const CLI::Option* curves = nullptr;  // of the command line
  double test = 0;                      // share of the queries that is set aside; 0: none
};

TuneOptions tune_options(const TuneArguments& arguments, const Settings& settings) {
  TuneOptions options;
  options.train = arguments.options;
  options.train.compute.threads = settings.threads;
  if (arguments.curves->count() > 0) options.curves = {options.train.curves};
  if (!arguments.grid.empty()) parse_grid(arguments.grid, options);
  options.choice = parse_choice(arguments.choose);
  options.only = parse_family(arguments.only);
  options.lightgbm = arguments.lightgbm;
  if (arguments.trees && options.tree_losses.empty())
    options.tree_losses = {TreeLoss::lambdarank, TreeLoss::dorm, TreeLoss::regression};
  if (options.tree_losses.empty() && (options.only != Family::any || !arguments.lightgbm.empty()))
    throw Error(ErrorCode::bad_option, "--only and --lightgbm are about trees; expected --trees beside them");
  if (arguments.folds > 0 && !arguments.valid.empty())
    throw Error(ErrorCode::bad_option, "--valid and --folds exclude each other; expected one of them");
  if (arguments.folds > 0) options.folds = arguments.folds;
  options.validate();
  return options;
}

/// Whether the winner is trained again on all of the data.
bool refits(const TuneArguments& arguments, const TuneOptions& options) {
  const bool linear =
      options.kernels.empty() ? options.train.kernel == "none" : options.kernels == std::vector<std::string>{"none"};
  return arguments.valid.empty() && (arguments.lists.given() || !linear);
}

struct Tuned {
  TuneResult result;
  std::string model_text, page;  // page: about the lists, for slates
  pages::TrainingTrace trace;    // of the refit
  std::string validated_on;      // the validation data, or folds
  bool interrupted = false;
};

/// What pages and the comparison with the baseline are made from; views.
struct TunedPages {
  TrainResult trained;
  pages::TrainingReportData training;
  pages::TuningReportData tuning;

  TunedPages(const TuneArguments& arguments, const TuneOptions& options, const TrainingData& data, const Tuned& tuned)
      : trained{tuned.result.model, tuned.result.report},
        training(
            training_report_data(arguments, data, trained, tuned.trace, tuned.interrupted, "", options.train.measure)),
        tuning{tuned.result, options, tuned.validated_on, pages::choice_reason(tuned.result, options.choice)} {}
  TunedPages(const TunedPages&) = delete;
};

void write_result(const TuneArguments& arguments, const TuneOptions& options, const TrainingData& data,
                  const Tuned& tuned, const Settings& settings) {
  const TuneResult& result = tuned.result;
  write_text(arguments.model, tuned.model_text);
  if (result.end == TuneEnd::whole && result.report.finished) remove_file(options.train.checkpoint);
  for (const std::string& warning : result.report.warnings) warn(settings, warning);
  if (const std::string end = pages::end_text(result); !end.empty())
    warn(settings, fmt::format("{}; {}", end, how_to_resume(options.train.checkpoint)));
  const TunedPages views(arguments, options, data, tuned);
  if (!arguments.reports.empty())
    write_reports(pages::tune_page(views.training, views.tuning, origin_of(settings)), arguments.reports);
  if (arguments.model == "-") return;
  const std::optional<pages::Evidence> against =
      pages::evidence_against(views.training, views.tuning, settings.threads);
  if (!settings.json) {
    print(tune_text(result, options, tuned.validated_on, against ? baseline_text(*against) : "", settings.verbose) +
          cost_text(result, data.train) +
          (result.refitted ? train_text(views.trained, arguments.model)
                           : delivered_text(views.trained, arguments.model)) +
          tuned.page + report_lines(arguments.reports));
    return;
  }
  Json json = tune_json(result, options, tuned.validated_on);
  if (result.worth) json["trees"] = worth_json(result, data.train);
  if (against) json["baseline"] = baseline_json(*against);
  if (data.few) json["few_features"] = few_json(*data.few);
  json["reports"] = arguments.reports;
  json["interrupted"] = tuned.interrupted;
  json["refitted"] = result.refitted;
  json["trained"] = train_json(views.trained, arguments.model);
  print(printable_json(json, 2) + "\n");
}

/// The share and seed of --test, for the reading.
TestedFigure test_draw(const TuneArguments& arguments) {
  TestedFigure draw;
  draw.share = arguments.test;
  draw.seed = arguments.options.solve.seed;
  return draw;
}

void check_test(const TuneArguments& arguments) {
  if (arguments.test == 0) return;
  SplitOptions{.test = arguments.test}.validate();
  if (arguments.lists.given())
    throw Error(ErrorCode::unsupported,
                "--test excludes --position-gains and --topics; expected dorm split, and dorm eval of its test part");
}

void run_tune(TuneArguments arguments, const Settings& settings) {
  if (!arguments.initial.empty()) arguments.options.start = parse_initial_model(arguments.initial);
  check_training_arguments(arguments);
  check_list_arguments(arguments.lists, arguments);
  check_test(arguments);
  TuneOptions options = tune_options(arguments, settings);
  const WakingDevice waking(options.train.compute.device);  // while data is read
  TestedFigure drawn = test_draw(arguments);
  TrainingData data = load_training_data(arguments, settings, arguments.test > 0 ? &drawn : nullptr);
  if (!data.valid && options.folds > data.train.num_queries())
    throw Error(ErrorCode::bad_option, fmt::format("--folds is {}, but there are {} queries; expected fewer folds",
                                                   options.folds, data.train.num_queries()));
  refuse_few_features(arguments, arguments.lists.given());
  arguments.few.folds = options.folds;
  choose_features(arguments, data, settings);
  options = tune_options(arguments, settings);
  const PositionGainsFile gains = load_gains(arguments.lists, data);
  settle_scaling(data, settings, options.train);
  const ListTasks tasks = tasks_of(arguments.lists, gains, data, options.train.measure);
  say_memory(forecast_memory(tasks.train, options, tasks.validation), settings);
  options.train.keep_checkpoint = true;
  const StopRequest stop(settings.quiet ? nullptr : refits(arguments, options) ? kStoppingRefit : kStoppingTune);
  Tuned tuned;
  {
    const std::string measure = validated_measure(arguments.lists, options.train);
    TuningView tuning(settings.quiet, measure);
    TrainingView refit(settings.quiet, measure, options.train.solve.tolerance);
    bool announced = false;  // that it was resumed
    const TuneObserver validating = [&](const TuneProgress& progress) {
      if (progress.resumed > 0 && !std::exchange(announced, true) && !settings.quiet)
        say(fmt::format("dorm: resumed from {}: {} of {} grid points\n", options.train.checkpoint, progress.resumed,
                        progress.total));
      tuning.update(progress);
      return stop.signal() == 0;
    };
    std::optional<int> before;  // the signal that ended the validation, after which the refit still runs
    const TrainObserver refitting = [&](const TrainProgress& progress) {
      if (!before) before = stop.signal();
      refit.update(progress);
      tuned.trace.add(progress);
      return stop.signal() == *before;
    };
    about_file(arguments.data,
               [&] { tuned.result = tune(tasks.train, options, tasks.validation, validating, refitting); });
    if (data.test) test_tuned(tuned.result, options, *data.test, drawn);
    tuned.model_text = model_text(tuned.result.model, tuned.result.positions, gains);
    tuned.page = list_page(arguments.lists, gains, tuned.result.report);
  }
  const int signal = stop.signal();
  tuned.interrupted = signal != 0;
  options.train.measure = validated_measure(arguments.lists, options.train);  // what is printed from here on
  tuned.validated_on = data.valid ? arguments.valid : fmt::format("{} folds", options.folds);
  write_result(arguments, options, data, tuned, settings);
  if (signal != 0) throw Stopped{signal};
}

}  // namespace

Action declare_tune(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<TuneArguments>();
  app.add_option("DATA", arguments->data,
                 "judged documents to train on: LETOR, CSV, TSV or .dorm; a folder or\nquoted pattern of .dorm files");
  add_training_options(app, *arguments, kInitialNames);
  add_lightgbm_option(app, arguments->lightgbm);
  const auto text = [&app](const char* name, std::string& value, const char* shown, const std::string& help) {
    app.add_option(name, value, help)->option_text(shown)->group("Tuning");
  };
  OptionGroup(app, "Tuning")
      .number("--test", arguments->test, number_within(0, 1), "SHARE",
              "share of the queries to set aside before everything else, for the figure\nof the model on queries that "
              "nothing has seen (none)");
  OptionGroup(app, "Tuning")
      .number("--folds", arguments->folds, whole_from(2), "K", "number of parts of the queries, without --valid (5)");
  text("--grid", arguments->grid, "GRID", "values to validate; see below");
  OptionGroup(app, "Tuning")
      .flag("--trees", arguments->trees,
            "grow trees beside the linear rankers, and say what they are worth\n"
            "(docs/trees.md); needs LightGBM");
  text("--only", arguments->only, "KIND", "the model is made of linear rankers or of trees only: linear, trees");
  text("--choose", arguments->choose, "NAME", "average, best, steady or one-standard-error; see below (average)");
  add_list_options(app, arguments->lists);
  add_input_options(app, arguments->input);
  arguments->curves = app.get_option("--curves");
  make_training_expert(app);
  make_expert(app, {"--curves", "--initial", "--solver", "--approx", "--tolerance"});
  app.description(kTuneDescription);
  app.footer(training_footer(kTuneExamples));
  return [arguments, &settings] { run_tune(*arguments, settings); };
}

}  // namespace dorm::cli
