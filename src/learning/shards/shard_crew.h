// SPDX-License-Identifier: Apache-2.0
// The driver's side of questions: who is to answer, and whether an answer can be believed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dorm/model.h"
#include "dorm/learning/shard.h"
#include "learning/shards/message.h"

namespace dorm {

class ShardCrew {
 public:
  /// Asks who is there. Throws Error(bad_input) when nobody is, or when shards differ in their features.
  explicit ShardCrew(AskShards ask);

  /// In increasing order of their numbers.
  std::size_t size() const { return numbers_.size(); }
  std::uint32_t number(std::size_t k) const { return numbers_[k]; }

  /// Features and summary of all documents, no weights.
  const Model& description() const { return description_; }
  bool unit_range() const { return unit_range_; }  // all features are in [0, 1]

  /// One answer of each, in the order of their numbers. Where one is missing or cannot be believed, all are asked once
  /// more; then throws Error(bad_input) that names the shard. `finite`: all numbers are to be so.
  std::vector<Answer> ask(const Question& question, bool finite = true) const;
  /// The sum of their numbers, place by place, of those that have any; throws likewise where they are not equally many.
  std::vector<double> sum(const Question& question) const;

 private:
  std::vector<Answer> ask_once(const std::string& bytes, bool finite) const;
  void take_descriptions(const std::vector<Answer>& answers);

  AskShards ask_;
  std::vector<std::uint32_t> numbers_;  // empty before the first question
  Model description_;
  bool unit_range_ = true;
};

}  // namespace dorm
