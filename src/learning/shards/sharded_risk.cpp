// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/sharded_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vector/ordered_sum.h"

namespace dorm {
namespace {

const ShardResponse& with_numbers(const ShardResponse& response, std::size_t count) {
  if (response.numbers.size() != count)
    throw Error(ErrorCode::bad_input, fmt::format("shard {} has answered with {} numbers; expected {}", response.shard,
                                                  response.numbers.size(), count));
  return response;
}

std::vector<double> second_numbers(const std::vector<ShardResponse>& responses) {
  std::vector<double> numbers;
  for (const ShardResponse& response : responses) numbers.push_back(with_numbers(response, 2).numbers[1]);
  return numbers;
}

double first_numbers_sum(const std::vector<ShardResponse>& responses) {
  double sum = 0;
  for (const ShardResponse& response : responses) sum += with_numbers(response, 2).numbers[0];
  return sum;
}

}  // namespace

ShardBlocks::ShardBlocks(const ShardClient& workers, std::vector<double> weights, double lists,
                         std::vector<std::int8_t> signs)
    : workers_(workers),
      weights_(std::move(weights)),
      geometry_(workers.description().features.size(), std::move(signs)) {
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight *= total > 0 ? lists / total : 0.0;
}

void ShardBlocks::linearize_all(ShardRequest request, const BlockBatch& batch, BlockWorkers& workers,
                                const BlockVisitor& visit) const {
  request.w.assign(batch.w.begin(), batch.w.end());
  const std::vector<ShardResponse> responses = workers_.ask(request);
  for (const ShardResponse& response : responses)
    if (weights_[static_cast<std::size_t>(&response - responses.data())] > 0 && !geometry_.well_formed(response.plane))
      throw Error(ErrorCode::bad_input,
                  fmt::format("shard {} has answered with a plane of another problem", response.shard));
  const std::size_t count = batch.blocks.size();
  workers.run(batch.pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t end = piece_begin(count, batch.pieces, piece + 1);
    for (std::size_t k = piece_begin(count, batch.pieces, piece); k < end; ++k) {
      const ShardResponse& response = responses[batch.blocks[k]];
      visit({k, batch.blocks[k], piece, response.value, response.plane});
    }
  });
}

double ShardBlocks::linearize(ShardRequest request, std::size_t block, std::span<const double> w, Plane& out) const {
  request.w.assign(w.begin(), w.end());
  std::vector<ShardResponse> responses = workers_.ask(request);
  out = std::move(responses[block].plane);
  return responses[block].value;
}

ShardedRisk::Prepared ShardedRisk::prepare(const ShardClient& workers, const std::string& setup) {
  Prepared prepared;
  for (const ShardResponse& response : workers.ask({.topic = Topic::prepare, .setup = setup})) {
    const std::vector<double>& numbers = with_numbers(response, 5).numbers;
    prepared.lists += static_cast<std::size_t>(numbers[0]);
    prepared.weights.push_back(numbers[1]);
    prepared.longest = std::max(prepared.longest, static_cast<std::size_t>(numbers[2]));
    prepared.squares += numbers[3];
  }
  return prepared;
}

ShardedRisk::ShardedRisk(const ShardClient& workers, const std::string& setup, std::vector<std::int8_t> signs)
    : ShardedRisk(workers, setup, prepare(workers, setup), std::move(signs)) {}

ShardedRisk::ShardedRisk(const ShardClient& workers, const std::string& setup, Prepared prepared,
                         std::vector<std::int8_t> signs)
    : setup_(setup),
      lists_(prepared.lists),
      longest_(prepared.longest),
      squares_(prepared.squares),
      blocks_(workers, std::move(prepared.weights), static_cast<double>(prepared.lists), std::move(signs)) {}

ShardRequest ShardedRisk::about(Topic topic) const {
  return {.topic = topic, .bound = bound_, .setup = setup_, .reference = reference_};
}

double ShardedRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace&) const {
  return blocks_.linearize(about(Topic::linearize), block, w, out);
}

void ShardedRisk::linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const {
  blocks_.linearize_all(about(Topic::linearize), batch, workers, visit);
}

std::size_t ShardedRisk::set_reference(Bound bound, std::span<const double> w) {
  if (!depends_on_scores(bound)) {
    bound_ = bound;
    reference_.clear();
    return 0;  // the same in every round
  }
  std::size_t changed = lists_;
  if (bound == bound_) {
    ShardRequest request = about(Topic::changed);
    request.w.assign(w.begin(), w.end());
    changed = static_cast<std::size_t>(blocks_.workers().sum(request).at(0));
  }
  bound_ = bound;
  reference_.assign(w.begin(), w.end());
  return changed;
}

double ShardedRisk::loss(std::span<const double> w) const {
  ShardRequest request = about(Topic::value);
  request.w.assign(w.begin(), w.end());
  const std::vector<ShardResponse> responses = blocks_.workers().ask(request);
  double sum = 0;
  for (std::size_t block = 0; block < responses.size(); ++block) sum += block_weight(block) * responses[block].value;
  return sum;
}

ShardedPairs::ShardedPairs(const ShardClient& workers, ShardRequest request, std::vector<std::int8_t> signs)
    : ShardedPairs(
          workers, request,
          [&] {
            request.topic = Topic::pairs;
            return workers.ask(request);
          }(),
          std::move(signs)) {}

ShardedPairs::ShardedPairs(const ShardClient& workers, ShardRequest request,
                           const std::vector<ShardResponse>& responses, std::vector<std::int8_t> signs)
    : question_(std::move(request)),
      lists_(static_cast<std::size_t>(first_numbers_sum(responses))),
      blocks_(workers, second_numbers(responses), static_cast<double>(lists_), std::move(signs)) {
  question_.topic = Topic::hinge;
}

double ShardedPairs::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace&) const {
  return blocks_.linearize(question_, block, w, out);
}

void ShardedPairs::linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const {
  blocks_.linearize_all(question_, batch, workers, visit);
}

}  // namespace dorm
