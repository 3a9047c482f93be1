// SPDX-License-Identifier: Apache-2.0
// The rows of a table with named features on their way to a Dataset.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/assemble.h"
#include "data/io/files/row_sink.h"
#include "data/row_block.h"
#include "dorm/read.h"

namespace dorm {

class TableEncoder;

class TableRows {
 public:
  /// `sink`: where full blocks go; nullptr: they are kept.
  explicit TableRows(RowSink* sink = nullptr) : sink_(sink) {}

  /// Feature ids count from 1. True when a block is full: a good moment to report progress.
  bool add(float label, const RowBlockWriter::Names& names, std::span<const std::uint32_t> ids,
           std::span<const float> values);

  /// The weight of a query, the same in all its rows; else what is wrong.
  std::optional<std::string> set_weight(std::string_view query, double weight);

  std::uint64_t size() const { return num_rows_; }

  /// The rows so far are stand-ins, which become features.
  void encode(const TableEncoder& encoder);
  /// The features will be dense whatever their fill: a row then has the same score to the last digit as by itself.
  void keep_dense() { dense_ = true; }

  /// `file`: for messages.
  Dataset finish(const std::string& file, PackedText feature_names, const InputDescription& input, std::size_t threads,
                 ReadReport* report);

  /// Instead of finish(), where rows went to a sink.
  RowsSummary hand_on(const std::string& file, PackedText feature_names, const InputDescription& input);

 private:
  void require_rows(const std::string& file) const;

  RowSink* sink_;
  RowBlockWriter writer_;
  std::vector<RowBlock> blocks_;
  std::map<std::string, double, std::less<>> weights_;  // by query
  std::uint64_t num_rows_ = 0;
  bool dense_ = false;
};

}  // namespace dorm
