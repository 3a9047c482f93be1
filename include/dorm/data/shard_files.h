// SPDX-License-Identifier: Apache-2.0
// The files of a folder of shards, and whether they are all (docs/formats.md).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dorm {

/// The shards whose number leaves this remainder; by default all.
struct ShardChoice {
  std::size_t remainder = 0, divisor = 1;
};

/// The files that files_named_by() (dorm/read.h) returns, whether or not some are missing.
std::vector<std::string> files_present(const std::string& words);

/// files_named_by(), of the chosen shards: possibly none. Others may be missing, or elsewhere.
std::vector<std::string> chosen_files(const std::string& words, ShardChoice choice);

}  // namespace dorm
