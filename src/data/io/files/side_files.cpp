// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/side_files.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/file.h"
#include "data/io/files/line_reader.h"

namespace dorm {
namespace {

std::string first_existing(const std::string& path, std::initializer_list<const char*> endings) {
  if (path == "-") return {};  // nothing stands beside standard input
  for (const std::string& stem : {path, std::string(uncompressed_name(path))})
    for (const char* ending : endings)
      if (file_exists(stem + ending)) return stem + ending;
  return {};
}

// Calls visit(reader, entry, column) for the one entry of every line that has one.
template <class Visit>
void each_entry(const std::string& path, Visit visit) {
  const std::unique_ptr<TextSource> source = open_text(path);
  LineReader reader(*source, path);
  std::string_view line;
  while (reader.next(line)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const std::size_t end = line.find_last_not_of(" \t") + 1;
    visit(reader, line.substr(begin, end - begin), begin + 1);
  }
}

}  // namespace

SideFiles find_side_files(const std::string& path) {
  return {first_existing(path, {".query", ".group"}), first_existing(path, {".weight"})};
}

std::vector<std::uint64_t> read_query_sizes(const std::string& path, std::uint64_t rows) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t sum = 0;
  each_entry(path, [&](const LineReader& reader, std::string_view entry, std::uint64_t column) {
    std::uint64_t size = 0;
    const char* const end = entry.data() + entry.size();
    const std::from_chars_result result = std::from_chars(entry.data(), end, size);
    if (result.ptr != end || result.ec != std::errc() || size == 0)
      throw reader.error(column,
                         fmt::format("found {}; expected the number of rows of a query, 1 or more", in_quotes(entry)));
    if (size > rows - sum)
      throw reader.error(column,
                         fmt::format("the sizes up to here sum to more than the {} rows of the data file", rows));
    sum += size;
    sizes.push_back(size);
  });
  if (sum != rows)
    throw Error(ErrorCode::bad_input, {path, 0, 0},
                fmt::format("the sizes sum to {}, but the data file has {} rows", sum, rows));
  return sizes;
}

std::vector<double> read_query_weights(const std::string& path, const Grouping& grouping) {
  std::vector<double> weights;
  std::vector<std::uint64_t> lines;
  each_entry(path, [&](const LineReader& reader, std::string_view entry, std::uint64_t column) {
    double weight = 0;
    if (parse_number(entry, weight) != NumberKind::finite || !(weight >= 0))
      throw reader.error(column,
                         fmt::format("found {}; expected a weight, a finite number 0 or more", in_quotes(entry)));
    weights.push_back(weight);
    lines.push_back(reader.line_number());
  });
  if (weights.size() == grouping.num_queries()) return weights;
  if (weights.size() != grouping.num_documents())
    throw Error(ErrorCode::bad_input, {path, 0, 0},
                fmt::format("{} weights; expected one for each of the {} queries or each of the {} rows",
                            weights.size(), grouping.num_queries(), grouping.num_documents()));
  std::vector<double> of_query;
  std::uint64_t document = 0;
  for (std::size_t q = 0; q < grouping.num_queries(); ++q) {
    const auto row_of = [&](std::uint64_t d) { return grouping.source_rows.empty() ? d : grouping.source_rows[d]; };
    of_query.push_back(weights[row_of(document)]);
    for (; document < grouping.query_end[q]; ++document)
      if (weights[row_of(document)] != of_query.back())
        throw Error(
            ErrorCode::bad_input, {path, lines[row_of(document)], 1},
            fmt::format("found the weight {} in the query {}, which had {} before; expected one weight per query",
                        weights[row_of(document)], in_quotes(grouping.query_ids[q]), of_query.back()));
  }
  return of_query;
}

}  // namespace dorm
