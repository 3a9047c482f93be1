// SPDX-License-Identifier: Apache-2.0
// What the bound of a training saw: the ranking that violates a query's constraint most.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "dorm/model.h"
#include "dorm/oracle.h"

namespace dorm::explore {

struct Violated {
  Ranking order;
  double measure = 0, loss = 0, gain = 0, violation = 0;
};

class ViolatedRankings {
 public:
  /// None for a model without a bound, with another measure than one that can be trained, or with limits on groups.
  static std::unique_ptr<const ViolatedRankings> of(const Model& model);

  ViolatedRankings(FactoredMeasurePtr measure, Decay decay, Bound bound)
      : measure_(std::move(measure)), decay_(std::move(decay)), bound_(bound) {}

  Bound bound() const { return bound_; }
  /// None where there is nothing to learn.
  std::optional<Violated> find(Labels labels, std::span<const double> scores) const;

 private:
  FactoredMeasurePtr measure_;
  Decay decay_;
  Bound bound_;
};

}  // namespace dorm::explore
