// SPDX-License-Identifier: Apache-2.0
// `dorm train`: from judged documents to a model.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/stopwatch.h"
#include "command.h"
#include "command_line.h"
#include "device/row_device.h"
#include "dorm/error.h"
#include "dorm/learning/baseline.h"
#include "dorm/stream.h"
#include "options/few_options.h"
#include "options/list_options.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/training_options.h"
#include "options/written_files.h"
#include "run/output.h"
#include "run/process_group.h"
#include "run/progress.h"
#include "run/stop.h"
#include "run/train_plan.h"
#include "run/training_processes.h"
#include "run/training_view.h"
#include "run/tree_training.h"
#include "text/baseline_text.h"
#include "text/help.h"
#include "text/messages.h"
#include "text/train_text.h"

namespace dorm::cli {
namespace {

constexpr const char* kTrainDescription =
    "Train a ranker, linear or with a kernel, for the measure you report.\n"
    "\n"
    "Minimises 1/2 |w|^2 + (C/m) sum over the m usable queries of a bound on the loss of the measure, to a\n"
    "relative duality gap. With --valid every candidate is validated on that data and the best is kept. The\n"
    "same options give the same model with any number of threads. Ctrl-C (and SIGTERM) stops the training,\n"
    "writes the best model so far and ends with status 130 (143); a second one ends at once.";

constexpr const char* kTrainExamples =
    "Examples:\n"
    "  dorm train train.txt --model m.json\n"
    "  dorm train train.txt --valid vali.txt --measure mrr -C 100 --model m.json --report m.html\n"
    "  dorm train web.dorm --scale none --memory 1GiB --checkpoint web.ck --model m.json\n"
    "  dorm train train.txt --kernel rbf:gamma=median --approx nystroem:1000 --model m.json\n"
    "  mpirun -n 8 dorm train 'big/part-*.dorm' --shards 256 --model m.json\n"
    "  dorm train monday.txt tuesday.txt --stream --model m.json\n"
    "  dorm train wednesday.txt --stream --initial m.json --model n.json\n"
    "  dorm train train.txt --for solr --model m.json\n"
    "  dorm train web.dorm --plan\n"
    "  dorm train train.txt --method ridge --model baseline.json\n"
    "  dorm train train.txt --valid vali.txt --method lightgbm:dorm~15 --model trees.json\n"
    "  dorm train train.txt --position-gains gains.csv --model slots.json\n"
    "  dorm train train.txt --topics topics.csv --limits limits.csv --measure ndcg@5 --model m.json\n";

constexpr const char* kInitialHelp =
    "initial model of the rounds, or of --stream: ridge, ridge-gain,\npairwise, pairwise-gain, or a file of a model "
    "(auto); see below";

constexpr const char* kStopping =
    "dorm: stopping: the current pass ends, then the best model so far is written; a second signal ends at once\n";

struct TrainArguments : TrainingArguments {
  std::string method = "dorm";
  std::vector<std::string> files;  // DATA: one, or several for --stream
  bool stream = false;
  bool plan = false;  // only forecast
  ListArguments lists;
};

// "dorm" trains for --measure; "pairwise" is the initial model of that name; the others are methods by their spelling.
void check_training_method(const std::string& method) {
  if (is_tree_method(method))
    parse_tree_method(method);
  else if (method != "dorm" && method != "pairwise")
    check_method(method);
}

MethodResult baseline_result(const TrainArguments& arguments, const Dataset& data, const Settings& settings) {
  TrainOptions options = arguments.options;
  options.compute.threads = settings.threads;
  if (arguments.method == "pairwise") return {train_initial_model(data, InitialModel::pairwise, options), {}, 0};
  require_unsigned(options.signs, arguments.method);
  const MethodOptions method{.C = options.C,
                             .measure = options.measure,
                             .convention = options.convention,
                             .scale = options.scale,
                             .target = options.target,
                             .solve = options.solve,
                             .compute = options.compute};
  return train_method(data, arguments.method, method);
}

void write_page(const TrainArguments& arguments, const TrainingData& data, const TrainResult& result,
                const Settings& settings, const pages::TrainingTrace& trace = {}, bool interrupted = false) {
  if (arguments.reports.empty()) return;
  const std::string reason =
      result.report.candidates.empty() ? "" : choice_reason(result.report, arguments.options.measure);
  write_reports(
      pages::train_page(training_report_data(arguments, data, result, trace, interrupted, reason), origin_of(settings)),
      arguments.reports);
}

/// The model beside the ranker of --baseline; nothing without one.
std::optional<pages::Evidence> against_baseline(const TrainArguments& arguments, const TrainingData& data,
                                                const TrainResult& result, const Settings& settings) {
  if (!data.baseline) return std::nullopt;
  return pages::evidence_against(training_report_data(arguments, data, result, {}, false), settings.threads);
}

void train_baseline(const TrainArguments& arguments, const TrainingData& data, const Settings& settings) {
  MethodResult trained = about_file(arguments.data, [&] { return baseline_result(arguments, data.train, settings); });
  const SolveReport& solve = trained.solve;
  const TrainResult result{std::move(trained.model), {}};
  write_text(arguments.model, to_json(result.model));
  write_page(arguments, data, result, settings);
  if (arguments.model == "-") return;
  const Certificate& certificate = result.model.certificate;
  const bool solved = certificate.status != "none";
  Json json = {{"model", arguments.model},
               {"method", arguments.method},
               {"bound", result.model.bound},
               {"scaling", name_of(result.model.scaling.kind)},
               {"target", result.model.target},
               {"reports", arguments.reports},
               {"certificate", nullptr},
               {"explained_risk", nullptr},
               {"passes", nullptr},
               {"support_vectors", nullptr},
               {"qp_share", nullptr}};
  const std::optional<pages::Evidence> against = against_baseline(arguments, data, result, settings);
  if (against) json["baseline"] = baseline_json(*against);
  if (solve.primal > 0) json["explained_risk"] = result.model.explained_risk;
  if (solved)
    json.update({{"certificate", {{"primal", certificate.primal}, {"gap", certificate.gap}}},
                 {"passes", solve.passes},
                 {"support_vectors", solve.support_vectors},
                 {"qp_share", qp_share(solve)}});
  const bool constant = solve.passes > 0 && result.model.explained_risk < kDegenerate;
  const std::string outcome =
      !solved
          ? "no certificate"
          : fmt::format(
                "primal {:.6g}, gap {:.2g}, {}{}", certificate.primal, certificate.gap, certificate.status,
                constant ? "\ndegenerate   it explains no more risk than a constant: the weights are rounding" : "");
  print(settings.json
            ? printable_json(json, 2) + "\n"
            : fmt::format("{} baseline, {}\nscaling      {}{}\n{}model        {}\n{}", arguments.method, outcome,
                          name_of(result.model.scaling.kind),
                          result.model.target.empty() ? "" : " for " + result.model.target,
                          against ? baseline_text(*against) : "", arguments.model, report_lines(arguments.reports)));
}

/// Ends the process as the signal would where it came before there was a model.
TrainResult train_any(const ListTasks& tasks, const TrainOptions& options, const TrainObserver& observer,
                      TrainingProcesses* team, const StopRequest& stop) try {
  return team ? team->train(options, observer) : train(tasks.train, options, tasks.validation, observer);
} catch (const InterruptedEarly&) {
  if (stop.signal() == 0) throw;
  say("dorm: interrupted before there was a model; nothing was written\n");
  throw Interrupted{stop.signal()};
}

std::string stream_text(const Model& model, const TrainArguments& arguments, const Settings& settings) {
  const DataSummary& data = model.data;
  if (settings.json)
    return printable_json({{"model", arguments.model},
                           {"measure", model.measure},
                           {"C", model.C},
                           {"bound", model.bound},
                           {"start", model.start},
                           {"scaling", name_of(model.scaling.kind)},
                           {"target", model.target},
                           {"queries", data.queries},
                           {"usable_queries", data.usable_queries},
                           {"documents", data.documents}},
                          2) +
           "\n";
  return fmt::format(
      "trained for  {} ({}), C {:g}, decay {}, bound {}, scaling {}{}\n"
      "queries      {} seen once, {} usable; {} documents\n"
      "certificate  none: a stream has no lower bound\n"
      "model        {}\n",
      model.measure, model.convention, model.C, model.decay, model.bound, name_of(model.scaling.kind),
      model.target.empty() ? "" : " for " + model.target, data.queries, data.usable_queries, data.documents,
      arguments.model);
}

/// `team`: the processes that have the data, of which `data` then holds none; nullptr: this one alone.
void train_bounds(const TrainArguments& arguments, const TrainingData& data, const Settings& settings,
                  TrainingProcesses* team = nullptr) {
  TrainOptions options = arguments.options;
  const std::optional<Model> initial = initial_model(arguments);
  options.initial = initial ? &*initial : nullptr;
  options.compute.threads = settings.threads;
  options.keep_checkpoint = true;
  const PositionGainsFile gains = load_gains(arguments.lists, data);
  ListTasks tasks;
  MemoryForecast memory;
  if (team == nullptr) {
    settle_scaling(data, settings, options);
    tasks = tasks_of(arguments.lists, gains, data, options.measure);
    memory = forecast_memory(tasks.train, options, tasks.validation);
    say_memory(memory, settings);
  }
  if (team != nullptr || options.solve.solver == parse_solver("shards"))
    options.shards = team ? team->num_shards()
                          : settled_shards(options, data.train.num_queries(), data.train.num_features(),
                                           shards_of_files(arguments.data));
  if (arguments.plan) return print(plan_page(data.train, options, memory, shards_of_files(arguments.data), settings));
  const StopRequest stop(settings.quiet ? nullptr : kStopping);
  TrainResult result;
  pages::TrainingTrace trace;
  bool announced = false;  // that it was resumed
  {
    TrainingView view(settings.quiet, validated_measure(arguments.lists, options), options.solve.tolerance);
    const TrainObserver observer = [&](const TrainProgress& progress) {
      if (progress.resumed && !std::exchange(announced, true) && !settings.quiet)
        say(fmt::format("dorm: resumed from {}: {} from {}, round {}, pass {}\n", options.checkpoint,
                        name_of(progress.bound), name_of(progress.start), progress.round, progress.solver.pass));
      view.update(progress);
      trace.add(progress);
      return stop.signal() == 0;
    };
    result = about_file(arguments.data, [&] { return train_any(tasks, options, observer, team, stop); });
  }
  if (result.report.resumed && !announced && !settings.quiet)
    say(fmt::format("dorm: resumed from {}: the training was complete\n", options.checkpoint));
  const int signal = stop.signal();
  write_text(arguments.model, model_text(result.model, result.positions, gains));
  if (result.report.finished) remove_file(options.checkpoint);
  for (const std::string& warning : result.report.warnings) warn(settings, warning);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far; " + how_to_resume(options.checkpoint));
  write_page(arguments, data, result, settings, trace, signal != 0);
  if (arguments.model != "-") {
    Json json = train_json(result, arguments.model);
    json["reports"] = arguments.reports;
    json["interrupted"] = signal != 0;
    json["memory_bytes"] = memory.total();
    if (data.few) json["few_features"] = few_json(*data.few);
    const std::optional<pages::Evidence> against = against_baseline(arguments, data, result, settings);
    if (against) json["baseline"] = baseline_json(*against);
    print(settings.json ? printable_json(json, 2) + "\n"
                        : train_text(result, arguments.model) + (against ? baseline_text(*against) : "") +
                              list_page(arguments.lists, gains, result.report) + report_lines(arguments.reports));
  }
  if (signal != 0) throw Stopped{signal};
}

/// Throws Error(unsupported) for options that a stream cannot use.
void check_stream(const TrainArguments& arguments) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) throw Error(ErrorCode::unsupported, fmt::format("--stream excludes {}: {}", option, why));
  };
  refuse(!arguments.valid.empty(), "--valid", "a stream has one candidate; expected dorm eval to evaluate its model");
  refuse(!arguments.weights.empty(), "--weights", "the weights are those of one file");
  refuse(!arguments.options.checkpoint.empty(), "--checkpoint",
         "expected --initial MODEL to continue an earlier stream");
  refuse(arguments.lists.given() || arguments.method != "dorm", "--method, --position-gains and --topics",
         "it supports only score-sorted rankings");
  refuse(!arguments.reports.empty(), "--report", "a stream does not keep the data to evaluate");
  refuse(!arguments.baseline.empty(), "--baseline", "expected dorm eval to compare its model");
  refuse(arguments.options.start.has_value(), "--initial by name", "expected a file of a model");
}

// Holds one file at a time.
void train_stream(const TrainArguments& arguments, const Settings& settings) {
  check_stream(arguments);
  const std::optional<Model> initial = initial_model(arguments);
  Stream stream(initial ? &*initial : nullptr);
  std::optional<InputDescription> like;  // of the model or the first file
  if (initial) like = initial->data.input;
  const StopRequest stop;
  const TimeLimit limit(arguments.options.solve.seconds);
  for (const std::string& file : arguments.files) {
    const Dataset data = load(file, arguments.input, settings, {.like = like ? &*like : nullptr}).data;
    if (!like) like = data.input();
    LiveLine line;
    const auto watch = [&](std::uint64_t queries) {
      if (!settings.quiet && line.due())
        line.show(fmt::format("dorm: {}: {} queries, {}", file, queries, duration_text(line.seconds())));
      return stop.signal() == 0 && !limit.over();
    };
    about_file(file, [&] { stream.learn(data, arguments.options, watch); });
    if (stop.signal() != 0 || limit.over()) break;
  }
  const Model model = stream.model(arguments.options);
  write_text(arguments.model, to_json(model));
  if (stop.signal() != 0) warn(settings, "interrupted; the model is that of the queries so far");
  if (arguments.model != "-") print(stream_text(model, arguments, settings));
  if (stop.signal() != 0) throw Stopped{stop.signal()};
}

// With the other processes of the same launch.
void train_together(const TrainArguments& arguments, const Settings& settings, const CLI::App& verb) {
  if (arguments.stream || arguments.lists.given() || arguments.method != "dorm")
    throw Error(ErrorCode::unsupported,
                "--stream, --method, --position-gains and --topics need one process; found several");
  if (!arguments.baseline.empty())
    throw Error(ErrorCode::unsupported, "--baseline needs one process; expected dorm eval to compare the model");
  check_training_arguments(arguments);
  if (const SolverKind solver = arguments.options.solve.solver;
      solver != parse_solver("shards") && solver != parse_solver("lbfgs"))
    throw Error(
        ErrorCode::bad_option,
        fmt::format("the solver {} does not support several processes; expected shards or lbfgs", solver_name(solver)));
  TrainingProcesses team(arguments, settings, [&] { check_written_files(verb); });
  if (!team.drives()) return team.respond();
  if (!settings.quiet) say(team.text());
  train_bounds(arguments, {}, settings, &team);
}

/// DATA is one file unless --stream reads several.
void settle_files(TrainArguments& arguments) {
  if (!arguments.files.empty()) arguments.data = arguments.files.front();
  if (arguments.files.size() > 1 && !arguments.stream)
    throw Error(ErrorCode::bad_option,
                fmt::format("unexpected argument \"{}\"; expected one DATA (a file, folder or quoted pattern), or "
                            "--stream for several files",
                            arguments.files[1]));
  require_option(!arguments.data.empty(), "DATA", "expected judged documents to train on");
}

/// A plan writes no model.
void settle_plan(TrainArguments& arguments, bool together) {
  if (together || arguments.stream || arguments.lists.given() || arguments.method != "dorm")
    throw Error(ErrorCode::bad_option,
                "--plan forecasts trainings of score-sorted rankings by one process; it excludes "
                "--stream, --method, --position-gains and --topics");
  arguments.model = "-";
}

void run_train(TrainArguments arguments, const Settings& settings, const CLI::App& verb) {
  settle_files(arguments);
  settle_initial(arguments);
  check_training_method(arguments.method);
  const bool together = launched().processes > 1;
  if (arguments.plan) settle_plan(arguments, together);
  SolveOptions& solve = arguments.options.solve;
  if ((together || arguments.options.shards > 0) && solve.solver == TrainOptions().solve.solver)
    solve.solver = parse_solver("shards");
  refuse_few_features(arguments, together || arguments.stream || arguments.plan || arguments.method != "dorm" ||
                                     arguments.lists.given());
  if (together) return train_together(arguments, settings, verb);
  if (arguments.stream) {
    require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
    return train_stream(arguments, settings);
  }
  check_training_arguments(arguments);
  check_list_arguments(arguments.lists, arguments);
  const WakingDevice waking(arguments.options.compute.device);  // while data is read
  TrainingData data = load_training_data(arguments, settings);
  choose_features(arguments, data, settings);
  if (arguments.method == "dorm")
    train_bounds(arguments, data, settings);
  else if (is_tree_method(arguments.method))
    train_trees(arguments, arguments.method, data, settings);
  else
    train_baseline(arguments, data, settings);
}

}  // namespace

Action declare_train(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<TrainArguments>();
  app.add_option("DATA", arguments->files,
                 "judged documents to train on: LETOR, CSV, TSV or .dorm; a folder or\nquoted pattern of .dorm files");
  add_training_options(app, *arguments, kInitialHelp);
  const OptionGroup files(app, "Files"), problem(app, "Learning problem");
  files.flag("--stream", arguments->stream, "learn from each query once, file after file of DATA...");
  files.flag("--plan", arguments->plan,
             "train a sample, print what all of DATA would take (memory, passes, time), and write nothing");
  problem.add("--method", arguments->method, "NAME", "dorm (for --measure), or a baseline; see below (dorm)");
  add_lightgbm_option(app, arguments->lightgbm);
  add_list_options(app, arguments->lists);
  add_input_options(app, arguments->input);
  make_training_expert(app);
  app.description(kTrainDescription);
  app.footer(training_footer(kTrainExamples + ("\n" + catalog_text("Methods", method_catalog()) + tree_method_text())));
  return [arguments, &settings, &app] { run_train(*arguments, settings, app); };
}

}  // namespace dorm::cli
