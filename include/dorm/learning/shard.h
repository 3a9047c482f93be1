// SPDX-License-Identifier: Apache-2.0
// Training beyond one process. A shard is a set of whole queries that responses requests (bytes) with responses
// (bytes); the driver keeps the solver and asks; whoever runs the processes only moves bytes. Responses depend on the
// documents and the request alone, and are summed in the order of the shards: the model does not depend on how many
// processes there were, which of them answered first, or whether some had to be asked again. Guide: docs/scale.md.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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
  /// `scaled_bytes`: memory for scaled features that are kept; 0: by their size.
  explicit ShardHost(std::vector<Shard> shards, std::size_t threads = 0, std::uint64_t scaled_bytes = 0);
  ~ShardHost();
  ShardHost(ShardHost&&) noexcept;
  ShardHost& operator=(ShardHost&&) noexcept;

  /// The numbers of its shards.
  std::vector<std::uint32_t> numbers() const;

  /// One response for each shard, in their order; what goes wrong is an response, too. The same request may be asked
  /// again, and by any thread.
  std::vector<std::string> response(std::string_view request) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What runs the processes: asks every shard and returns all responses, in any order. Shards that nobody holds do not
/// response; those that answered the first request must response every other. It may throw, which ends the training.
using ShardTransport = std::function<std::vector<std::string>(std::string_view request)>;

}  // namespace dorm
