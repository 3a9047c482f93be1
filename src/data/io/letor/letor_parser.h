// SPDX-License-Identifier: Apache-2.0
// One piece of LETOR/SVMlight text to rows: `label [qid:ID] id:value ... [# comment]` per line. The label may be left
// out where none are needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/page_buffer.h"
#include "data/row_block.h"
#include "dorm/read.h"

namespace dorm {

/// What is wrong in a piece of text; line and column count from 1 within the piece.
struct TextFault {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::string message;
  bool missing = false;  // a missing value
};

struct LetorRules {
  bool need_query_ids = true;
  bool need_labels = true;
  Missing missing = Missing::error;
  const MissingByColumn* by_column = nullptr;  // features with another rule, if any
};

/// The result of parsing a piece of text, beside its rows.
struct ParsedLetor {
  std::uint64_t lines = 0;
  std::uint64_t line_without_query = 0;  // first row that names no query; 0: none
  std::uint64_t line_with_query = 0;     // first row that does
  bool has_costs = false;                // a row has one: labels are gains of clicks
  std::optional<TextFault> fault;        // rows and lines stop before it
};

/// Keeps its working memory from piece to piece; one per thread.
class LetorParser {
 public:
  explicit LetorParser(LetorRules rules) : rules_(rules) {}

  /// `text` ends in '\n', kTextPadding readable bytes follow it. `at_start`: a byte order mark may stand first. The
  /// rows are in rows(), to be taken from there before the next piece.
  ParsedLetor parse(std::string_view text, bool at_start);
  RowBlockWriter& rows() { return writer_; }

 private:
  bool parse_row(const char*& p);
  bool parse_label(const char*& p);
  bool parse_query(const char*& p);
  bool parse_cost(const char*& p);
  bool parse_features(const char*& p);
  bool parse_comment(const char*& p);
  bool parse_value_slowly(const char*& p, std::uint64_t id, float& value);
  bool sort_features(const char* first_feature);
  const char* second_token_of(std::uint32_t id, const char* p) const;
  bool fail(const char* at, std::string message);
  bool fail_expecting(const char* at, std::string_view expected);

  LetorRules rules_;
  RowBlockWriter writer_;
  ParsedLetor result_;
  PageBuffer<std::uint32_t> ids_;  // of the row at hand
  PageBuffer<float> values_;
  std::size_t size_ = 0;
  float label_ = 0;
  RowBlockWriter::Names names_;
  const char* line_begin_ = nullptr;
};

}  // namespace dorm
