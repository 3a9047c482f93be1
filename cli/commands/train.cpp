// SPDX-License-Identifier: Apache-2.0
// `dorm train`: from judged documents to a model.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/stopwatch.h"
#include "command.h"
#include "device/row_device.h"
#include "dorm/error.h"
#include "dorm/learning/baseline.h"
#include "dorm/recommend/joint_model.h"
#include "help.h"
#include "joint_training.h"
#include "list_options.h"
#include "messages.h"
#include "output.h"
#include "process_group.h"
#include "progress.h"
#include "report_files.h"
#include "stop.h"
#include "text/train_text.h"
#include "training_options.h"
#include "training_processes.h"
#include "training_view.h"
#include "usage.h"
#include "written_files.h"

namespace dorm::cli {
namespace {

constexpr const char* kTrainDescription =
    "Train a ranker, linear or in the space of a kernel, for the measure you report.\n"
    "\n"
    "Minimises 1/2 |w|^2 + (C/m) sum over the m usable queries of a bound on the loss of the measure, to a\n"
    "relative duality gap. With --valid every candidate is judged on that data and the best is kept.\n"
    "The same options give the same model, whatever the number of threads. Ctrl-C (and SIGTERM) stops,\n"
    "writes the best model so far and ends with status 130 (143); a second one ends at once.";

constexpr const char* kTrainExamples =
    "Examples:\n"
    "  dorm train train.txt --model m.json\n"
    "  dorm train train.txt --valid vali.txt --measure mrr -C 100 --model m.json --report m.html\n"
    "  dorm train web.dorm --scale none --memory 1GiB --checkpoint web.ck --model m.json\n"
    "  dorm train train.txt --kernel rbf:gamma=median --approx nystroem:1000 --model m.json\n"
    "  mpirun -n 8 dorm train 'big/part-*.dorm' --shards 256 --model m.json\n"
    "  dorm train --stream monday.txt tuesday.txt --model m.json\n"
    "  dorm train --stream wednesday.txt --initial m.json --model n.json\n"
    "  dorm train train.txt --for solr --model m.json\n"
    "  dorm train train.txt --method ridge --model baseline.json\n"
    "  dorm train train.txt --position-gains gains.csv --model slots.json\n"
    "  dorm train train.txt --topics topics.csv --limits limits.csv --measure ndcg@5 --model m.json\n"
    "  dorm train --ratings u.data --kernel \"user(identity + correlation) * item(correlation)\" --model m.joint\n";

constexpr const char* kStopping =
    "dorm: stopping: the pass in hand is finished, then the best model so far is written; a second signal ends at "
    "once\n";

struct TrainArguments : TrainingArguments {
  std::string method = "dorm";
  std::string initial;              // a model to begin at
  std::vector<std::string> stream;  // files to pass once instead of DATA
  ListArguments lists;
  JointArguments joint;  // ratings instead of DATA
};

// "dorm" trains for --measure; "pairwise" is the start of that name; the rest are methods by their spelling.
void check_training_method(const std::string& method) {
  if (method != "dorm" && method != "pairwise") check_method(method);
}

Model baseline_model(const TrainArguments& arguments, const Dataset& data, const Settings& settings) {
  TrainOptions options = arguments.options;
  options.solve.threads = settings.threads;
  if (arguments.method == "pairwise") return train_start(data, Start::pairwise, options);
  const MethodOptions method{.C = options.C,
                             .measure = options.measure,
                             .convention = options.convention,
                             .scale = options.scale,
                             .target = options.target,
                             .solve = options.solve};
  return train_method(data, arguments.method, method).model;
}

void write_page(const TrainArguments& arguments, const TrainingData& data, const TrainResult& result,
                const Settings& settings, const pages::TrainingTrace& trace = {}, bool interrupted = false) {
  if (arguments.reports.empty()) return;
  const std::string reason =
      result.report.candidates.empty() ? "" : choice_reason(result.report, arguments.options.measure);
  write_reports(pages::train_page(training_report_data(arguments, data, result, trace, interrupted, settings, reason),
                                  origin_of(settings)),
                arguments.reports);
}

void train_baseline(const TrainArguments& arguments, const TrainingData& data, const Settings& settings) {
  const TrainResult result{about_file(arguments.data, [&] { return baseline_model(arguments, data.train, settings); }),
                           {}};
  write_text(arguments.model, to_json(result.model));
  write_page(arguments, data, result, settings);
  if (arguments.model == "-") return;
  const Certificate& certificate = result.model.certificate;
  const bool solved = certificate.status != "none";
  Json json = {{"model", arguments.model},      {"method", arguments.method},
               {"bound", result.model.bound},   {"scaling", name_of(result.model.scaling.kind)},
               {"target", result.model.target}, {"reports", arguments.reports}};
  if (solved) json["certificate"] = {{"primal", certificate.primal}, {"gap", certificate.gap}};
  const std::string told =
      solved ? fmt::format("primal {:.6g}, gap {:.2g}, {}", certificate.primal, certificate.gap, certificate.status)
             : "no certificate";
  print(settings.json ? printable_json(json, 2) + "\n"
                      : fmt::format("{} baseline, {}\nscaling      {}{}\nmodel        {}\n{}", arguments.method, told,
                                    name_of(result.model.scaling.kind),
                                    result.model.target.empty() ? "" : " for " + result.model.target, arguments.model,
                                    report_lines(arguments.reports)));
}

TrainedLists train_any(const ListArguments& lists, const PositionGainsFile& gains, const TrainingData& data,
                       const TrainOptions& options, const TrainObserver& observer, TrainingProcesses* team) {
  if (lists.given()) return train_lists(lists, gains, data, options, observer);
  TrainResult result = team ? team->train(options, observer) : train(data.train, options, data.validation(), observer);
  std::string text = to_json(result.model);
  return {std::move(result), std::move(text)};
}

std::optional<Model> initial_model(const TrainArguments& arguments) {
  if (arguments.initial.empty()) return std::nullopt;
  return load_model(arguments.initial);
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
      "queries      {} seen once, {} with something to learn; {} documents\n"
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
  options.solve.threads = settings.threads;
  options.keep_checkpoint = true;
  const PositionGainsFile gains = load_gains(arguments.lists, data);
  MemoryForecast memory;
  if (team == nullptr)
    memory = plan_memory(arguments, data, settings, {.plane_parts = plane_parts(arguments.lists, gains)}, options);
  if (options.solve.solver == parse_solver("shards"))
    options.shards = team ? team->num_shards()
                          : settled_shards(options, data.train.num_queries(), data.train.num_features(),
                                           shards_of_files(arguments.data));
  const StopRequest stop(settings.quiet ? nullptr : kStopping);
  TrainedLists trained;
  pages::TrainingTrace trace;
  bool told = false;  // that it was resumed
  {
    TrainingView view(settings.quiet, judged_by(arguments.lists, options), options.solve.tolerance);
    const TrainObserver observer = [&](const TrainProgress& progress) {
      if (progress.resumed && !std::exchange(told, true) && !settings.quiet)
        say(fmt::format("dorm: resumed from {}: {} from {}, round {}, pass {}\n", options.checkpoint,
                        name_of(progress.bound), name_of(progress.start), progress.round, progress.solver.pass));
      view.update(progress);
      trace.add(progress);
      return stop.signal() == 0;
    };
    trained =
        about_file(arguments.data, [&] { return train_any(arguments.lists, gains, data, options, observer, team); });
  }
  const TrainResult& result = trained.result;
  if (result.report.resumed && !told && !settings.quiet)
    say(fmt::format("dorm: resumed from {}: nothing was left to train\n", options.checkpoint));
  const int signal = stop.signal();
  write_text(arguments.model, trained.model_text);
  if (result.report.finished) remove_file(options.checkpoint);
  for (const std::string& warning : result.report.warnings) warn(settings, warning);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far; " + how_to_go_on(options.checkpoint));
  write_page(arguments, data, result, settings, trace, signal != 0);
  if (arguments.model != "-") {
    Json json = train_json(result, arguments.model);
    json["reports"] = arguments.reports;
    json["interrupted"] = signal != 0;
    json["memory_bytes"] = memory.total();
    print(settings.json ? printable_json(json, 2) + "\n"
                        : train_text(result, arguments.model) + trained.page + report_lines(arguments.reports));
  }
  if (signal != 0) throw Stopped{signal};
}

// One file is held at a time.
void train_stream(const TrainArguments& arguments, const Settings& settings) {
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) throw Error(ErrorCode::unsupported, fmt::format("{} does not go with --stream: {}", option, why));
  };
  refuse(!arguments.valid.empty(), "--valid",
         "a stream has no candidates to choose among; judge its model by dorm eval");
  refuse(!arguments.weights.empty(), "--weights", "weights are those of one file");
  refuse(!arguments.options.checkpoint.empty(), "--checkpoint",
         "--initial goes on from the model of an earlier stream");
  refuse(arguments.lists.given() || arguments.method != "dorm", "--method, --position-gains or --topics",
         "a stream trains rankings by sorting");
  refuse(!arguments.reports.empty(), "--report", "the data is not kept to judge by");
  require_option(arguments.data.empty(), "one of DATA and --stream", "the files of --stream are the data");
  const std::optional<Model> initial = initial_model(arguments);
  Stream stream(initial ? &*initial : nullptr);
  std::optional<InputDescription> like;  // of the model or the first file
  if (initial) like = initial->data.input;
  const StopRequest stop;
  const TimeLimit limit(arguments.options.solve.seconds);
  for (const std::string& file : arguments.stream) {
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

// Those that were started together.
void train_together(const TrainArguments& arguments, const Settings& settings, const CLI::App& verb) {
  if (!arguments.stream.empty() || arguments.lists.given() || arguments.method != "dorm")
    throw Error(ErrorCode::unsupported,
                "--stream, --method, --position-gains and --topics do not go with several processes; start one");
  check_training_arguments(arguments);
  if (const SolverKind solver = arguments.options.solve.solver; solver != parse_solver("shards"))
    throw Error(ErrorCode::bad_option,
                fmt::format("the solver {} does not work on shards; expected shards", solver_name(solver)));
  TrainingProcesses team(arguments, settings, [&] { check_written_files(verb); });
  if (!team.drives()) return team.response();
  if (!settings.quiet) say(team.text());
  train_bounds(arguments, {}, settings, &team);
}

void run_train(TrainArguments arguments, const Settings& settings, const CLI::App& verb) {
  if (!arguments.joint.ratings.empty())
    return train_on_ratings(arguments.joint, arguments, arguments.method, verb, settings);
  check_training_method(arguments.method);
  const bool together = launched().processes > 1;
  SolveOptions& solve = arguments.options.solve;
  if ((together || arguments.options.shards > 0) && solve.solver == TrainOptions().solve.solver)
    solve.solver = parse_solver("shards");
  if (together) return train_together(arguments, settings, verb);
  if (!arguments.stream.empty()) {
    require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
    return train_stream(arguments, settings);
  }
  check_training_arguments(arguments);
  check_list_arguments(arguments.lists, arguments);
  const WakingDevice waking(arguments.options.device);  // while data is read
  const TrainingData data = load_training_data(arguments, settings);
  if (arguments.method == "dorm")
    train_bounds(arguments, data, settings);
  else
    train_baseline(arguments, data, settings);
}

}  // namespace

Action declare_train(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<TrainArguments>();
  add_training_options(app, *arguments);
  app.add_option("--initial", arguments->initial, "model whose weights the rounds (or the stream) begin at")
      ->option_text("MODEL")
      ->group("Files");
  app.add_option("--stream", arguments->stream,
                 "instead of DATA: files that are read one after the other and\nlearnt from once, query by query")
      ->option_text("FILE...")
      ->group("Files");
  app.add_option("--method", arguments->method, "dorm (for --measure), or a baseline; see below (dorm)")
      ->option_text("NAME")
      ->group("Learning problem");
  add_list_options(app, arguments->lists);
  add_joint_options(app, arguments->joint);
  add_input_options(app, arguments->input);
  app.description(kTrainDescription);
  app.footer(training_footer(kTrainExamples + ("\n" + catalog_text("Methods", method_catalog()) + "\n" +
                                               catalog_text("Methods with --ratings", joint_method_catalog()))));
  return [arguments, &settings, &app] { run_train(*arguments, settings, app); };
}

}  // namespace dorm::cli
