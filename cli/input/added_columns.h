// SPDX-License-Identifier: Apache-2.0
// Columns from other files: similarities to the set of a query, and features of its user.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "input/input.h"

namespace dorm::cli {

struct AddedColumns {
  std::string sets;                       // a file of documents, by query; empty: none
  std::vector<std::string> similarities;  // empty: kDefaultSimilarities
  bool only = false;                      // leave the columns of the data out
  std::string users;                      // a table whose first column is the query; empty: none
  std::string user_columns;               // of that table; empty: as read_side_features() chooses

  bool given() const { return !sets.empty() || !users.empty(); }
};

void add_column_options(CLI::App& app, AddedColumns& arguments);

/// Throws Error(bad_option) for arguments that contradict each other.
void check_added_columns(const AddedColumns& arguments);

/// Reads the files and adds their columns, first of the sets; sets are read with the options of the data. Warns of
/// queries without a user.
Dataset add_columns(const Dataset& data, const AddedColumns& arguments, const InputArguments& input,
                    const Settings& settings);

}  // namespace dorm::cli
