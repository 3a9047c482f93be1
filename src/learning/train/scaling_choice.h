// SPDX-License-Identifier: Apache-2.0
// Which scaling a model gets: the one asked for, or one that suits the data and who will evaluate the model.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dorm/data/scale.h"

namespace dorm {

/// Borrows both names.
struct ScalingChoice {
  std::string_view scale = "auto";  // or a name of scaling_catalog()
  std::string_view target = {};     // a name of target_choices(); empty: DORM itself

  ScalingChoice(std::string_view scale_name, std::string_view target_name = {})
      : scale(scale_name), target(target_name) {}
  ScalingChoice(const std::string& scale_name) : scale(scale_name) {}
  ScalingChoice(const char* scale_name) : scale(scale_name) {}

  /// Throws Error(unknown_name), and Error(bad_option) for a scaling that the target cannot evaluate.
  void validate() const;

  /// `unit_range`, which is called for auto alone: whether all features lie in [0, 1], so that they can stay as they
  /// are. Else auto takes what choose_scaling() does where the target can evaluate it, and the best that it can where
  /// not: log_zscore, or zscore.
  ScalingKind settle(const std::function<bool()>& unit_range) const;
  /// By all of the data. Auto leaves the values of a precomputed kernel as they are, and where values are missing
  /// scales each feature by itself.
  ScalingKind settle(const Dataset& data, std::string_view kernel, std::size_t threads) const;
};

/// Throws Error(bad_option) for a target that cannot evaluate kernels, and Error(unknown_name).
void require_kernels(std::string_view target);

/// Throws Error(bad_option) for a scaling that the target cannot evaluate.
void require_served(std::string_view target, ScalingKind kind);

/// Whether the target can evaluate curves of lines under the scaling.
bool serves_curves(std::string_view target, ScalingKind kind);

/// Throws Error(bad_input) where values of the data are missing that the ranker cannot use: curves alone can.
void require_usable_gaps(const Dataset& data, bool curves);

/// Fitted to the values that are there, each feature by itself: auto is zscore, which curves do not depend on but by
/// their line. Throws Error(unsupported) for logarithms and scalings within queries.
Scaling scaling_with_gaps(const Dataset& data, const ScalingChoice& choice, std::size_t threads);

}  // namespace dorm
