// SPDX-License-Identifier: Apache-2.0
// Training from shards in other processes.
#pragma once

#include <cstddef>

#include "dorm/learning/shard.h"
#include "dorm/train.h"

namespace dorm {

/// The same as train() from shards that respond to messages (dorm/learning/shard.h, docs/scale.md), to the bytes that
/// train() gives with the solver `shards`. Linear rankers only. `validation` sends requests to shards of held-out
/// queries. Throws Error(bad_input) that names the shard when a response is damaged, of another version, not finite or
/// missing, also after the request is repeated; otherwise as train().
TrainResult train_shards(const ShardTransport& ask, const TrainOptions& options, const ShardTransport& validation = {},
                         const TrainObserver& observer = {});

/// Default number of shards for the given numbers of queries and features: enough that few passes are needed, and few
/// enough that their cutting planes stay small.
std::size_t default_shards(std::size_t queries, std::size_t features);

}  // namespace dorm
