// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/judgment_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/number.h"
#include "base/quote.h"
#include "data/column_guess.h"
#include "data/io/files/decompress.h"
#include "data/io/files/text_formats.h"
#include "data/io/tables/document_table.h"
#include "data/io/tables/table_cell.h"
#include "data/io/tables/table_columns.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kJudgmentHeader = "qid,docid,label";

struct JudgmentColumns {
  std::optional<std::size_t> query, document, label;

  bool complete() const { return query && document && label; }
};

/// The column of that name, else the only one that looks right.
std::optional<std::size_t> column_of(const std::vector<std::string>& header, const std::string& role,
                                     bool (*looks_right)(std::string_view)) {
  const auto place = [&](auto found) { return static_cast<std::size_t>(found - header.begin()); };
  if (const auto named = std::find(header.begin(), header.end(), role); named != header.end()) return place(named);
  if (std::count_if(header.begin(), header.end(), looks_right) != 1) return std::nullopt;
  return place(std::find_if(header.begin(), header.end(), looks_right));
}

JudgmentColumns judgment_columns(const std::vector<std::string>& header, const ColumnRoles& roles) {
  JudgmentColumns found{column_of(header, roles.query, names_a_query),
                        column_of(header, roles.document, names_a_document),
                        column_of(header, roles.label, names_a_label)};
  if (header.size() == 3 && found.query && found.document && !found.label && found.query != found.document)
    found.label = 3 - *found.query - *found.document;
  return found;
}

std::vector<std::string> cells_of(const CsvRecords& record) {
  std::vector<std::string> cells;
  for (std::size_t cell = 0; cell < record.size(); ++cell) cells.emplace_back(without_blanks(record[cell]));
  return cells;
}

}  // namespace

bool is_judgment_table(std::string_view beginning, std::string_view name, const ColumnRoles& roles) {
  if (uncompressed_name(name).ends_with(".csv")) return true;
  const std::string_view line = first_line_of(beginning);
  if (line.find_first_of(",;\t|") == std::string_view::npos || line.find('"') != std::string_view::npos) return false;
  const std::unique_ptr<TextSource> source = text_in_memory(line);
  LineReader lines(*source, "");
  CsvRecords record(lines, CsvRecords::kBySight);
  return record.next() && judgment_columns(cells_of(record), roles).complete();
}

std::vector<Judgment> judgment_table_from(TextSource& source, const std::string& name, const ColumnRoles& roles) {
  LineReader lines(source, name);
  CsvRecords record(lines, CsvRecords::kBySight);
  do {
    if (!record.next())
      throw Error(ErrorCode::bad_input, {name}, fmt::format("empty; expected a header: {}", kJudgmentHeader));
  } while (record[0].starts_with('#'));
  const std::vector<std::string> header = cells_of(record);
  const JudgmentColumns columns = judgment_columns(header, roles);
  if (!columns.complete())
    throw record.error(fmt::format("found no column of the {}; the header has {}",
                                   !columns.query      ? "query ids"
                                   : !columns.document ? "document ids"
                                                       : "labels",
                                   columns_text(header)));
  std::vector<Judgment> judgments;
  while (record.next()) {
    if (record[0].starts_with('#')) continue;
    require_cells(record, header.size());
    for (const std::size_t cell : {*columns.query, *columns.document})
      if (record[cell].empty()) throw record.error(cell, "found an empty cell; expected an id");
    const double label = finite_cell(record, *columns.label, "a finite number as label");
    if (!fits_float(label))
      throw record.error(*columns.label, fmt::format("found {}; expected a number within the range of float32",
                                                     in_quotes(record[*columns.label])));
    judgments.push_back(
        {std::string(record[*columns.query]), std::string(record[*columns.document]), static_cast<float>(label)});
  }
  if (judgments.empty()) throw Error(ErrorCode::bad_input, {name}, "no judgments");
  return judgments;
}

}  // namespace dorm
