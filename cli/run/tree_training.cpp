// SPDX-License-Identifier: Apache-2.0
#include "run/tree_training.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/json.h"
#include "base/stopwatch.h"
#include "dorm/error.h"
#include "options/report_files.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/stop.h"

namespace dorm::cli {
namespace {

constexpr std::string_view kMethod = "lightgbm";
constexpr std::size_t kRoundsWithoutValidation = 100;
constexpr const char* kStopping = "dorm: stopping: the trees so far are written; a second signal ends at once\n";

std::size_t whole(std::string_view text, const std::string& method) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw Error(
        ErrorCode::bad_option,
        fmt::format("method \"{}\"; expected lightgbm[:LOSS[~LEAVES[~ROUNDS]]], such as lightgbm:dorm~15~200", method));
  return value;
}

std::string outcome_text(const GrownTrees& grown, const GrowOptions& options, const TrainingData& data,
                         const TrainingArguments& arguments) {
  std::size_t leaves = 0;
  for (const TreeNode& node : grown.trees.nodes) leaves += node.leaf();
  std::string text =
      fmt::format("grown by      LightGBM, loss {}, up to {} leaves\n", name_of(options.loss), options.leaves);
  text += fmt::format("trees         {} with {} leaves\n", grown.trees.num_trees(), leaves);
  if (data.valid)
    text += fmt::format("validation    {} {:.4f} on {}; the rounds were chosen on other queries\n", options.validated,
                        grown.validation, arguments.valid);
  return text + fmt::format("model         {}\n", arguments.model) + report_lines(arguments.reports);
}

}  // namespace

bool is_tree_method(const std::string& method) {
  return std::string_view(method).substr(0, method.find(':')) == kMethod;
}

GrowOptions parse_tree_method(const std::string& method) {
  GrowOptions options;
  std::string_view rest = std::string_view(method).substr(kMethod.size());
  const auto next = [&rest] {
    if (rest.empty()) return std::string_view();
    const std::size_t end = rest.find('~', 1);
    const std::string_view piece = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
    return piece;
  };
  if (const auto loss = next(); !loss.empty()) options.loss = parse_tree_loss(loss);
  if (const auto leaves = next(); !leaves.empty()) options.leaves = whole(leaves, method);
  options.rounds = 0;
  if (const auto rounds = next(); !rounds.empty()) options.rounds = whole(rounds, method);
  if (!rest.empty()) whole(rest, method);
  GrowOptions checked = options;
  if (checked.rounds == 0) checked.rounds = 1;
  checked.validate();
  return options;
}

std::string tree_method_text() {
  std::string text = "  lightgbm[:LOSS[~LEAVES[~ROUNDS]]]     trees grown by LightGBM (docs/trees.md), for a LOSS:\n";
  for (const CatalogEntry& loss : tree_loss_catalog()) text += fmt::format("    {:<12}{}\n", loss.name, loss.help);
  return text;
}

void train_trees(const TrainingArguments& arguments, const std::string& method, const TrainingData& data,
                 const Settings& settings) {
  const TrainOptions& train = arguments.options;
  if (train.kernel != "none" || !train.target.empty() || !train.checkpoint.empty())
    throw Error(ErrorCode::unsupported, fmt::format("--method {} takes no kernel, target or checkpoint", kMethod));
  if (!arguments.reports.empty())
    throw Error(ErrorCode::unsupported,
                "--report is about linear rankers; expected dorm eval DATA MODEL --report FILE");
  GrowOptions options = parse_tree_method(method);
  options.measure = options.validated = train.measure;
  options.convention = train.convention;
  options.one_per = train.one_per;
  options.seed = train.solve.seed;
  std::vector<std::string> features;
  for (std::size_t j = 0; j < data.train.num_features(); ++j) features.push_back(data.train.feature_name(j));
  options.signs = signs_of(train.signs, features);
  if (options.rounds == 0) options.rounds = data.valid ? GrowOptions().rounds : kRoundsWithoutValidation;
  const TimeLimit limit(train.solve.seconds);
  const StopRequest stop(settings.quiet ? nullptr : kStopping);
  GrownTrees grown;
  {
    LiveLine line;
    const auto observer = [&](const GrowProgress& progress) {
      if (!settings.quiet && line.due()) {
        std::string text = fmt::format("dorm: {} of at most {} trees", progress.round, progress.rounds);
        if (!std::isnan(progress.validation))
          text += fmt::format(", validation {} {:.4f}", train.measure, progress.validation);
        line.show(static_cast<double>(progress.round) / static_cast<double>(progress.rounds),
                  text + ", " + duration_text(line.seconds()));
      }
      return stop.signal() == 0 && !limit.over();
    };
    grown = about_file(arguments.data, [&] {
      return TreeGrower(load_lightgbm(arguments.lightgbm), data.train, data.validation()).grow(options, observer);
    });
  }
  const int signal = stop.signal();
  Json json = {{"model", arguments.model},         {"method", method},
               {"loss", name_of(options.loss)},    {"leaves", options.leaves},
               {"trees", grown.trees.num_trees()}, {"interrupted", signal != 0}};
  if (data.valid) json["validation"] = grown.validation;
  const std::string text = outcome_text(grown, options, data, arguments);
  write_text(arguments.model, to_json(model_of(std::move(grown), data.train, options)));
  if (signal != 0) warn(settings, "interrupted; the model is that of the trees so far");
  if (arguments.model != "-") print(settings.json ? printable_json(json, 2) + "\n" : text);
  if (signal != 0) throw Stopped{signal};
}

}  // namespace dorm::cli
