// SPDX-License-Identifier: Apache-2.0
// Which columns of a table have a meaning, and which are features.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {

/// Places in a header.
struct TableColumns {
  std::optional<std::size_t> label, query, document, group, weight;
  std::vector<std::size_t> features;
  ColumnRoles roles;  // as asked for; ignored columns one by one
};

/// Throws Error(bad_input) for columns that are needed and not there, all in one, with what may be meant. `at`: the
/// header. A name to be ignored that no column has may be a list: a,b, where \, is a comma of a name. Columns without a
/// name are no features.
TableColumns find_columns(const std::vector<std::string>& header, const ReadOptions& options, const SourcePosition& at);

/// The names of such a list, and of several.
std::vector<std::string> split_names(std::string_view list);
std::vector<std::string> split_names(const std::vector<std::string>& lists);

/// The names in quotes, cut short where there are many.
std::string columns_text(const std::vector<std::string>& names);

}  // namespace dorm
