// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/status.h"

#include <array>

#include "dorm/base/catalog.h"

namespace dorm {
namespace {

constexpr std::array<CatalogEntry, 5> kStatuses = {{{"converged", "", ""},
                                                    {"pass_limit", "", ""},
                                                    {"time_limit", "", ""},
                                                    {"interrupted", "", ""},
                                                    {"numerical_trouble", "", ""}}};

}  // namespace

std::string_view name_of(SolveStatus status) { return kStatuses[static_cast<std::size_t>(status)].name; }

SolveStatus parse_status(std::string_view name) {
  for (std::size_t i = 0; i < kStatuses.size(); ++i)
    if (kStatuses[i].name == name) return static_cast<SolveStatus>(i);
  throw_unknown_name("status", name, kStatuses);
}

}  // namespace dorm
