// SPDX-License-Identifier: Apache-2.0
// A name a user can type, with its help: the command line, the Python package, the documentation and the conformance
// tests all read the same tables of these.
#pragma once

#include <span>
#include <string_view>

namespace dorm {

/// One row of a catalog page: `usage` shows the parameters, e.g. "ndcg[@n]"; `example` can be typed as it is.
struct CatalogEntry {
  std::string_view name;
  std::string_view usage;
  std::string_view help;
  bool trainable = false;         // measures only
  std::string_view example = {};  // measures only
  std::string_view aliases = {};  // measures only: other spellings of the name, separated by spaces
};

/// Throws Error(unknown_name): `unknown KIND "name"; did you mean "nearest"? known: a, b, c`.
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known);

}  // namespace dorm
