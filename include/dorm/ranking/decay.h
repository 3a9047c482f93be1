// SPDX-License-Identifier: Apache-2.0
// Decays: the position weights c of the ranking's score.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"

namespace dorm {

/// A named family of decreasing position weights. With i = 1, 2, ... the rank (i = position + 1), as in the paper:
///   measure              c = a, the measure's own position weights
///   power:d              (i + 1)^-d, d > 0
///   log                  1 / log(i + 2)
///   loglog               1 / log(log(i + 2))
///   measure+tail[:eps]   a + eps i^(-1/2); eps = 1e-3
///   exponential[:h]      2^(-(i - 1) / h), half-life h; 5
///   discount             1 / log2(i + 1), the discount of dcg without a cutoff
class Decay {
 public:
  /// Throws Error(unknown_name) on an unknown family, Error(bad_option) on a parameter out of range.
  explicit Decay(std::string_view spec = "measure");

  /// As given, e.g. "power:0.5".
  const std::string& name() const { return name_; }

  /// c for a list of a.size() documents under position weights a. Throws Error(bad_option) when c does not decrease
  /// strictly between two positions where a does: no ranking score could then follow the measure.
  std::vector<double> values(std::span<const double> a) const;

 private:
  enum class Family { measure, power, log, loglog, measure_tail, exponential, discount };
  std::string name_;
  Family family_ = Family::measure;
  double parameter_ = 0;
};

std::span<const CatalogEntry> decay_catalog();

}  // namespace dorm
