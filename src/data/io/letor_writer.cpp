// SPDX-License-Identifier: Apache-2.0
// LETOR text that reads back as the same data: shortest exact numbers, ids as they were. The format cannot hold query
// weights and feature names.
#include <fmt/format.h>

#include <iterator>

#include "base/quote.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

using Line = fmt::memory_buffer;

void check_word(std::string_view word, std::string_view what) {
  if (!word.empty() && word.find_first_of(std::string_view(" \t\r\n\0", 5)) == std::string_view::npos) return;
  throw Error(
      ErrorCode::unsupported,
      fmt::format("the {} {} cannot be written as LETOR text: expected a word without blanks", what, in_quotes(word)));
}

void add_value(Line& line, std::uint64_t id, float value) {
  fmt::format_to(std::back_inserter(line), " {}:{}", id, value);
}

void add_dense(Line& line, const Query& query, std::size_t i, std::uint32_t first_id) {
  const float* row = query.rows.dense_row(i);
  for (std::size_t j = 0; j < query.rows.num_features(); ++j) add_value(line, j + first_id, row[j]);
}

// `whole`: names the first and the last feature even if they are zero, which fixes the numbering.
void add_sparse(Line& line, const Query& query, std::size_t i, std::uint32_t first_id, bool whole) {
  const SparseRow row = query.rows.sparse_row(i);
  const std::size_t last = query.rows.num_features() - 1, n = row.columns.size();
  whole = whole && query.rows.num_features() > 0;
  if (whole && first_id == 0 && last > 0 && (n == 0 || row.columns[0] != 0)) add_value(line, 0, 0.0f);
  for (std::size_t k = 0; k < n; ++k) add_value(line, std::uint64_t{row.columns[k]} + first_id, row.values[k]);
  if (whole && (n == 0 || row.columns[n - 1] != last)) add_value(line, last + first_id, 0.0f);
}

void add_comment(Line& line, std::string_view document, std::string_view group) {
  if (document.empty() && group.empty()) return;
  fmt::format_to(std::back_inserter(line), " #");
  if (!document.empty()) {
    check_word(document, "document id");
    fmt::format_to(std::back_inserter(line), " docid={}", document);
  }
  if (!group.empty()) {
    check_word(group, "group");
    fmt::format_to(std::back_inserter(line), " group={}", group);
  }
}

}  // namespace

void write_letor(const Dataset& data, std::ostream& out) {
  Line line;
  for (std::size_t q = 0; q < data.num_queries() && out; ++q) {
    const Query query = data.query(q);
    check_word(query.id, "query id");
    for (std::size_t i = 0; i < query.size(); ++i) {
      const std::size_t document = query.first_document + i;
      line.clear();
      fmt::format_to(std::back_inserter(line), "{} qid:{}", query.labels[i], query.id);
      if (data.dense())
        add_dense(line, query, i, data.first_feature_id());
      else
        add_sparse(line, query, i, data.first_feature_id(), document == 0);
      add_comment(line, data.document_id(document), data.group(document));
      line.push_back('\n');
      out.write(line.data(), static_cast<std::streamsize>(line.size()));
    }
  }
}

}  // namespace dorm
