// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/sharded_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vector/ordered_sum.h"

namespace dorm {
namespace {

const Answer& with_numbers(const Answer& answer, std::size_t count) {
  if (answer.numbers.size() != count)
    throw Error(ErrorCode::bad_input, fmt::format("shard {} has answered with {} numbers; expected {}", answer.shard,
                                                  answer.numbers.size(), count));
  return answer;
}

std::vector<double> second_numbers(const std::vector<Answer>& answers) {
  std::vector<double> numbers;
  for (const Answer& answer : answers) numbers.push_back(with_numbers(answer, 2).numbers[1]);
  return numbers;
}

double first_numbers_sum(const std::vector<Answer>& answers) {
  double sum = 0;
  for (const Answer& answer : answers) sum += with_numbers(answer, 2).numbers[0];
  return sum;
}

}  // namespace

ShardBlocks::ShardBlocks(const ShardCrew& crew, std::vector<double> weights, double lists)
    : crew_(crew), weights_(std::move(weights)), geometry_(crew.description().features.size()) {
  const double total = std::accumulate(weights_.begin(), weights_.end(), 0.0);
  for (double& weight : weights_) weight *= total > 0 ? lists / total : 0.0;
}

void ShardBlocks::linearize_all(Question question, const BlockBatch& batch, BlockWorkers& workers,
                                const BlockVisitor& visit) const {
  question.w.assign(batch.w.begin(), batch.w.end());
  const std::vector<Answer> answers = crew_.ask(question);
  for (const Answer& answer : answers)
    if (weights_[static_cast<std::size_t>(&answer - answers.data())] > 0 && !geometry_.well_formed(answer.plane))
      throw Error(ErrorCode::bad_input,
                  fmt::format("shard {} has answered with a plane of another problem", answer.shard));
  const std::size_t count = batch.blocks.size();
  workers.run(batch.pieces, [&](std::size_t piece, std::size_t) {
    const std::size_t end = piece_begin(count, batch.pieces, piece + 1);
    for (std::size_t k = piece_begin(count, batch.pieces, piece); k < end; ++k) {
      const Answer& answer = answers[batch.blocks[k]];
      visit({k, batch.blocks[k], piece, answer.value, answer.plane});
    }
  });
}

double ShardBlocks::linearize(Question question, std::size_t block, std::span<const double> w, Plane& out) const {
  question.w.assign(w.begin(), w.end());
  std::vector<Answer> answers = crew_.ask(question);
  out = std::move(answers[block].plane);
  return answers[block].value;
}

ShardedRisk::Prepared ShardedRisk::prepare(const ShardCrew& crew, const std::string& setup) {
  Prepared prepared;
  for (const Answer& answer : crew.ask({.topic = Topic::prepare, .setup = setup})) {
    const std::vector<double>& numbers = with_numbers(answer, 5).numbers;
    prepared.lists += static_cast<std::size_t>(numbers[0]);
    prepared.weights.push_back(numbers[1]);
    prepared.longest = std::max(prepared.longest, static_cast<std::size_t>(numbers[2]));
    prepared.squares += numbers[3];
  }
  return prepared;
}

ShardedRisk::ShardedRisk(const ShardCrew& crew, const std::string& setup)
    : ShardedRisk(crew, setup, prepare(crew, setup)) {}

ShardedRisk::ShardedRisk(const ShardCrew& crew, const std::string& setup, Prepared prepared)
    : setup_(setup),
      lists_(prepared.lists),
      longest_(prepared.longest),
      squares_(prepared.squares),
      blocks_(crew, std::move(prepared.weights), static_cast<double>(prepared.lists)) {}

Question ShardedRisk::about(Topic topic) const {
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
    Question question = about(Topic::changed);
    question.w.assign(w.begin(), w.end());
    changed = static_cast<std::size_t>(blocks_.crew().sum(question).at(0));
  }
  bound_ = bound;
  reference_.assign(w.begin(), w.end());
  return changed;
}

double ShardedRisk::loss(std::span<const double> w) const {
  Question question = about(Topic::value);
  question.w.assign(w.begin(), w.end());
  const std::vector<Answer> answers = blocks_.crew().ask(question);
  double sum = 0;
  for (std::size_t block = 0; block < answers.size(); ++block) sum += block_weight(block) * answers[block].value;
  return sum;
}

ShardedPairs::ShardedPairs(const ShardCrew& crew, Question question)
    : ShardedPairs(crew, question, [&] {
        question.topic = Topic::pairs;
        return crew.ask(question);
      }()) {}

ShardedPairs::ShardedPairs(const ShardCrew& crew, Question question, const std::vector<Answer>& answers)
    : question_(std::move(question)),
      lists_(static_cast<std::size_t>(first_numbers_sum(answers))),
      blocks_(crew, second_numbers(answers), static_cast<double>(lists_)) {
  question_.topic = Topic::hinge;
}

double ShardedPairs::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace&) const {
  return blocks_.linearize(question_, block, w, out);
}

void ShardedPairs::linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const {
  blocks_.linearize_all(question_, batch, workers, visit);
}

}  // namespace dorm
