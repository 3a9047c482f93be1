// SPDX-License-Identifier: Apache-2.0
// Signs of weights: which way a score may go with a feature. Guide: docs/curves.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

/// Constraints of the learning problem. A score never falls where an increasing feature rises, all else equal, and
/// never rises where a decreasing one does.
struct SignOptions {
  std::string increasing, decreasing;  // names of features, separated by commas
  bool non_negative = false;           // all others are increasing

  bool used() const { return non_negative || !increasing.empty() || !decreasing.empty(); }
};

/// By feature: 1: increasing, -1: decreasing, 0: free; empty where no option is used. Throws Error(unknown_name) for a
/// name that is no feature, and Error(bad_option) for one that is both.
std::vector<std::int8_t> signs_of(const SignOptions& options, std::span<const std::string> features);

/// Throws Error(unsupported) where signs are asked of a baseline that learns weights of any sign.
void require_unsigned(const SignOptions& options, std::string_view method);

}  // namespace dorm
