// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/json.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/line_reader.h"
#include "data/io/files/text_formats.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/json_cell.h"
#include "data/io/tables/table_cell.h"
#include "data/io/tables/table_columns.h"
#include "dorm/data/read_texts.h"
#include "dorm/error.h"

namespace dorm {
namespace {

enum TextRole : std::size_t { kQueryText, kTitle, kUrl, kTextRoles };

/// By role, then by row of the file; empty for a role without a column.
using TextsOfRows = std::array<std::vector<std::string>, kTextRoles>;

std::array<const std::string*, kTextRoles> columns_by_role(const TextColumns& columns) {
  return {&columns.query_text, &columns.title, &columns.url};
}

TextsOfRows texts_of_records(LineReader& lines, const TextColumns& columns, bool tabs) {
  CsvRecords record(lines, tabs ? '\t' : CsvRecords::kBySight);
  TextsOfRows out;
  if (!record.next()) return out;
  std::vector<std::string> header;
  for (std::size_t cell = 0; cell < record.size(); ++cell) header.emplace_back(without_blanks(record[cell]));
  std::array<std::optional<std::size_t>, kTextRoles> cells;
  for (std::size_t role = 0; role < kTextRoles; ++role) {
    const std::string& name = *columns_by_role(columns)[role];
    if (name.empty()) continue;
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end())
      throw record.error(fmt::format("no column {}; expected one of {}", in_quotes(name), columns_text(header)));
    cells[role] = static_cast<std::size_t>(found - header.begin());
  }
  while (record.next())
    for (std::size_t role = 0; role < kTextRoles; ++role)
      if (cells[role]) out[role].emplace_back(*cells[role] < record.size() ? record[*cells[role]] : std::string_view());
  return out;
}

std::string text_field(const Json& object, const std::string& key) {
  if (!object.is_object()) return {};
  const auto found = object.find(key);
  return found == object.end() ? std::string() : name_text(*found);
}

TextsOfRows texts_of_json_lines(LineReader& lines, const TextColumns& columns) {
  TextsOfRows out;
  for (std::string_view line; lines.next(line);) {
    if (without_blanks(line).empty()) continue;
    const Json json = parse_json(line, fmt::format("{}:{}", lines.name(), lines.line_number()), "one object per line");
    const auto documents = json.is_object() ? json.find("documents") : json.end();
    const bool whole = documents != json.end() && documents->is_array();
    const Json alone = Json::array({json});
    for (const Json& document : whole ? *documents : alone)
      for (std::size_t role = 0; role < kTextRoles; ++role) {
        const std::string& name = *columns_by_role(columns)[role];
        if (name.empty()) continue;
        std::string text = text_field(document, name);
        if (text.empty() && role == kQueryText) text = text_field(json, name);
        out[role].push_back(std::move(text));
      }
  }
  return out;
}

/// The texts of the rows that became documents.
std::vector<std::string> by_document(const std::string& path, std::vector<std::string>& rows, const Dataset& data) {
  std::vector<std::string> out;
  if (rows.empty()) return out;
  for (std::size_t d = 0; d < data.num_documents(); ++d) {
    const std::size_t row = data.source_row(d);
    if (row >= rows.size()) throw Error(ErrorCode::io, {path}, "the file has changed while it was read");
    out.push_back(rows[row]);
  }
  return out;
}

}  // namespace

ReadableTexts read_texts(const std::string& path, const TextColumns& columns, const Dataset& data,
                         const ReadOptions& reading) {
  if (!columns.any()) return {};
  ReadOptions settled = reading;
  const std::unique_ptr<TextSource> source = open_dataset(path, settled);
  const bool json = settled.format == DataFormat::jsonl;
  if (source == nullptr || (!json && settled.format != DataFormat::csv && settled.format != DataFormat::tsv))
    throw Error(ErrorCode::bad_option, {path},
                fmt::format("there is no column {}: only CSV, TSV and JSON lines have named columns",
                            in_quotes(columns.names().front())));
  LineReader lines(*source, path);
  const bool tabs = settled.format == DataFormat::tsv || uncompressed_name(path).ends_with(".tsv");
  TextsOfRows rows = json ? texts_of_json_lines(lines, columns) : texts_of_records(lines, columns, tabs);
  ReadableTexts out;
  out.titles = by_document(path, rows[kTitle], data);
  out.urls = by_document(path, rows[kUrl], data);
  const std::vector<std::string> queries = by_document(path, rows[kQueryText], data);
  for (std::size_t q = 0; !queries.empty() && q < data.num_queries(); ++q) {
    out.queries.emplace_back();
    for (std::size_t d = data.first_document(q); d < data.first_document(q + 1) && out.queries.back().empty(); ++d)
      out.queries.back() = queries[d];
  }
  return out;
}

}  // namespace dorm
