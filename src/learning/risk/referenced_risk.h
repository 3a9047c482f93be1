// SPDX-License-Identifier: Apache-2.0
// What the rounds of a bound need of a risk: references that can be chosen anew, and the loss against them.
#pragma once

#include <cstddef>
#include <span>

#include "dorm/oracle.h"
#include "dorm/solver.h"

namespace dorm {

/// A structured risk of lists measured against reference lists. The references are fixed between calls of
/// set_reference, so the risk is convex while a solver looks at it.
class ReferencedRisk : public StructuredRisk {
 public:
  /// C_q = trade_off * weight of the query (1 on average).
  void set_trade_off(double trade_off) { trade_off_ = trade_off; }

  /// Fixes the reference of every list for the scores of w; returns in how many lists it changed.
  virtual std::size_t set_reference(Bound bound, std::span<const double> w) = 0;

  /// sum_q C_q H_q(w).
  virtual double loss(std::span<const double> w) const = 0;

  /// Lists that there is something to learn from.
  virtual std::size_t num_lists() const = 0;
  /// Documents of the longest of them.
  virtual std::size_t longest_query() const = 0;

 protected:
  double trade_off() const { return trade_off_; }

 private:
  double trade_off_ = 1;
};

/// One whose lists are at hand, each a block of its own.
class ReferencedLists : public ReferencedRisk {
 public:
  explicit ReferencedLists(std::size_t threads);

  std::size_t set_reference(Bound bound, std::span<const double> w) override;
  double loss(std::span<const double> w) const override;
  std::size_t num_lists() const override { return num_blocks(); }

 private:
  /// set_reference() of one block: whether it changed.
  virtual bool choose_reference(std::size_t block, Bound bound, std::span<const double> w,
                                RiskWorkspace& workspace) = 0;
  /// H_q(w), without its plane.
  virtual double value(std::size_t block, std::span<const double> w, RiskWorkspace& workspace) const = 0;

  std::size_t threads_;
};

}  // namespace dorm
