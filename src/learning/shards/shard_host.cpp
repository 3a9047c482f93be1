// SPDX-License-Identifier: Apache-2.0
#include <mutex>

#include "base/parallel.h"
#include "learning/shards/shard_worker.h"
#include "model/features/scaled_rows.h"

namespace dorm {
namespace {

ShardResponse failure(const Error& error, std::uint32_t shard) {
  ShardResponse response;
  response.shard = shard;
  response.failed = true;
  response.code = error.code();
  response.text = error.what();
  return response;
}

// Of `bytes` for all, what falls to one.
std::uint64_t share_of(std::uint64_t bytes, const Dataset& data, std::uint64_t all) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) * static_cast<double>(dense_bytes(data)) /
                                    static_cast<double>(all));
}

}  // namespace

struct ShardHost::State {
  std::size_t threads;
  std::vector<ShardWorker> workers;
  std::mutex mutex;  // one request at a time
};

ShardHost::ShardHost(std::vector<Shard> shards, const ComputeOptions& compute) : state_(std::make_unique<State>()) {
  state_->threads = thread_count(compute.threads);
  std::uint64_t all = 1;
  for (const Shard& shard : shards) all += dense_bytes(shard.data);
  const std::uint64_t scaled_bytes = compute.memory > 0 ? compute.memory : default_kept_bytes(all);
  for (Shard& shard : shards) {
    if (shard.data.num_queries() == 0) continue;
    const std::uint64_t kept = share_of(scaled_bytes, shard.data, all);
    state_->workers.emplace_back(std::move(shard), kept);
  }
}

ShardHost::~ShardHost() = default;
ShardHost::ShardHost(ShardHost&&) noexcept = default;
ShardHost& ShardHost::operator=(ShardHost&&) noexcept = default;

std::vector<std::uint32_t> ShardHost::numbers() const {
  std::vector<std::uint32_t> numbers;
  for (const ShardWorker& worker : state_->workers) numbers.push_back(worker.number());
  return numbers;
}

std::vector<std::string> ShardHost::response(std::string_view bytes) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> responses(state_->workers.size());
  const std::uint64_t number = question_number(bytes);
  ShardRequest request;
  std::optional<Error> unreadable;
  try {
    request = ShardRequest::parse(bytes);
  } catch (const Error& error) {
    unreadable = error;
  }
  parallel_for(responses.size(), state_->threads, [&](std::size_t k, std::size_t) {
    ShardWorker& worker = state_->workers[k];
    ShardResponse response;
    try {
      response = unreadable ? failure(*unreadable, worker.number()) : worker.response(request);
    } catch (const Error& error) {
      response = failure(error, worker.number());
    }
    response.request = number;
    responses[k] = response.bytes();
  });
  return responses;
}

}  // namespace dorm
