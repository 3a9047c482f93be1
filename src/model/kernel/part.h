// SPDX-License-Identifier: Apache-2.0
// One part of a kernel, its columns and parameters resolved for some data: linear, poly, rbf, attribute,
// correlation, identity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/learning/kernel.h"
#include "model/kernel/expression.h"

namespace dorm {

enum class PartKind { linear, poly, rbf, attribute, correlation, same_name, same_values };

struct Part {
  PartKind kind = PartKind::linear;
  std::vector<std::uint32_t> columns;  // empty for same_name
  IdKind id = IdKind::query;           // same_name
  double gamma = 1, coef0 = 0;
  std::uint32_t degree = 1;
  std::string text;  // as one would write it, with all parameters resolved

  /// The columns of a feature row as this part compares them: as they are, or for attribute scaled to length 1, or for
  /// correlation centred first. A row without length becomes 0.
  void take(std::span<const float> row, std::span<float> out) const;
};

/// Throws Error(bad_option) for names and parameters that are wrong whatever the data.
void check_part(const PartText& text);

Part settle_part(const PartText& text, const Documents& documents, std::uint64_t seed);

}  // namespace dorm
