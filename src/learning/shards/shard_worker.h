// SPDX-License-Identifier: Apache-2.0
// One shard: whole queries that response requests. An response is a function of the documents and the request alone;
// what is kept between requests (scaled rows, prepared lists, references) can be made again at any time.
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
  /// `kept_bytes` are spent on scaled rows, and on scaled values where it validates.
  ShardWorker(Shard shard, std::uint64_t kept_bytes) : shard_(std::move(shard)), kept_bytes_(kept_bytes) {}

  std::uint32_t number() const { return shard_.number; }

  /// Throws Error for a request that does not fit the documents.
  ShardResponse response(const ShardRequest& request);

 private:
  void set_up(const std::string& setup);
  RankingRisk& lists();
  void refer(const ShardRequest& request);
  const LinearFeatures& features();
  const LinearScorer& scorer();
  bool counts(const ShardRequest& request) const;
  const PairwiseRisk& pairs(bool gains);
  std::vector<double> targets(bool gains) const;
  void require_weights(const ShardRequest& request) const;
  Model model_of_features() const;  // no weights, no scaling yet

  void describe(ShardResponse& response) const;
  void statistics(bool logarithm, ShardResponse& response) const;
  void prepare(ShardResponse& response);
  void answer_start(const ShardRequest& request, ShardResponse& response);
  void answer_lists(const ShardRequest& request, ShardResponse& response);
  void judge(const ShardRequest& request, ShardResponse& response);

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
