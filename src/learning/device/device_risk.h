// SPDX-License-Identifier: Apache-2.0
// The learning problem on a device as a solver sees it: a block is a group of consecutive lists, its H the weighted
// mean of theirs, and all blocks are linearised by one visit of the device. Lists whose most violated ranking is a sort
// (c = a) are solved there; for others the device makes scores and pull-backs, and the oracles run on threads here.
// References of the bounds that depend on scores are chosen there, too, where that is so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/list_device.h"
#include "learning/risk/ranking_risk.h"

namespace dorm {

/// Groups of lists unless options say otherwise. The solver shards has a plane of each: passes cost so little that more
/// of them, with a smaller dual, are worth it.
inline constexpr std::size_t kDeviceGroups = 256;

class DeviceRisk final : public ReferencedRisk {
 public:
  /// `rows`: the documents of the lists' data, which must outlive this. `groups` of lists; 0: kDeviceGroups. Throws
  /// Error(unsupported) where the device has too little memory.
  DeviceRisk(std::unique_ptr<RankingRisk> lists, RowDevice& rows, std::size_t groups, std::size_t threads);
  ~DeviceRisk() override;

  const Geometry& geometry() const override { return lists_->geometry(); }
  std::size_t num_blocks() const override { return weights_.size(); }
  double block_weight(std::size_t block) const override { return trade_off() * weights_[block]; }
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;
  void linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const override;

  std::size_t set_reference(Bound bound, std::span<const double> w) override;
  double loss(std::span<const double> w) const override;
  std::size_t num_lists() const override { return lists_->num_lists(); }
  std::size_t longest_query() const override { return lists_->longest_query(); }

  /// Whether the most violated rankings are found on the device.
  bool sorts_there() const { return sorts_there_; }

 private:
  DeviceLists describe() const;
  void visit(std::span<const double> w, GroupSums& out) const;
  void separate_here(std::span<const double> w, GroupSums& out) const;
  std::vector<double> scores(std::span<const double> w) const;
  std::size_t first_document(std::size_t list) const { return data_.first_document(lists_->query(list)); }

  std::unique_ptr<RankingRisk> lists_;
  const Dataset& data_;
  RowDevice& rows_;
  std::size_t threads_;
  bool sorts_there_;
  std::vector<std::size_t> group_begin_;  // by block: its lists
  std::vector<double> weights_;           // by block
  std::unique_ptr<ListDevice> device_;
};

}  // namespace dorm
