// SPDX-License-Identifier: Apache-2.0
// Judgments as a table with a header: query, document, label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/io/files/text_source.h"
#include "dorm/data/input.h"
#include "dorm/data/judgments.h"

namespace dorm {

/// By the name of the file, .csv, or a first line that names all three columns: .tsv may be TREC judgments, too.
bool is_judgment_table(std::string_view beginning, std::string_view name, const ColumnRoles& roles);

/// Throws Error(bad_input) for columns that are not found, cells that are missing and labels that are no numbers.
std::vector<Judgment> judgment_table_from(TextSource& source, const std::string& name, const ColumnRoles& roles);

}  // namespace dorm
