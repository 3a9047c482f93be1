// SPDX-License-Identifier: Apache-2.0
// The learning problem on a device as a solver sees it: a block is a group of consecutive lists, its H the weighted
// mean of theirs, and all blocks are linearised by one visit of the device. Lists whose most violated ranking is a sort
// (c = a) are solved there; for others the device makes scores and pull-backs, and the oracles run on threads here.
// References are chosen here, from the scores of the device.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/device/list_device.h"
#include "learning/risk/ranking_risk.h"

namespace dorm {

struct DeviceOptions {
  std::string name;         // of make_list_device()
  std::uint64_t bytes = 0;  // most memory there; 0: what is free
  std::size_t groups = 0;   // of lists; 0: kDeviceGroups
  std::size_t threads = 1;
};

/// Groups of lists unless options say otherwise: passes cost so little that more of them, with a smaller dual, are
/// worth it (docs/gpu.md).
inline constexpr std::size_t kDeviceGroups = 256;

class DeviceRisk final : public ReferencedRisk {
 public:
  /// `features` are those of the lists. Throws Error(unsupported) for compressed rows, and as make_list_device() does.
  DeviceRisk(std::unique_ptr<RankingRisk> lists, const LinearFeatures& features, const DeviceOptions& options);
  ~DeviceRisk() override;

  const Geometry& geometry() const override { return lists_->geometry(); }
  std::size_t num_blocks() const override { return weights_.size(); }
  double block_weight(std::size_t block) const override { return trade_off() * weights_[block]; }
  double linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& workspace) const override;
  double linearize_cost(std::size_t) const override { return sorts_there_ ? 0 : 1; }  // next to nothing: see solver.h
  void linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visit) const override;

  std::size_t set_reference(Bound bound, std::span<const double> w) override;
  double loss(std::span<const double> w) const override;
  std::size_t num_lists() const override { return lists_->num_lists(); }
  std::size_t longest_query() const override { return lists_->longest_query(); }

  /// Whether the most violated rankings are found on the device.
  bool sorts_there() const { return sorts_there_; }
  DeviceReport report() const { return device_->report(); }

 private:
  DeviceLists describe(std::size_t groups) const;
  void visit(std::span<const double> w, GroupSums& out) const;
  void separate_here(std::span<const double> w, GroupSums& out) const;
  std::vector<double> scores(std::span<const double> w) const;

  std::unique_ptr<RankingRisk> lists_;
  const LinearFeatures& features_;
  std::size_t threads_;
  bool sorts_there_;
  std::vector<std::uint64_t> list_begin_;  // by block of lists_: its documents on the device
  std::vector<std::size_t> group_begin_;   // by block: its lists
  std::vector<double> weights_;            // by block
  std::unique_ptr<ListDevice> device_;
  mutable std::mutex mutex_;  // one call at a time
};

}  // namespace dorm
