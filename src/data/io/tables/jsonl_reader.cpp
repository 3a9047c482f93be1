// SPDX-License-Identifier: Apache-2.0
// JSON lines: an object per document, with its features in "features" or as keys beside the others, or an object per
// query with its "documents". Keys have the meaning that columns of a table have. What a line does not name is missing.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/json.h"
#include "base/quote.h"
#include "data/io/files/line_reader.h"
#include "data/io/files/read_ahead.h"
#include "data/io/files/text_formats.h"
#include "data/io/tables/json_cell.h"
#include "data/io/tables/named_rows.h"
#include "data/io/tables/table_cell.h"
#include "data/io/tables/table_columns.h"
#include "data/io/tables/table_encoder.h"

namespace dorm {
namespace {

constexpr std::string_view kFeatures = "features", kDocuments = "documents";
constexpr std::string_view kLineExpected = "one object per line";

class JsonlReader {
 public:
  JsonlReader(TextSource& source, const std::string& name, const ReadOptions& options)
      : source_(source),
        lines_(source, name),
        options_(options),
        roles_(options.columns),
        rows_(lines_.name(), options, NamedRows::Absent::missing) {
    roles_.ignored = split_names(options.columns.ignored);
    for (const std::string& column : source_columns(options)) rows_.column(column);
  }

  Dataset read(ReadReport* report) {
    std::string_view line;
    while (lines_.next(line)) {
      if (without_blanks(line).empty()) continue;
      const Json json = parse_json(line, fmt::format("{}:{}", lines_.name(), lines_.line_number()), kLineExpected);
      if (!json.is_object()) throw error(fmt::format("found no object; expected {}", kLineExpected));
      add_line(json);
    }
    if (report != nullptr) report->bytes = source_.total_bytes() > 0 ? source_.total_bytes() : lines_.done_bytes();
    return rows_.finish(roles_, report);
  }

 private:
  Error error(const std::string& message) const {
    return {ErrorCode::bad_input, {lines_.name(), lines_.line_number(), 0}, message};
  }

  void add_line(const Json& json) {
    const auto documents = json.find(std::string(kDocuments));
    if (documents == json.end()) return add_document(json, json);
    if (!documents->is_array()) throw error("found no list of \"documents\"; expected one");
    for (const Json& document : *documents) {
      if (!document.is_object()) throw error("found a document that is no object; expected objects in \"documents\"");
      add_document(document, json);
    }
  }

  /// What the document says, or else the query that it stands in.
  static const Json* find(const Json& document, const Json& query, const std::string& key) {
    for (const Json* object : {&document, &query})
      if (const auto found = object->find(key); found != object->end() && !key.empty()) return &*found;
    return nullptr;
  }

  void add_document(const Json& document, const Json& query) {
    if (rows_.size() == 0) check_roles(document, query);
    const auto named = [&](const std::string& key) {
      const Json* value = find(document, query, key);
      return value ? name_text(*value) : std::string();
    };
    NamedRows::Row row{label(document, query), named(roles_.query), named(roles_.document), named(roles_.group), {},
                       lines_.line_number()};
    for (const std::string* name : {&row.query, &row.document, &row.group})
      if (name->find('\0') != std::string::npos) throw error("found a NUL byte in a name; expected text");
    if (row.query.empty()) throw error(fmt::format("found no query id in {}; expected one", in_quotes(roles_.query)));
    if (options_.need_groups && !find(document, query, roles_.group))
      throw error(fmt::format("found no group in {}; expected one", in_quotes(roles_.group)));
    rows_.begin_row(row.query);
    if (const Json* weight = find(document, query, roles_.weight)) row.weight = weight_of(*weight);
    const auto features = document.find(std::string(kFeatures));
    if (features != document.end() && features->is_array())
      add_numbered(*features);
    else
      add_named(features != document.end() && features->is_object() ? *features : document);
    rows_.add_row(std::move(row));
  }

  /// Of the first document: the same complaints, and the same guesses, as for the header of a table.
  void check_roles(const Json& document, const Json& query) const {
    std::vector<std::string> keys;
    for (const Json* object : {&document, &query})
      for (const auto& [key, value] : object->items())
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    ReadOptions options = options_;
    options.columns.ignored.clear();
    find_columns(keys, options, {lines_.name(), lines_.line_number(), 0});
  }

  float label(const Json& document, const Json& query) const {
    const Json* value = find(document, query, roles_.label);
    double number = 0;
    if (value && parse_value(*value, number) == Cell::number) return static_cast<float>(number) + 0.0f;
    if (!options_.need_labels) return std::numeric_limits<float>::quiet_NaN();
    throw error(fmt::format("found {} in {}; expected a number as label",
                            value ? in_quotes(json_text(*value)) : "nothing", in_quotes(roles_.label)));
  }

  double weight_of(const Json& value) const {
    double weight = 0;
    if (parse_value(value, weight) == Cell::number && weight >= 0) return weight;
    throw error(fmt::format("found {} in {}; expected a weight, a finite number 0 or more", in_quotes(json_text(value)),
                            in_quotes(roles_.weight)));
  }

  bool has_meaning(const std::string& key) const {
    return key == roles_.label || key == roles_.query || key == roles_.document || key == roles_.group ||
           key == roles_.weight || key == kFeatures || key == kDocuments;
  }

  void add_named(const Json& object) {
    for (const auto& [key, value] : object.items()) {
      if (has_meaning(key) || std::find(roles_.ignored.begin(), roles_.ignored.end(), key) != roles_.ignored.end())
        continue;
      add_value(key, value);
    }
  }

  void add_numbered(const Json& list) {
    for (std::size_t j = 0; j < list.size(); ++j) add_value(std::to_string(j + 1), list[j]);
  }

  void add_value(const std::string& name, const Json& value) {
    if (!options_.features.empty() && !rows_.knows(name)) return;
    const std::uint32_t column = rows_.column(name);
    if (rows_.encoded(column)) return rows_.add_text(column, cell_text(value), lines_.line_number());
    double number = 0;
    const Cell kind = parse_value(value, number);
    rows_.add_value(column, kind, number, lines_.line_number(), name_text(value));
  }

  TextSource& source_;
  LineReader lines_;
  const ReadOptions& options_;
  ColumnRoles roles_;
  NamedRows rows_;
};

}  // namespace

Dataset jsonl_from(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report) {
  ReadAhead ahead(source, options.threads);
  return JsonlReader(ahead, name, options).read(report);
}

Dataset parse_jsonl(std::string_view text, const std::string& name, const ReadOptions& options, ReadReport* report) {
  const std::unique_ptr<TextSource> source = text_in_memory(text);
  return jsonl_from(*source, name, options, report);
}

}  // namespace dorm
