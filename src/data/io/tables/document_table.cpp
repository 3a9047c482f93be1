// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/document_table.h"

#include <fmt/format.h>

#include "base/number.h"
#include "base/quote.h"
#include "dorm/error.h"

namespace dorm {

double finite_cell(const CsvRecords& record, std::size_t cell, std::string_view what) {
  double value = 0;
  if (parse_number(record[cell], value) != NumberKind::finite)
    throw record.error(cell, fmt::format("found {}; expected {}", in_quotes(record[cell]), what));
  return value;
}

double non_negative_cell(const CsvRecords& record, std::size_t cell, std::string_view what) {
  const double value = finite_cell(record, cell, what);
  if (value < 0) throw record.error(cell, fmt::format("found {}; expected {}", in_quotes(record[cell]), what));
  return value;
}

void require_cells(const CsvRecords& record, std::size_t cells) {
  if (record.size() != cells)
    throw record.error(fmt::format("found {} cells; expected {} as in the header", record.size(), cells));
}

std::vector<std::string> read_header(CsvRecords& record, const std::string& name, std::string_view expected) {
  if (!record.next())
    throw Error(ErrorCode::bad_input, {name, 0, 0}, fmt::format("empty; expected a header: {}", expected));
  std::vector<std::string> names;
  for (std::size_t cell = 0; cell < record.size(); ++cell) names.emplace_back(record[cell]);
  return names;
}

DocumentIndex::DocumentIndex(const Dataset& data) {
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t d = query.first_document; d < query.first_document + query.size(); ++d) {
      const std::string id = data.document_name(d);
      by_id_[id].push_back(d);
      by_query_.emplace(std::pair(std::string(query.id), id), d);
    }
  }
}

const std::vector<std::size_t>& DocumentIndex::find(const CsvRecords& record, std::size_t cell) const {
  const auto found = by_id_.find(std::string(record[cell]));
  if (found == by_id_.end())
    throw record.error(
        cell, fmt::format("document {} is not in the data; expected ids of its documents", in_quotes(record[cell])));
  return found->second;
}

std::size_t DocumentIndex::find(const CsvRecords& record, std::size_t query_cell, std::size_t cell) const {
  const auto found = by_query_.find({std::string(record[query_cell]), std::string(record[cell])});
  if (found == by_query_.end())
    throw record.error(cell, fmt::format("query {} has no document {} in the data; expected ids of its documents",
                                         in_quotes(record[query_cell]), in_quotes(record[cell])));
  return found->second;
}

}  // namespace dorm
