// SPDX-License-Identifier: Apache-2.0
// Which query each line of a text of judged documents belongs to. Only labels and query ids are looked at.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/io/files/text_source.h"
#include "dorm/read.h"

namespace dorm {

struct QueryLines {
  static constexpr std::uint32_t kOfAll = UINT32_MAX;       // the header, a comment
  static constexpr std::uint32_t kOfNone = UINT32_MAX - 1;  // a blank line

  std::vector<std::uint32_t> query_of;  // by line, from the first; an index into ids, or one of the above
  std::vector<std::string> ids;         // in order of first appearance
  std::vector<std::uint64_t> documents, relevant;
};

/// `reading.format` is settled: letor, csv, tsv or jsonl. Throws Error(bad_input) with file, line and column.
QueryLines query_lines(TextSource& source, const std::string& name, const ReadOptions& reading);

}  // namespace dorm
