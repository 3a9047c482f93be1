// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/shard_crew.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/byte_stream.h"

namespace dorm {
namespace {

/// An answer that cannot be used; asking again may help.
struct Unusable {
  std::string why;
};

template <class T>
bool all_finite(const std::vector<T>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](T x) { return std::isfinite(x); });
}

Answer believed(std::string_view bytes, std::uint64_t question, bool finite) {
  Answer answer;
  try {
    answer = Answer::parse(bytes);
  } catch (const Error& error) {
    throw Unusable{error.what()};
  }
  if (answer.question != question)
    throw Unusable{fmt::format("shard {}: its answer is to another question", answer.shard)};
  if (answer.failed) throw Error(answer.code, fmt::format("shard {}: {}", answer.shard, answer.text));
  const bool sound = std::isfinite(answer.value) && std::isfinite(answer.plane.offset) &&
                     all_finite(answer.plane.direction) && (!finite || all_finite(answer.numbers));
  if (!sound) throw Unusable{fmt::format("shard {}: its answer is not finite", answer.shard)};
  return answer;
}

}  // namespace

ShardCrew::ShardCrew(AskShards ask) : ask_(std::move(ask)) { take_descriptions(this->ask({.topic = Topic::describe})); }

std::vector<Answer> ShardCrew::ask(const Question& question, bool finite) const {
  const std::string bytes = question.bytes();
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

std::vector<Answer> ShardCrew::ask_once(const std::string& bytes, bool finite) const {
  const std::uint64_t number = question_number(bytes);
  std::vector<Answer> answers;
  for (const std::string& each : ask_(bytes)) answers.push_back(believed(each, number, finite));
  std::sort(answers.begin(), answers.end(), [](const Answer& a, const Answer& b) { return a.shard < b.shard; });
  for (std::size_t k = 1; k < answers.size(); ++k)
    if (answers[k].shard == answers[k - 1].shard)
      throw Unusable{fmt::format("shard {} has answered twice: its queries lie in two places", answers[k].shard)};
  if (numbers_.empty()) return answers;
  for (std::size_t k = 0; k < std::max(numbers_.size(), answers.size()); ++k) {
    if (k >= answers.size() || (k < numbers_.size() && answers[k].shard > numbers_[k]))
      throw Unusable{fmt::format("shard {} has not answered", numbers_[k])};
    if (k >= numbers_.size() || answers[k].shard < numbers_[k])
      throw Unusable{fmt::format("shard {} has answered, but was not there before", answers[k].shard)};
  }
  return answers;
}

void ShardCrew::take_descriptions(const std::vector<Answer>& answers) {
  if (answers.empty()) throw Error(ErrorCode::bad_input, "no shard has answered: there is nothing to learn from");
  ByteWriter fingerprints;
  for (const Answer& answer : answers) {
    const Model one = model_from_json(answer.text, fmt::format("description of shard {}", answer.shard));
    if (answer.numbers.size() != 2)
      throw Error(ErrorCode::bad_input, fmt::format("shard {}: a description of another form", answer.shard));
    if (numbers_.empty()) {
      description_ = one;
      description_.data.queries = description_.data.documents = 0;
    } else if (one.features != description_.features) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("shard {} has {} features (\"{}\" ...), shard {} has {} (\"{}\" ...); expected the same "
                              "names everywhere",
                              numbers_.front(), description_.features.size(), description_.features.front(),
                              answer.shard, one.features.size(), one.features.empty() ? "" : one.features.front()));
    }
    description_.data.statistics.add(description_.data.documents, one.data.statistics, one.data.documents);
    description_.data.queries += one.data.queries;
    description_.data.documents += one.data.documents;
    description_.data.features = std::max(description_.data.features, one.data.features);
    unit_range_ = unit_range_ && answer.numbers[0] != 0;
    numbers_.push_back(answer.shard);
    fingerprints.value(answer.shard);
    fingerprints.value(one.data.fingerprint);
  }
  description_.data.fingerprint = checksum_of(fingerprints.bytes());
}

std::vector<double> ShardCrew::sum(const Question& question) const {
  const std::vector<Answer> answers = ask(question);
  std::vector<double> sum;
  for (const Answer& answer : answers) {
    if (answer.numbers.empty()) continue;
    if (sum.empty()) sum.resize(answer.numbers.size(), 0.0);
    if (answer.numbers.size() != sum.size())
      throw Error(ErrorCode::bad_input, fmt::format("shard {} has answered with {} numbers, others with {}",
                                                    answer.shard, answer.numbers.size(), sum.size()));
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += answer.numbers[j];
  }
  return sum;
}

}  // namespace dorm
