// SPDX-License-Identifier: Apache-2.0
// Where a report comes from: command, version, seed, machine.
#pragma once

#include <cstdint>
#include <optional>

#include "dorm/apps/pages.h"

namespace dorm::pages {

/// The section that ends every report; `more` is added to its facts.
report::Section provenance_section(const Origin& origin, std::optional<std::uint64_t> seed,
                                   std::vector<report::Fact> more = {});

/// "dorm 0.1.0, 2024-05-01 12:00 UTC".
std::string footer_text();

}  // namespace dorm::pages
