// SPDX-License-Identifier: Apache-2.0
// The columns of a table on their way to features: what stands for a cell until all rows have been read, and the
// features of a row once the encodings are fitted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/encode/column_encoder.h"
#include "data/io/tables/table_cell.h"
#include "data/packed_text.h"
#include "dorm/read.h"

namespace dorm {

/// The columns that the features in `options.features` come from, each once, in the order of the features.
std::vector<std::string> source_columns(const ReadOptions& options);

class TableEncoder {
 public:
  /// `options` must outlive this.
  explicit TableEncoder(const ReadOptions& options);

  /// False: every column is a feature as it stands, and nothing below is needed.
  bool active() const { return active_; }
  /// So few features that rows of many zeros are worth their room as they are.
  bool keeps_dense() const {
    return active_ && !columns_.empty() && columns_.back().first + columns_.back().width <= 256;
  }
  /// Rows can be encoded as they come: nothing depends on rows to come.
  bool ready() const;

  /// The next column.
  void add_column(const std::string& name);
  std::size_t size() const { return columns_.size(); }
  /// Throws Error(bad_input) for an encoding of a column that is not there.
  void require_columns(const SourcePosition& at) const;

  Missing rule(std::size_t column) const { return columns_[column].rule; }
  bool encoded(std::size_t column) const { return columns_[column].encoder.has_value(); }
  /// A gap is a value like others: of a category, or of a date without its age.
  bool takes_gaps(std::size_t column) const;
  std::string expected(std::size_t column) const { return columns_[column].encoder->expected(); }
  /// number, missing, or anything else for what cannot be read.
  Cell note(std::size_t column, std::string_view text, float& stand_in);
  /// For a column that is not encoded, whose cell has been read.
  float note(std::size_t column, Cell kind, double number);

  /// By what was noted. Throws Error(bad_input) for two features of one name.
  void fit(const SourcePosition& at);
  PackedText names() const;
  std::vector<ColumnEncoding> encodings() const;

  /// The features of a row of stand-ins that are not 0: ids from 1 on, increasing.
  void encode(std::span<const float> stand_ins, std::vector<std::uint32_t>& ids, std::vector<float>& values) const;

 private:
  struct Column {
    std::string name;
    Missing rule;
    std::optional<ColumnEncoder> encoder;
    bool gaps = false, indicator = false;
    std::uint32_t first = 0, width = 1;  // of its features, without the indicator
  };

  bool may_indicate(const Column& column) const;

  const ReadOptions& options_;
  bool active_;
  std::vector<Column> columns_;
};

}  // namespace dorm
