// SPDX-License-Identifier: Apache-2.0
// Every name a user can type, with its help and its maker: the one list that the command line, the Python
// package, the documentation and the conformance tests share.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

/// One row of a catalog page: `usage` shows the parameters, e.g. "ndcg[@n]".
struct CatalogEntry {
  std::string_view name;
  std::string_view usage;
  std::string_view help;
  bool trainable = false;  // measures only
};

std::span<const CatalogEntry> measure_catalog();
std::span<const CatalogEntry> convention_catalog();
std::span<const CatalogEntry> tie_catalog();
std::span<const CatalogEntry> scaling_catalog();

/// Throws Error(unknown_name): `unknown KIND "name"; did you mean "nearest"? known: a, b, c`.
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name,
                                     std::span<const CatalogEntry> known);

}  // namespace dorm
