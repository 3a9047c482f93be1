// SPDX-License-Identifier: Apache-2.0
// What options may say, checked before any data is touched.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/validate.h"
#include "device/row_device.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "dorm/train.h"
#include "learning/train/kernel_options.h"
#include "learning/train/learning_task.h"
#include "learning/train/scaling_choice.h"
#include "model/kernel/feature_map.h"

namespace dorm {
namespace {

constexpr CatalogEntry kAutoBound = {
    "auto", "auto", "best, averaged with predicted where it explains less than half of the risk of w = 0"};
constexpr std::array<CatalogEntry, 5> kStarts = {{
    {"auto", "auto", "ridge; for predicted also pairwise"},
    {"ridge", "ridge", "ridge regression on labels centred within each query"},
    {"ridge-gain", "ridge-gain", "the same on the gains of the labels"},
    {"pairwise", "pairwise", "mean pairwise hinge of each query"},
    {"pairwise-gain", "pairwise-gain", "the same, a pair weighing the difference of its gains"},
}};

void check_ranges(const TrainOptions& options) {
  for (const TrainOption& option : train_option_catalog()) {
    const OptionValue value = option.get(options);
    const auto* const real = std::get_if<double>(&value);
    const auto* const count = std::get_if<std::uint64_t>(&value);
    if (!real && !count) continue;
    const double number = real ? *real : static_cast<double>(*count);
    require(option.range.contains(number), option.name, number, option.range.text());
  }
}

// A device answers for all documents at once: solvers that ask for some at a time would wait for it at every step. Of
// an exact kernel it makes values, whatever the solver.
void check_device(const TrainOptions& options) {
  check_device_name(options.compute.device);
  if (options.compute.device == "cpu" || KernelOptions(options).exact()) return;
  const SolverKind solver = options.solve.solver;
  if (solver != SolverKind{} && solver != parse_solver("lbfgs") && solver != parse_solver("shards") &&
      solver != parse_solver("oneslack"))
    throw Error(ErrorCode::bad_option,
                fmt::format("the solver {} does not ask for all queries at once, as the device {} answers; expected "
                            "lbfgs, shards or oneslack",
                            solver_name(solver), options.compute.device));
}

void check_curves(const TrainOptions& options) {
  parse_curves(options.curves, {});
  if (!wants_curves(options.curves)) return;
  const auto refuse = [&](bool given, std::string_view what) {
    if (given)
      throw Error(ErrorCode::unsupported, fmt::format("curves \"{}\" are not learnt {}", options.curves, what));
  };
  refuse(KernelOptions(options).used(), "beside a kernel; expected one of them");
  refuse(options.initial != nullptr, "from an initial model; expected a name");
  refuse(options.compute.device != "cpu", fmt::format("on the device {}; expected cpu", options.compute.device));
  refuse(options.solve.solver == parse_solver("shards"), "by the solver shards; expected another");
}

}  // namespace

TrainOptions for_device(TrainOptions options) {
  if (options.compute.device != "cpu" && options.solve.solver == SolverKind{} && !KernelOptions(options).exact())
    options.solve.solver = parse_solver("lbfgs");
  return options;
}

void require_cpu(const TrainOptions& options, std::string_view what) {
  if (options.compute.device != "cpu")
    throw Error(ErrorCode::unsupported,
                fmt::format("{} not learnt on the device {}; expected the device cpu", what, options.compute.device));
}

std::string_view name_of(InitialModel start) {
  if (start == InitialModel::zero) return "zero";
  return start == InitialModel::model ? "model" : kStarts[1 + static_cast<std::size_t>(start)].name;
}
std::string_view name_of(BoundChoice choice) { return choice ? name_of(*choice) : kAutoBound.name; }
std::string_view name_of(InitialModelChoice choice) { return choice ? name_of(*choice) : kStarts[0].name; }

BoundChoice parse_bound_choice(std::string_view name) {
  if (name == kAutoBound.name) return std::nullopt;
  const std::span<const CatalogEntry> known = bound_catalog();
  if (std::none_of(known.begin(), known.end(), [&](const CatalogEntry& entry) { return entry.name == name; }))
    throw_unknown_name("bound", name, bound_choices());
  return parse_bound(name);
}

InitialModelChoice parse_initial_model(std::string_view name) {
  for (std::size_t i = 0; i < kStarts.size(); ++i)
    if (kStarts[i].name == name) return i == 0 ? std::nullopt : InitialModelChoice(static_cast<InitialModel>(i - 1));
  throw_unknown_name("start", name, kStarts);
}

std::vector<CatalogEntry> bound_choices() {
  std::vector<CatalogEntry> choices = {kAutoBound};
  choices.insert(choices.end(), bound_catalog().begin(), bound_catalog().end());
  return choices;
}
std::span<const CatalogEntry> initial_model_catalog() { return kStarts; }

void TrainOptions::validate() const {
  const Convention known = make_convention(convention);
  if (!own_measure) make_trainable(measure, known);
  const Decay parsed_decay(decay);
  if (!one_per.empty()) parse_one_per(one_per);
  ScalingChoice(scale, target).validate();
  if (start >= InitialModel::model)
    throw Error(ErrorCode::bad_option,
                fmt::format("the start is {} as a result only; expected a cheap ranker", name_of(start)));
  if (KernelOptions(*this).used()) {
    if (signs.used())
      throw Error(
          ErrorCode::unsupported,
          fmt::format("signs are those of the weights of features, which the kernel \"{}\" does not have; expected "
                      "no kernel",
                      kernel_function ? kernel_function->spec() : kernel));
    require_kernels(target);
    if (kernel_function == nullptr) check_kernel_spec(kernel);
    if (approximation != "none") parse_approximation(approximation);
    if (kernel == "precomputed" && (approximation != "none" || (scale != "auto" && scale != "none")))
      throw Error(ErrorCode::bad_option,
                  "a precomputed kernel is taken as it is; expected no scaling and no approximation");
  }
  check_curves(*this);
  check_ranges(*this);
  solve.validate();
  check_device(*this);
  require(std::isfinite(checkpoint_seconds) && checkpoint_seconds >= 0, "checkpoint interval", checkpoint_seconds,
          "seconds");
  if (!checkpoint.empty() && (own_measure || initial || patience > 0))
    throw Error(ErrorCode::unsupported,
                "a checkpoint does not record measures of the caller's own, initial models or early stopping");
}

}  // namespace dorm
