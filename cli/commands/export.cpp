// SPDX-License-Identifier: Apache-2.0
// `dorm export`: a model for another tool, and what the arithmetic of that tool makes of data.
#include "dorm/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/json.h"
#include "command.h"
#include "command_line.h"
#include "dorm/error.h"
#include "dorm/evaluate.h"
#include "dorm/fusion/export_fused.h"
#include "dorm/train.h"
#include "input/input.h"
#include "options/option_group.h"
#include "options/written_files.h"
#include "run/fused_export.h"
#include "run/output.h"
#include "text/help.h"

namespace dorm::cli {
namespace {

constexpr const char* kExportDescription =
    "Write a model for a search engine or another tool.\n"
    "\n"
    "A scaling that is linear in each feature is folded into the weights, or becomes normalisers where the\n"
    "target has them. A model that the target cannot evaluate is refused, with the command that trains one that\n"
    "it can (train --for TARGET). --check scores data as the target would, in its precision and order, and\n"
    "reports the differences of scores, rankings and the measure to those of the model.";

constexpr const char* kExportExamples =
    "Examples:\n"
    "  dorm export m.json --to sql\n"
    "  dorm export m.json --to svmlight -o m.svm --check test.txt\n"
    "  dorm export m.json --to sql --names names.csv -o score.sql\n"
    "  dorm export fused.json --to elasticsearch --check bm25.run,dense.run\n";

constexpr std::size_t kCheckedTop = 10;

struct ExportArguments {
  std::string model, target, output = "-", names, features, check;
  ExportOptions options;
  InputArguments input;
};

/// The scores of the target and of the model, and the measure of both where the data has labels.
struct CheckedExport {
  Dataset data;
  ServedDifference difference;
  std::string measure;
  std::optional<double> before, after;
};

std::optional<double> measured(const Dataset& data, std::span<const double> scores, const Model& model) {
  const std::vector<std::string> measures{model.measure};
  EvaluateOptions options;
  options.convention = model.convention;
  options.bootstrap = 0;
  const MeasureResult result = evaluate(data, scores, measures, options).measures[0];
  return result.queries == 0 ? std::nullopt : std::optional(result.mean);
}

CheckedExport checked(const ExportArguments& arguments, const Model& model, const ServedModel& served,
                      const Settings& settings) {
  CheckedExport out;
  out.data = load(arguments.check, arguments.input, settings, expected_by(model, false)).data;
  about_file(arguments.check, [&] {
    const std::vector<double> ours = score(model, out.data, settings.threads);
    const std::vector<double> theirs = served_scores(served, model, out.data);
    out.difference = served_difference(out.data, ours, theirs, served.pruned, kCheckedTop);
    out.measure = model.measure;
    if (!std::isfinite(out.difference.largest)) return;
    out.before = measured(out.data, ours, model);
    out.after = measured(out.data, theirs, model);
  });
  return out;
}

std::string checked_text(const CheckedExport& checked, const ExportArguments& arguments, const Settings& settings) {
  const ServedDifference& difference = checked.difference;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  if (settings.json)
    return printable_json({{"target", arguments.target},
                           {"data", arguments.check},
                           {"largest_difference", difference.largest},
                           {"largest_score", difference.scale},
                           {"document", checked.data.document_name(difference.document)},
                           {"queries", difference.queries},
                           {"changed_queries", difference.changed_queries},
                           {"top", kCheckedTop},
                           {"measure", checked.measure},
                           {"before", number(checked.before)},
                           {"after", number(checked.after)}},
                          2) +
           "\n";
  std::string text =
      fmt::format("check        {} as {} computes it\nscores       differ by {:.2g} at most, of scores up to {:.4g}\n",
                  arguments.check, arguments.target, difference.largest, difference.scale);
  text += fmt::format("top {}       changes in {} of {} queries\n", kCheckedTop, difference.changed_queries,
                      difference.queries);
  if (checked.before && checked.after)
    text += fmt::format("{:12} {:.6f} by the model, {:.6f} by the target\n", checked.measure, *checked.before,
                        *checked.after);
  return text;
}

/// How a model for the target is trained, from what this one says of itself.
std::string retraining(const Model& model, const ExportArguments& arguments) {
  return fmt::format("dorm train DATA --measure {} -C {} --for {} --model {}", model.measure,
                     model.C > 0 ? model.C : TrainOptions().C, arguments.target, arguments.model);
}

Exported exported(const Model& model, const ExportArguments& arguments) {
  const ExportTarget& target = find_export_target(arguments.target);
  try {
    return export_model(model, target, arguments.options);
  } catch (const Error& error) {
    const bool retrain = model.kernel ? !target.serving.kernels : !can_serve(target.serving, model.scaling.kind);
    if (error.code() != ErrorCode::unsupported || !retrain) throw;
    throw Error(ErrorCode::unsupported,
                fmt::format("{}; to train one: {}", error.what(), retraining(model, arguments)));
  }
}

/// Throws Error(unknown_name) that tells of the targets of fused models, too.
const ExportTarget& target_of(const ExportArguments& arguments) {
  const bool known = std::any_of(export_targets().begin(), export_targets().end(),
                                 [&](const ExportTarget& target) { return target.entry.name == arguments.target; });
  if (!known && is_fusion_target(arguments.target))
    throw Error(ErrorCode::bad_option,
                fmt::format("--to {} is for models of dorm fuse, and {} is none", arguments.target, arguments.model));
  return find_export_target(arguments.target);
}

void write_exported(const Exported& exported, const ExportTarget& target, const ExportArguments& arguments) {
  if (target.folder) make_folder(arguments.output);
  for (const ExportedFile& file : exported.files)
    write_text(target.folder ? (std::filesystem::path(arguments.output) / file.path).string() : arguments.output,
               file.bytes);
  if (!arguments.features.empty()) write_text(arguments.features, exported.features);
}

void run_export(ExportArguments arguments, const Settings& settings) {
  require_option(!arguments.model.empty(), "MODEL", "expected a model written by dorm train");
  require_option(!arguments.target.empty(), "--to TARGET", "expected a target");
  if (is_fusion_target(arguments.target))
    if (const std::optional<FusedModel> fused = load_fused_model(arguments.model))
      return about_file(
          arguments.model,
          [&] {
            write_fused_export(*fused, {arguments.target, arguments.output, arguments.check}, settings);
          },
          ErrorCode::unsupported);
  const ExportTarget& target = target_of(arguments);
  if (target.folder) require_option(arguments.output != "-", "-o DIR", "expected a folder to write");
  if (!arguments.names.empty()) arguments.options.names = read_feature_names(arguments.names);
  const AnyModel any = load_any_model(arguments.model);
  const auto* model = std::get_if<Model>(&any);
  if (!model)
    throw Error(ErrorCode::unsupported, {arguments.model},
                "the model has a function per position, which no target can evaluate");
  const Exported written = about_file(
      arguments.model, [&] { return exported(*model, arguments); }, ErrorCode::unsupported);
  if (!arguments.features.empty() && written.features.empty())
    throw Error(ErrorCode::bad_option,
                fmt::format("--features: {} needs no features to be declared for this model", arguments.target));
  const std::optional<CheckedExport> check =
      arguments.check.empty() ? std::nullopt : std::optional(checked(arguments, *model, written.served, settings));
  write_exported(written, target, arguments);
  for (const std::string& note : written.notes)
    if (!settings.quiet) say(fmt::format("dorm: {}\n", note));
  if (!written.features.empty() && arguments.features.empty() && !settings.quiet)
    say(fmt::format("dorm: {} has to know the features first: --features FILE writes them\n", arguments.target));
  if (!check) return;
  const std::string text = checked_text(*check, arguments, settings);
  if (arguments.output == "-")
    say(text);
  else
    print(text);
}

}  // namespace

Action declare_export(CLI::App& app, const Settings& settings) {
  auto arguments = std::make_shared<ExportArguments>();
  app.add_option("MODEL", arguments->model,
                 "model of dorm train or dorm tune, or trees of LightGBM, XGBoost,\nCatBoost, RankLib or ONNX");
  const OptionGroup output(app, "Output");
  CLI::Option* const out = written(output.add("-o,--output", arguments->output, "FILE",
                                              "file to write, or folder for targets that are folders; - is standard\n"
                                              "output (-)"));
  const auto take_target = [arguments, out](const std::string& name) {
    arguments->target = name;
    for (const ExportTarget& target : export_targets())
      if (target.entry.name == name && target.folder) out->type_name(kNewFolder);
  };
  app.add_option_function<std::string>("--to", take_target, "target to write the model for; see below")
      ->option_text("TARGET")
      ->group("Output");
  written(output.add("--features", arguments->features, "FILE",
                     "file to write with the definitions of the features for the target"));
  const OptionGroup how(app, "Model");
  how.add("--name", arguments->options.name, "NAME", "name of the model in the engine (dorm)");
  how.add("--names", arguments->names, "FILE", "CSV feature,name: names of the features in the target");
  how.flag("--fold", arguments->options.fold, "fold the scaling into the weights instead of writing normalisers");
  how.flag("--non-negative", arguments->options.non_negative,
           "shift scores to be non-negative for features in their training range");
  const OptionGroup checking(app, "Check");
  checking.add("--check", arguments->check, "DATA", "documents to score like the target and like the model");
  add_input_options(app, arguments->input);
  std::vector<CatalogEntry> targets;
  for (const ExportTarget& target : export_targets()) targets.push_back(target.entry);
  app.description(kExportDescription);
  app.footer(kExportExamples + ("\n" + catalog_text("Targets", targets)) +
             ("\n" + catalog_text("Targets of models of dorm fuse", fusion_targets())));
  return [arguments, &settings] { run_export(*arguments, settings); };
}

}  // namespace dorm::cli
