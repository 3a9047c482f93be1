// SPDX-License-Identifier: Apache-2.0
#include "data/io/query_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/json.h"
#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/line_reader.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/document_table.h"
#include "data/io/tables/json_cell.h"
#include "data/io/tables/table_cell.h"
#include "data/io/tables/table_columns.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kMark = "qid:";

class QueryLineReader {
 public:
  QueryLineReader(TextSource& source, const std::string& name, const ReadOptions& reading)
      : source_(source), lines_(source, name), reading_(reading) {}

  QueryLines read() {
    if (reading_.format == DataFormat::letor)
      read_letor_lines();
    else if (reading_.format == DataFormat::jsonl)
      read_json_lines();
    else
      read_records();
    assign(lines_.line_number(), QueryLines::kOfNone);  // blank ones at the end
    if (found_.ids.empty()) throw Error(ErrorCode::bad_input, {lines_.name(), 0, 0}, "no documents");
    return std::move(found_);
  }

 private:
  /// Assigns the lines after the last one that was assigned.
  void assign(std::uint64_t lines, std::uint32_t query) { found_.query_of.resize(lines, query); }

  void add(std::string_view id, std::uint64_t documents, std::uint64_t relevant) {
    const auto [place, fresh] = numbers_.try_emplace(std::string(id), static_cast<std::uint32_t>(found_.ids.size()));
    if (fresh) {
      found_.ids.emplace_back(id);
      found_.documents.push_back(0);
      found_.relevant.push_back(0);
    }
    found_.documents[place->second] += documents;
    found_.relevant[place->second] += relevant;
    assign(lines_.line_number(), place->second);
    if (reading_.progress && found_.query_of.size() % 4096 == 0)
      reading_.progress(lines_.done_bytes(), source_.total_bytes());
  }

  void read_letor_lines() {
    std::string_view line;
    while (lines_.next(line)) {
      std::string_view rest = without_blanks(line);
      if (rest.empty() || rest.front() == '#') {
        assign(lines_.line_number(), rest.empty() ? QueryLines::kOfNone : QueryLines::kOfAll);
        continue;
      }
      rest = rest.substr(0, rest.find('#'));
      std::string_view id, word = next_word(rest);
      double label = 0;
      if (!word.starts_with(kMark) && parse_number(word, label) != NumberKind::finite)
        throw lines_.error(1, fmt::format("found {}; expected a label", in_quotes(word)));
      for (; !word.empty() && id.empty(); word = next_word(rest))
        if (word.starts_with(kMark)) id = word.substr(kMark.size());
      if (id.empty()) throw lines_.error(0, "found no query id; expected qid:ID");
      add(id, 1, label > 0 ? 1 : 0);
    }
  }

  static std::string_view next_word(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlanks));
    rest.remove_prefix(word.size());
    return word;
  }

  void read_records() {
    const bool tabs = reading_.format == DataFormat::tsv || uncompressed_name(lines_.name()).ends_with(".tsv");
    CsvRecords record(lines_, tabs ? '\t' : CsvRecords::kBySight);
    if (!record.next()) throw Error(ErrorCode::bad_input, {lines_.name(), 0, 0}, "no header");
    std::vector<std::string> header;
    for (std::size_t cell = 0; cell < record.size(); ++cell) header.emplace_back(without_blanks(record[cell]));
    assign(record.position(0).line - 1, QueryLines::kOfNone);
    assign(lines_.line_number(), QueryLines::kOfAll);
    const TableColumns columns = find_columns(header, reading_, {lines_.name(), lines_.line_number(), 0});
    while (record.next()) {
      assign(record.position(0).line - 1, QueryLines::kOfNone);
      require_cells(record, header.size());
      const std::string_view id = record[*columns.query];
      if (id.empty()) throw record.error(*columns.query, "found no query id; expected one");
      add(id, 1, relevant(record, columns.label) ? 1 : 0);
    }
  }

  bool relevant(const CsvRecords& record, std::optional<std::size_t> cell) const {
    if (!cell) return false;
    double label = 0;
    const Cell kind = parse_cell(record[*cell], label);
    if (kind != Cell::number && reading_.need_labels)
      throw record.error(*cell, fmt::format("found {}; expected a number as label", in_quotes(record[*cell])));
    return kind == Cell::number && label > 0;
  }

  void read_json_lines() {
    std::string_view line;
    while (lines_.next(line)) {
      if (without_blanks(line).empty()) {
        assign(lines_.line_number(), QueryLines::kOfNone);
        continue;
      }
      const std::string place = fmt::format("{}:{}", lines_.name(), lines_.line_number());
      const Json json = parse_json(line, place, "one object per line");
      const auto documents = json.find("documents");
      const bool whole = json.is_object() && documents != json.end() && documents->is_array();
      const Json alone = Json::array({json});
      const Json& list = whole ? *documents : alone;
      std::string id = text_of(json, reading_.columns.query);
      std::uint64_t relevant = 0;
      for (const Json& document : list) {
        const std::string own = text_of(document, reading_.columns.query);
        if (id.empty()) id = own;
        if (!own.empty() && own != id)
          throw lines_.error(0, fmt::format("found documents of the queries {} and {}; expected one query on a line",
                                            in_quotes(id), in_quotes(own)));
        relevant += label_of(document, json) > 0 ? 1 : 0;
      }
      if (id.empty())
        throw lines_.error(0, fmt::format("found no query id in {}; expected one", in_quotes(reading_.columns.query)));
      add(id, list.size(), relevant);
    }
  }

  static std::string text_of(const Json& object, const std::string& key) {
    if (!object.is_object()) return {};
    const auto found = object.find(key);
    return found == object.end() ? std::string() : name_text(*found);
  }

  double label_of(const Json& document, const Json& query) const {
    for (const Json* object : {&document, &query}) {
      if (!object->is_object()) continue;
      const auto found = object->find(reading_.columns.label);
      double label = 0;
      if (found != object->end() && parse_value(*found, label) == Cell::number) return label;
    }
    if (!reading_.need_labels) return 0;
    throw lines_.error(0,
                       fmt::format("found no number in {}; expected one as label", in_quotes(reading_.columns.label)));
  }

  TextSource& source_;
  LineReader lines_;
  const ReadOptions& reading_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of the queries
  QueryLines found_;
};

}  // namespace

QueryLines query_lines(TextSource& source, const std::string& name, const ReadOptions& reading) {
  return QueryLineReader(source, name, reading).read();
}

}  // namespace dorm
