// SPDX-License-Identifier: Apache-2.0
// Every name a user can type, with its help and its maker: the one list that the command line, the Python package, the
// documentation and the conformance tests share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/convention.h"
#include "dorm/measure.h"
#include "dorm/scale.h"

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

std::span<const CatalogEntry> measure_catalog();
std::span<const CatalogEntry> convention_catalog();
std::span<const CatalogEntry> tie_catalog();
std::span<const CatalogEntry> scaling_catalog();

/// Splits "ndcg@10,eru:half_life=5,neutral=2,mrr" into the spellings of its measures: a piece that starts with
/// key=value belongs to the measure before it. Throws Error(bad_option) for an empty piece.
std::vector<std::string> split_measures(std::string_view list);

/// A name of scaling_catalog(); throws Error(unknown_name).
ScalingKind parse_scaling(std::string_view name);
std::string_view name_of(ScalingKind kind);

/// Throws Error(unknown_name): `unknown KIND "name"; did you mean "nearest"? known: a, b, c`.
[[noreturn]] void throw_unknown_name(std::string_view kind, std::string_view name, std::span<const CatalogEntry> known);

}  // namespace dorm
