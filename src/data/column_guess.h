// SPDX-License-Identifier: Apache-2.0
// Columns by the names that people give them: what may be meant where a column was not found.
#pragma once

#include <string_view>

namespace dorm {

/// By the letters of the name alone: Query_ID is queryid.
bool names_a_label(std::string_view column);
bool names_a_query(std::string_view column);
bool names_a_document(std::string_view column);
bool names_a_title(std::string_view column);
/// Of several that name a query, one of ids is meant before one of texts.
bool names_an_id(std::string_view column);

}  // namespace dorm
