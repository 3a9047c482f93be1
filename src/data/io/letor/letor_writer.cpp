// SPDX-License-Identifier: Apache-2.0
// LETOR text that reads back as the same data: shortest exact numbers, ids as they were. The format cannot hold query
// weights and feature names.
#include <fmt/format.h>

#include <iterator>
#include <vector>

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

void add_whole(Line& line, const Dataset& data, const Query& query, std::size_t i) {
  std::vector<float> row(data.num_features());
  query.rows.load(i, row);
  for (std::size_t j = 0; j < row.size(); ++j)
    add_value(line, std::uint64_t{data.feature_number(j)} + data.first_feature_id(), row[j]);
}

// `ends`: names the first and the last feature even if they are zero, which fixes the numbering.
void add_stored(Line& line, const Dataset& data, const SparseRow& row, bool ends) {
  const std::uint32_t first_id = data.first_feature_id();
  const std::uint64_t last = data.feature_range() - 1;
  const std::size_t n = row.columns.size();
  ends = ends && data.num_features() > 0;
  if (ends && first_id == 0 && last > 0 && (n == 0 || data.feature_number(row.columns[0]) != 0))
    add_value(line, 0, 0.0f);
  for (std::size_t k = 0; k < n; ++k)
    add_value(line, std::uint64_t{data.feature_number(row.columns[k])} + first_id, row.values[k]);
  if (ends && (n == 0 || data.feature_number(row.columns[n - 1]) != last)) add_value(line, last + first_id, 0.0f);
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

/// Features and names of a document, and the end of the line.
void write_rest(Line& line, const Dataset& data, const Query& query, std::size_t i, bool first, std::ostream& out) {
  const std::size_t document = query.first_document + i;
  if (data.dense() || !query.rows.background().columns.empty())
    add_whole(line, data, query, i);
  else
    add_stored(line, data, query.rows.sparse_row(i), first);
  add_comment(line, data.document_id(document), data.group(document));
  line.push_back('\n');
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
  line.clear();
}

}  // namespace

void write_letor(const Dataset& data, std::ostream& out) {
  Line line;
  for (std::size_t q = 0; q < data.num_queries() && out; ++q) {
    const Query query = data.query(q);
    check_word(query.id, "query id");
    for (std::size_t i = 0; i < query.size(); ++i) {
      if (data.has_labels()) fmt::format_to(std::back_inserter(line), "{} ", query.labels[i]);
      fmt::format_to(std::back_inserter(line), "qid:{}", query.id);
      write_rest(line, data, query, i, query.first_document + i == 0, out);
    }
  }
}

void write_letor_costs(const Dataset& data, std::ostream& out) {
  Line line;
  std::size_t block = 0;
  for (std::size_t q = 0; q < data.num_queries() && out; ++q) {
    const Query query = data.query(q);
    for (std::size_t clicked = 0; clicked < query.size(); ++clicked) {
      if (!(query.labels[clicked] > 0)) continue;
      ++block;
      for (std::size_t i = 0; i < query.size(); ++i) {
        fmt::format_to(std::back_inserter(line), "{} qid:{}", i == clicked ? 1 : 0, block);
        if (i == clicked) fmt::format_to(std::back_inserter(line), " cost:{}", query.labels[i]);
        write_rest(line, data, query, i, block == 1 && i == 0, out);
      }
    }
  }
}

}  // namespace dorm
