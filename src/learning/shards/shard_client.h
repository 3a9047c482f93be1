// SPDX-License-Identifier: Apache-2.0
// The driver's side of requests: who is to response, and whether an response can be believed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dorm/learning/shard.h"
#include "dorm/model.h"
#include "learning/shards/message.h"

namespace dorm {

class ShardClient {
 public:
  /// Asks who is there. Throws Error(bad_input) when nobody is, or when shards differ in their features.
  explicit ShardClient(ShardTransport ask);

  /// In increasing order of their numbers.
  std::size_t size() const { return numbers_.size(); }
  std::uint32_t number(std::size_t k) const { return numbers_[k]; }

  /// Features and summary of all documents, no weights.
  const Model& description() const { return description_; }
  bool unit_range() const { return unit_range_; }  // all features are in [0, 1]

  /// One response of each, in the order of their numbers. Where one is missing or cannot be believed, all are asked
  /// once more; then throws Error(bad_input) that names the shard. `finite`: all numbers are to be so.
  std::vector<ShardResponse> ask(const ShardRequest& request, bool finite = true) const;
  /// The sum of their numbers, place by place, over shards with numbers; throws likewise where their counts differ.
  std::vector<double> sum(const ShardRequest& request) const;

 private:
  std::vector<ShardResponse> ask_once(const std::string& bytes, bool finite) const;
  void take_descriptions(const std::vector<ShardResponse>& responses);

  ShardTransport ask_;
  std::vector<std::uint32_t> numbers_;  // empty before the first request
  Model description_;
  bool unit_range_ = true;
};

}  // namespace dorm
