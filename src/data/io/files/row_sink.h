// SPDX-License-Identifier: Apache-2.0
// Rows that do not stay in memory: a reader hands them on, block by block.
#pragma once

#include <map>
#include <string>

#include "data/packed_text.h"
#include "data/row_block.h"
#include "dorm/data/input.h"

namespace dorm {

class RowSink {
 public:
  virtual ~RowSink() = default;
  /// One call at a time, in the order of the file.
  virtual void add(const RowBlock& block) = 0;
};

/// What is known when all rows have been read.
struct RowsSummary {
  PackedText feature_names;                            // empty: features are numbers
  InputDescription input;                              // `means` as asked for
  std::map<std::string, double, std::less<>> weights;  // of queries; 1 where there is none
};

}  // namespace dorm
