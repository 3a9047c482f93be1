// SPDX-License-Identifier: Apache-2.0
#include "dorm/learning/train_shards.h"

#include <algorithm>

#include "dorm/data/prepare.h"
#include "learning/train/learning_task.h"
#include "learning/train/memory.h"
#include "learning/train/sharded_problem.h"
#include "learning/train/training.h"

namespace dorm {
namespace {

constexpr std::size_t kFewestShards = 64, kMostShards = 2048;
constexpr std::size_t kPlaneBytes = std::size_t{1} << 28;  // of about kPlanes of each shard
constexpr std::size_t kPlanes = 20;

std::vector<Shard> numbered(std::vector<Dataset> parts) {
  std::vector<Shard> shards;
  for (std::size_t s = 0; s < parts.size(); ++s) shards.push_back({static_cast<std::uint32_t>(s), std::move(parts[s])});
  return shards;
}

}  // namespace

std::size_t default_shards(std::size_t queries, std::size_t features) {
  const std::size_t affordable = kPlaneBytes / (kPlanes * sizeof(float) * std::max<std::size_t>(1, features));
  const std::size_t wanted = std::clamp(queries / 2, kFewestShards, kMostShards);
  return std::max<std::size_t>(1, std::min({wanted, std::max<std::size_t>(8, affordable), queries}));
}

TrainResult train_shards(const ShardTransport& ask, const TrainOptions& options, const ShardTransport& validation,
                         const TrainObserver& observer) {
  require_given(options, {&options.bound, 1});
  const auto problem = [&] { return std::make_unique<ShardedProblem>(ask, options, validation); };
  Training training(options, problem, observer);
  training.run();
  return {training.model(training.weights()), training.report()};
}

TrainResult train_in_shards(const Dataset& data, const TrainOptions& options, const Dataset* validation,
                            const TrainObserver& observer) {
  options.validate();
  const std::size_t count =
      options.shards > 0 ? options.shards : default_shards(data.num_queries(), data.num_features());
  ComputeOptions scaled{.threads = options.compute.threads};  // its memory is for scaled features
  TrainOptions driving = options;
  if (options.compute.memory > 0) {
    const MemoryShares shares = plan_memory(data, validation, options, {}).shares;
    scaled.memory = shares.scaled;
    driving.compute.memory = shares.planes;
  }
  const ShardHost host(numbered(split_into_shards(data, count)), scaled);
  std::optional<ShardHost> held_out;
  if (validation)  // validated with its documents in the order of the input, as evaluation does
    held_out.emplace(numbered(queries_of_shards(*validation, count)), scaled);
  ShardTransport ask_held_out;
  if (held_out) ask_held_out = [&](std::string_view request) { return held_out->response(request); };
  return train_shards([&](std::string_view request) { return host.response(request); }, driving, ask_held_out,
                      observer);
}

}  // namespace dorm
