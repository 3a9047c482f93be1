// SPDX-License-Identifier: Apache-2.0
// Gains by position, of labels or of single documents, from a CSV file.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/tables/document_table.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

// How many positions a header has after `leading` cells: 1, 2, ... n.
std::size_t positions_in(const CsvRecords& record, std::size_t leading) {
  for (std::size_t cell = leading; cell < record.size(); ++cell)
    if (record[cell] != std::to_string(cell - leading + 1))
      throw record.error(cell,
                         fmt::format("found {}; expected position {}", in_quotes(record[cell]), cell - leading + 1));
  if (record.size() == leading) throw record.error("expected positions 1, 2, ... after the first cells");
  return record.size() - leading;
}

void read_rows_by_label(CsvRecords& record, const Dataset& data, PositionGainsFile& out) {
  out.by_label.positions = out.gains.positions;
  std::map<float, std::vector<double>> rows;
  while (record.next()) {
    require_cells(record, out.gains.positions + 1);
    std::vector<double> row;
    for (std::size_t j = 0; j < out.gains.positions; ++j)
      row.push_back(finite_cell(record, j + 1, "a finite number as gain"));
    const double label = finite_cell(record, 0, "a finite number as label");
    if (!fits_float(label) || !rows.emplace(static_cast<float>(label), row).second)
      throw record.error(0, fmt::format("label {} is too large or has a row already", in_quotes(record[0])));
  }
  for (const auto& [label, row] : rows) {
    out.by_label.labels.push_back(label);
    out.by_label.gain.insert(out.by_label.gain.end(), row.begin(), row.end());
  }
  out.gains = gains_of(out.by_label, data);
}

void read_rows_by_document(CsvRecords& record, const Dataset& data, PositionGainsFile& out) {
  const std::size_t n = out.gains.positions;
  const DocumentIndex index(data);
  std::vector<bool> listed(data.num_documents(), false);
  out.gains.gain.assign(data.num_documents() * n, 0.0);
  while (record.next()) {
    require_cells(record, n + 2);
    const std::size_t d = index.find(record, 0, 1);
    if (listed[d]) throw record.error(1, fmt::format("document {} has a row already", in_quotes(record[1])));
    listed[d] = true;
    for (std::size_t j = 0; j < n; ++j)
      out.gains.gain[d * n + j] = finite_cell(record, j + 2, "a finite number as gain");
  }
}

PositionGainsFile gains_from(TextSource& source, const std::string& name, const Dataset& data) {
  constexpr std::string_view kHeader = "label,1,2,... or qid,docid,1,2,...";
  LineReader lines(source, name);
  CsvRecords record(lines, ',');
  const std::vector<std::string> names = read_header(record, name, kHeader);
  const bool by_label = names[0] == "label";
  if (!by_label && (names.size() < 2 || names[0] != "qid" || names[1] != "docid"))
    throw record.error(fmt::format("expected the header {}", kHeader));
  PositionGainsFile out;
  out.gains.positions = positions_in(record, by_label ? 1 : 2);
  if (by_label)
    read_rows_by_label(record, data, out);
  else
    read_rows_by_document(record, data, out);
  return out;
}

}  // namespace

PositionGains gains_of(const LabelGains& table, const Dataset& data) {
  PositionGains out{table.positions, {}};
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (const float label : query.labels) {
      const auto found = std::lower_bound(table.labels.begin(), table.labels.end(), label);
      if (found == table.labels.end() || *found != label)
        throw Error(ErrorCode::bad_input,
                    fmt::format("query {} has a document of label {}, which has no gains by position; "
                                "expected a row for every label (zeros where nothing is gained)",
                                query.id, label));
      const auto row =
          table.gain.begin() + (found - table.labels.begin()) * static_cast<std::ptrdiff_t>(table.positions);
      out.gain.insert(out.gain.end(), row, row + static_cast<std::ptrdiff_t>(table.positions));
    }
  }
  return out;
}

PositionGainsFile read_position_gains(const std::string& path, const Dataset& data) {
  return gains_from(*open_text(path), path, data);
}
PositionGainsFile parse_position_gains(std::string_view text, const std::string& name, const Dataset& data) {
  return gains_from(*text_in_memory(text), name, data);
}

}  // namespace dorm
