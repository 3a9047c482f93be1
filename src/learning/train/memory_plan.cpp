// SPDX-License-Identifier: Apache-2.0
// How a training shares out the memory it may take.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "learning/train/learning_task.h"
#include "learning/train/memory.h"
#include "learning/train/scaling_choice.h"

namespace dorm {
namespace {

constexpr std::uint64_t kLeastCache = 1'000'000;  // of one split

/// Curves: two bytes a value, and planes with the rises of every piece.
void add_curves(MemoryInput& input, const Dataset& data, const std::string& curves) {
  if (!wants_curves(curves)) return;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  const CurveRequest request = parse_curves(curves, names);
  input.plane_length = std::accumulate(request.pieces.begin(), request.pieces.end(), input.features);
  input.kept += input.copies * input.documents * input.features * sizeof(std::uint16_t);
}

/// Of a training under one kernel; `cache`: for the rows of its Gram matrices, of all splits.
MemoryForecast forecast_of(const Dataset& data, const Dataset* validation, const TrainOptions& options,
                           const TrainingLoad& load, const std::string& kernel_spec, std::uint64_t cache) {
  MemoryInput input = memory_input(data, settle_scaling(data, options));
  KernelOptions kernel(options);
  kernel.spec = kernel_spec;
  input.copies = std::max<std::size_t>(1, load.folds);
  input.running = load.running;
  input.plane_sets = load.plane_sets;
  input.planes_per_block = options.solve.planes_per_block;
  kernel.cache_bytes = cache / input.copies;
  if (load.functions > 1) input.plane_length = load.functions * input.features;
  input.validation = validation ? validation->num_documents() : 0;
  std::uint64_t evaluated = input.validation;
  if (load.folds > 0) {
    evaluated = input.documents / load.folds + 1;
    input.learnable = input.learnable * (load.folds - 1) / load.folds + 1;
  }
  add_curves(input, data, options.curves);
  const std::uint64_t queries = validation ? validation->num_queries() : input.queries;
  input.kept +=
      load.points * (input.copies * num_weights(input, kernel) + queries) * sizeof(double) * load.copies_of_points;
  add_kernel(input, kernel, evaluated);
  return predict_memory(input);
}

/// Of the kernels, which are tried one after the other, the one that takes most.
MemoryForecast largest_forecast(const Dataset& data, const Dataset* validation, const TrainOptions& options,
                                const TrainingLoad& load, std::uint64_t cache) {
  MemoryForecast largest;
  for (const std::string& kernel : load.kernels.empty() ? std::vector{options.kernel} : load.kernels)
    if (const MemoryForecast each = forecast_of(data, validation, options, load, kernel, cache);
        largest.total() == 0 || each.total() > largest.total())
      largest = each;
  return largest;
}

}  // namespace

ScalingKind settle_scaling(const Dataset& data, const TrainOptions& options) {
  return ScalingChoice(options.scale, options.target).settle(data, options.kernel, options.compute.threads);
}

MemoryPlan plan_memory(const Dataset& data, const Dataset* validation, const TrainOptions& given,
                       const TrainingLoad& load) {
  TrainOptions options = given;
  options.scale = name_of(settle_scaling(data, given));  // once: auto takes a pass over the features
  const std::uint64_t splits = std::max<std::size_t>(1, load.folds), limit = options.compute.process_memory();
  if (limit == 0)
    return {largest_forecast(data, validation, options, load, kDefaultCache), {.cache = kDefaultCache / splits}};
  // Half of what is not needed goes to kernel values; those of validation documents take a quarter of the cache more.
  const std::uint64_t least = largest_forecast(data, validation, options, load, splits * kLeastCache).least();
  const std::uint64_t cache = std::max(splits * kLeastCache, limit > least ? (limit - least) / 5 * 2 : 0);
  MemoryPlan plan{largest_forecast(data, validation, options, load, cache), {}};
  limit_memory(plan.forecast, limit);
  const std::uint64_t trained = data.num_documents(), validated = validation ? validation->num_documents() : 0;
  const double share = static_cast<double>(trained) / static_cast<double>(splits * trained + validated);
  plan.shares = {.planes = std::max<std::uint64_t>(1, plan.forecast.planes / (load.running * load.plane_sets)),
                 .scaled = 1 + static_cast<std::uint64_t>(static_cast<double>(plan.forecast.scaled) * share),
                 .cache = cache / splits};
  return plan;
}

MemoryForecast forecast_memory(const Task& task, const TrainOptions& options, const Task& validation) {
  return plan_memory(task.data(), validation ? &validation.data() : nullptr, options,
                     {.functions = task.learning().functions()})
      .forecast;
}

}  // namespace dorm
