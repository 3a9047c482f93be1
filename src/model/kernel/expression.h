// SPDX-License-Identifier: Apache-2.0
// How a kernel is written: a sum of terms, each a product of parts with an optional number in front.
//
//     0.5 * rbf(1-20):gamma=0.1 * identity(query) + linear
//
// Sums and products of positive semidefinite kernels with numbers above 0 are positive semidefinite.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dorm {

struct PartText {
  struct Parameter {
    std::string key, value;
  };
  std::string name;                  // rbf
  std::vector<std::string> columns;  // 1-20, price; empty: all
  std::vector<Parameter> parameters;
};

struct TermText {
  double weight = 1;
  std::vector<PartText> parts;
};

/// Throws Error(bad_option) that quotes the piece it could not read.
std::vector<TermText> parse_expression(std::string_view text);

/// Throws Error(bad_option): `kernel "piece": problem`.
[[noreturn]] void refuse_kernel(std::string_view piece, const std::string& problem);

}  // namespace dorm
