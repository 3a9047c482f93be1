// SPDX-License-Identifier: Apache-2.0
// One shard: whole queries that answer questions. An answer is a function of the documents and the question alone; what
// is kept between questions (scaled rows, prepared lists, references) can be made again at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dorm/learning/shard.h"
#include "learning/risk/pairwise_risk.h"
#include "learning/risk/ranking_risk.h"
#include "learning/shards/message.h"
#include "model/features/linear_features.h"
#include "model/scorer.h"

namespace dorm {

class ShardWorker {
 public:
  /// `kept_bytes` are spent on scaled rows, and on scaled values where it is asked to judge.
  ShardWorker(Shard shard, std::uint64_t kept_bytes) : shard_(std::move(shard)), kept_bytes_(kept_bytes) {}

  std::uint32_t number() const { return shard_.number; }

  /// Throws Error for a question that does not fit the documents.
  Answer answer(const Question& question);

 private:
  void set_up(const std::string& setup);
  RankingRisk& lists();
  void refer(const Question& question);
  const LinearFeatures& features();
  const LinearScorer& scorer();
  bool counts(const Question& question) const;
  const PairwiseRisk& pairs(bool gains);
  std::vector<double> targets(bool gains) const;
  void require_weights(const Question& question) const;
  Model model_of_features() const;  // no weights, no scaling yet

  void describe(Answer& answer) const;
  void statistics(bool logarithm, Answer& answer) const;
  void prepare(Answer& answer);
  void answer_start(const Question& question, Answer& answer);
  void answer_lists(const Question& question, Answer& answer);
  void judge(const Question& question, Answer& answer);

  Shard shard_;
  std::uint64_t kept_bytes_;
  std::string setup_text_;
  ShardSetup setup_;
  std::unique_ptr<const LinearFeatures> features_;
  std::unique_ptr<const LinearScorer> scorer_;
  std::unique_ptr<RankingRisk> lists_;
  std::optional<Bound> bound_;  // of the references of the lists
  std::vector<double> reference_;
  bool pair_gains_ = false;  // what the pairs are made by
  std::unique_ptr<const PairwiseRisk> pairs_;
};

}  // namespace dorm
