// SPDX-License-Identifier: Apache-2.0
// For readers of small CSV files about the documents of a data set: checked cells, and documents by their ids.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/io/tables/csv_record.h"
#include "dorm/dataset.h"

namespace dorm {

/// Each throws an Error about the cell unless it is as `what` says.
double finite_cell(const CsvRecords& record, std::size_t cell, std::string_view what);
double non_negative_cell(const CsvRecords& record, std::size_t cell, std::string_view what);
void require_cells(const CsvRecords& record, std::size_t cells);

/// The first record as names; `expected` is for the message of an empty file.
std::vector<std::string> read_header(CsvRecords& record, const std::string& file, std::string_view expected);

/// The documents of a data set by query and id. Those without ids are named by their row, counted from 1.
class DocumentIndex {
 public:
  explicit DocumentIndex(const Dataset& data);

  /// The documents of the id in `cell`, in any query; throws when there is none.
  const std::vector<std::size_t>& find(const CsvRecords& record, std::size_t cell) const;
  /// The one of the query in `query_cell`.
  std::size_t find(const CsvRecords& record, std::size_t query_cell, std::size_t cell) const;

 private:
  std::unordered_map<std::string, std::vector<std::size_t>> by_id_;
  std::map<std::pair<std::string, std::string>, std::size_t> by_query_;
};

}  // namespace dorm
