// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/shard_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"

namespace dorm {
namespace {

/// An response that cannot be used; asking again may help.
struct Unusable {
  std::string why;
};

template <class T>
bool all_finite(const std::vector<T>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](T x) { return std::isfinite(x); });
}

ShardResponse believed(std::string_view bytes, std::uint64_t request, bool finite) {
  ShardResponse response;
  try {
    response = ShardResponse::parse(bytes);
  } catch (const Error& error) {
    throw Unusable{error.what()};
  }
  if (response.request != request)
    throw Unusable{fmt::format("shard {}: its response is to another request", response.shard)};
  if (response.failed) throw Error(response.code, fmt::format("shard {}: {}", response.shard, response.text));
  const bool sound = std::isfinite(response.value) && std::isfinite(response.plane.offset) &&
                     all_finite(response.plane.direction) && (!finite || all_finite(response.numbers));
  if (!sound) throw Unusable{fmt::format("shard {}: its response is not finite", response.shard)};
  return response;
}

}  // namespace

ShardClient::ShardClient(ShardTransport ask) : ask_(std::move(ask)) {
  take_descriptions(this->ask({.topic = Topic::describe}));
}

std::vector<ShardResponse> ShardClient::ask(const ShardRequest& request, bool finite) const {
  const std::string bytes = request.bytes();
  try {
    return ask_once(bytes, finite);
  } catch (const Unusable&) {
  }
  try {
    return ask_once(bytes, finite);
  } catch (const Unusable& unusable) {
    throw Error(ErrorCode::bad_input, unusable.why + " (asked twice)");
  }
}

std::vector<ShardResponse> ShardClient::ask_once(const std::string& bytes, bool finite) const {
  const std::uint64_t number = question_number(bytes);
  std::vector<ShardResponse> responses;
  for (const std::string& each : ask_(bytes)) responses.push_back(believed(each, number, finite));
  std::sort(responses.begin(), responses.end(),
            [](const ShardResponse& a, const ShardResponse& b) { return a.shard < b.shard; });
  for (std::size_t k = 1; k < responses.size(); ++k)
    if (responses[k].shard == responses[k - 1].shard)
      throw Unusable{fmt::format("shard {} has answered twice: its queries lie in two places", responses[k].shard)};
  if (numbers_.empty()) return responses;
  for (std::size_t k = 0; k < std::max(numbers_.size(), responses.size()); ++k) {
    if (k >= responses.size() || (k < numbers_.size() && responses[k].shard > numbers_[k]))
      throw Unusable{fmt::format("shard {} has not answered", numbers_[k])};
    if (k >= numbers_.size() || responses[k].shard < numbers_[k])
      throw Unusable{fmt::format("shard {} has answered, but was not there before", responses[k].shard)};
  }
  return responses;
}

void ShardClient::take_descriptions(const std::vector<ShardResponse>& responses) {
  if (responses.empty()) throw Error(ErrorCode::bad_input, "no shard has answered: there is nothing to learn from");
  ByteWriter fingerprints;
  for (const ShardResponse& response : responses) {
    const Model one = model_from_json(response.text, fmt::format("description of shard {}", response.shard));
    if (response.numbers.size() != 2)
      throw Error(ErrorCode::bad_input, fmt::format("shard {}: a description of another form", response.shard));
    if (numbers_.empty()) {
      description_ = one;
      description_.data.queries = description_.data.documents = 0;
    } else if (one.features != description_.features) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("shard {} has {} features (\"{}\" ...), shard {} has {} (\"{}\" ...); expected the same "
                              "names everywhere",
                              numbers_.front(), description_.features.size(), description_.features.front(),
                              response.shard, one.features.size(), one.features.empty() ? "" : one.features.front()));
    }
    description_.data.statistics.add(description_.data.documents, one.data.statistics, one.data.documents);
    description_.data.queries += one.data.queries;
    description_.data.documents += one.data.documents;
    description_.data.features = std::max(description_.data.features, one.data.features);
    unit_range_ = unit_range_ && response.numbers[0] != 0;
    numbers_.push_back(response.shard);
    fingerprints.value(response.shard);
    fingerprints.value(one.data.fingerprint);
  }
  description_.data.fingerprint = checksum_of(fingerprints.bytes());
}

std::vector<double> ShardClient::sum(const ShardRequest& request) const {
  const std::vector<ShardResponse> responses = ask(request);
  std::vector<double> sum;
  for (const ShardResponse& response : responses) {
    if (response.numbers.empty()) continue;
    if (sum.empty()) sum.resize(response.numbers.size(), 0.0);
    if (response.numbers.size() != sum.size())
      throw Error(ErrorCode::bad_input, fmt::format("shard {} has answered with {} numbers, others with {}",
                                                    response.shard, response.numbers.size(), sum.size()));
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += response.numbers[j];
  }
  return sum;
}

}  // namespace dorm
