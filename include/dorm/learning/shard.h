// SPDX-License-Identifier: Apache-2.0
// Training beyond one process. A shard is a set of whole queries that answers requests (bytes) with
// responses (bytes); the driver runs the solver and sends requests; an engine runs the processes and moves bytes.
// Responses depend on the documents and the request alone, and are summed in the order of the shards: the model does
// not depend on how many processes there were, which of them responded first, or whether requests were repeated. Guide:
// docs/scale.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/compute.h"
#include "dorm/dataset.h"

namespace dorm {

/// Of whole queries, in the order of split_into_shards().
struct Shard {
  std::uint32_t number = 0;
  Dataset data = {};
};

/// The shards that one process holds. It keeps nothing between requests that it could not make again.
class ShardHost {
 public:
  /// Of `compute`, the threads count, and the memory is for scaled features that are kept; 0: by their size.
  explicit ShardHost(std::vector<Shard> shards, const ComputeOptions& compute = {});
  ~ShardHost();
  ShardHost(ShardHost&&) noexcept;
  ShardHost& operator=(ShardHost&&) noexcept;

  /// The numbers of its shards.
  std::vector<std::uint32_t> numbers() const;

  /// One response for each shard, in their order; an error is a response, too. The same request may be sent
  /// again, and by any thread.
  std::vector<std::string> response(std::string_view request) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Sends a request to every shard and returns all responses, in any order. Shards that no process holds do not respond;
/// shards that respond to the first request must respond to every other. It may throw, which ends the training.
using ShardTransport = std::function<std::vector<std::string>(std::string_view request)>;

}  // namespace dorm
