// SPDX-License-Identifier: Apache-2.0
// Files of options, a part of TOML: `key = value` lines, [sections], # comments. Values are "texts", 'texts', numbers,
// true, false, bare words, and [lists, of, them] on one line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dorm::cli {

struct ConfigEntry {
  std::string section;  // empty: before the first one
  std::string key;
  std::vector<std::string> values;  // several: a list
  std::size_t line = 0;             // from 1
};

/// Throws Error(io) for a file that cannot be read, and Error(bad_input) with the line for one that makes no sense.
std::vector<ConfigEntry> read_config(const std::string& path);

}  // namespace dorm::cli
