// SPDX-License-Identifier: Apache-2.0
// What travels between a driver and its shards, with its checksum set right, and the list of a folder of shards.
#include "base/byte_stream.h"
#include "data/io/binary/shard_list.h"
#include "dorm/data/prepare.h"
#include "dorm/learning/shard.h"
#include "learning/shards/message.h"
#include "target.h"

namespace dorm::fuzz {
namespace {

constexpr std::size_t kSum = sizeof(std::uint64_t);

std::string sealed(Bytes input) {
  std::string bytes(as_text(input));
  const std::uint64_t sum = checksum_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), kSum);
  return bytes;
}
std::string unsealed(const std::string& bytes) { return bytes.substr(0, bytes.size() - kSum); }

const ShardHost& host() {
  static const ShardHost shards = [] {
    std::vector<Shard> held;
    for (Dataset& part : split_into_shards(small_data(), 2))
      held.push_back({static_cast<std::uint32_t>(held.size()), std::move(part)});
    return ShardHost(std::move(held), {.threads = 1});
  }();
  return shards;
}

// Whatever is asked, there is a response for each shard, which may be an error.
void shard_request(Bytes input) {
  const std::vector<std::string> responses = host().response(sealed(input));
  require(responses.size() == host().numbers().size());
  for (const std::string& response : responses) ShardResponse::parse(response);
}

void shard_response(Bytes input) {
  const std::string again = ShardResponse::parse(sealed(input)).bytes();
  require(ShardResponse::parse(again).bytes() == again);
}

void shard_list(Bytes input) {
  const std::string again = to_json(parse_shard_list(as_text(input), "shards.json"));
  require(to_json(parse_shard_list(again, "shards.json")) == again);
}

std::vector<ShardRequest> requests() {
  ShardSetup setup{.measure = "ndcg@3", .convention = "standard"};
  const std::string plain = setup.text();
  setup.scaling = {.kind = ScalingKind::zscore, .shift = {0, 0, 0}, .factor = {1, 1, 1}};
  std::vector<ShardRequest> all;
  for (const std::string& text : {plain, setup.text()})
    for (int topic = 0; topic <= static_cast<int>(Topic::judge); ++topic)
      all.push_back({.topic = static_cast<Topic>(topic),
                     .bound = Bound::best,
                     .setup = text,
                     .reference = {1, 0, 0.5},
                     .w = {0.5, -1, 0.25}});
  return all;
}

std::vector<Seed> request_seeds() {
  std::vector<Seed> seeds;
  for (const ShardRequest& request : requests())
    seeds.push_back({std::to_string(seeds.size()), unsealed(request.bytes())});
  return seeds;
}

std::vector<Seed> response_seeds() {
  std::vector<Seed> seeds;
  for (const ShardRequest& request : requests())
    for (const std::string& response : host().response(request.bytes()))
      seeds.push_back({std::to_string(seeds.size()), unsealed(response)});
  return seeds;
}

std::vector<Seed> list_seeds() {
  return {{"two", to_json({8, {{"part-00003-of-00008.dorm", 5, 70, 12345}, {"part-00007-of-00008.dorm", 1, 2, 1}}})}};
}

}  // namespace

std::span<const Target> shard_targets() {
  static constexpr Target kTargets[] = {{"shard_request", shard_request, request_seeds},
                                        {"shard_response", shard_response, response_seeds},
                                        {"shard_list", shard_list, list_seeds}};
  return kTargets;
}

}  // namespace dorm::fuzz
