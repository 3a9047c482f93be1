// SPDX-License-Identifier: Apache-2.0
// Click logs, row by row: a table with a header or JSON lines, in which keys have the meaning of columns.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/json.h"
#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/peeked_text.h"
#include "data/io/files/read_ahead.h"
#include "data/io/files/text_formats.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/document_table.h"
#include "data/io/tables/json_cell.h"
#include "data/io/tables/table_cell.h"
#include "data/io/tables/table_columns.h"
#include "dorm/clicks/click_log.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kLogHeader = "session,qid,docid,position,click";
constexpr std::uint64_t kRowsPerProgress = std::uint64_t{1} << 18;

/// What columns a log has, in the order of the roles.
enum ClickRole { kSession, kQuery, kDocument, kPosition, kClick, kRanker, kImpressions, kClicks, kClickRoles };

std::array<std::string, kClickRoles> click_role_names(const ClickColumns& columns) {
  return {columns.session, columns.query,  columns.document,    columns.position,
          columns.click,   columns.ranker, columns.impressions, columns.clicks};
}

/// The cells of a row by role, wherever they come from.
class ClickCells {
 public:
  virtual ~ClickCells() = default;
  virtual bool next() = 0;
  virtual bool has(ClickRole role) const = 0;
  virtual std::string_view text(ClickRole role) = 0;  // of a name
  virtual Cell number(ClickRole role, double& value) = 0;
  virtual std::string_view context() = 0;
  virtual Error error(ClickRole role, std::string_view expected) = 0;  // about what stands there
  virtual std::uint64_t line() const = 0;
};

Error missing_click_columns(const std::vector<std::string>& missing, const std::vector<std::string>& header,
                            const SourcePosition& at) {
  return {ErrorCode::bad_input, at,
          fmt::format("no column{} {}; the log has {}", missing.size() == 1 ? "" : "s", columns_text(missing),
                      columns_text(header))};
}

/// Which needed columns a header lacks.
void require_click_columns(const std::vector<std::string>& header, const ClickColumns& columns,
                           const SourcePosition& at) {
  const auto has = [&](const std::string& name) {
    return std::find(header.begin(), header.end(), name) != header.end();
  };
  std::vector<std::string> needed = {columns.query, columns.document, columns.position};
  needed.push_back(has(columns.impressions) ? columns.clicks : columns.click);
  needed.insert(needed.end(), columns.context.begin(), columns.context.end());
  std::erase_if(needed, has);
  if (!needed.empty()) throw missing_click_columns(needed, header, at);
}

class CsvClickCells final : public ClickCells {
 public:
  CsvClickCells(LineReader& lines, char separator, const ClickColumns& columns) : record_(lines, separator) {
    header_ = read_header(record_, lines.name(), kLogHeader);
    for (std::string& name : header_) name = without_blanks(name);
    require_click_columns(header_, columns, record_.position(0));
    const auto names = click_role_names(columns);
    for (std::size_t role = 0; role < kClickRoles; ++role) place_[role] = place_of(names[role]);
    for (const std::string& name : columns.context) context_places_.push_back(place_of(name).value());
  }

  bool next() override {
    if (!record_.next()) return false;
    require_cells(record_, header_.size());
    return true;
  }
  bool has(ClickRole role) const override { return place_[role].has_value(); }
  std::string_view text(ClickRole role) override { return record_[*place_[role]]; }
  Cell number(ClickRole role, double& value) override {
    const std::string_view cell = record_[*place_[role]];
    if (cell.size() == 1 && is_digit(cell[0])) {  // most are
      value = cell[0] - '0';
      return Cell::number;
    }
    return parse_cell(cell, value);
  }
  std::string_view context() override {
    if (context_places_.empty()) return {};
    if (context_places_.size() == 1) return record_[context_places_[0]];
    context_.clear();
    for (const std::size_t place : context_places_) {
      if (place != context_places_[0]) context_ += '|';
      context_ += record_[place];
    }
    return context_;
  }
  Error error(ClickRole role, std::string_view expected) override {
    const std::size_t cell = *place_[role];
    return record_.error(cell, fmt::format("found {} in column {}; expected {}",
                                           record_[cell].empty() ? "an empty cell" : in_quotes(record_[cell]),
                                           in_quotes(header_[cell]), expected));
  }
  std::uint64_t line() const override { return record_.position(0).line; }

 private:
  std::optional<std::size_t> place_of(const std::string& name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (name.empty() || found == header_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }

  CsvRecords record_;
  std::vector<std::string> header_;
  std::array<std::optional<std::size_t>, kClickRoles> place_;
  std::vector<std::size_t> context_places_;
  std::string context_;
};

class JsonClickCells final : public ClickCells {
 public:
  JsonClickCells(LineReader& lines, const ClickColumns& columns)
      : lines_(lines), columns_(columns), names_(click_role_names(columns)) {}

  bool next() override {
    std::string_view line;
    do {
      if (!lines_.next(line)) return false;
    } while (without_blanks(line).empty());
    json_ = parse_json(line, fmt::format("{}:{}", lines_.name(), lines_.line_number()), "one object per line");
    if (!json_.is_object()) throw whole_line("found no object; expected one object per line");
    std::vector<std::string> keys;
    for (const auto& [key, value] : json_.items()) keys.push_back(key);
    require_click_columns(keys, columns_, {lines_.name(), lines_.line_number(), 0});
    return true;
  }
  bool has(ClickRole role) const override { return json_.contains(names_[role]); }
  std::string_view text(ClickRole role) override {
    std::string& name = texts_[role] = name_text(json_.at(names_[role]));
    if (name.find('\0') != std::string::npos) throw whole_line("found a NUL byte in a name; expected text");
    return name;
  }
  Cell number(ClickRole role, double& value) override { return parse_value(json_.at(names_[role]), value); }
  std::string_view context() override {
    context_.clear();
    for (std::size_t i = 0; i < columns_.context.size(); ++i)
      context_ += (i == 0 ? "" : "|") + name_text(json_.at(columns_.context[i]));
    return context_;
  }
  Error error(ClickRole role, std::string_view expected) override {
    return whole_line(fmt::format("found {} in {}; expected {}", in_quotes(json_text(json_.at(names_[role]))),
                                  in_quotes(names_[role]), expected));
  }
  std::uint64_t line() const override { return lines_.line_number(); }

 private:
  Error whole_line(const std::string& message) const {
    return {ErrorCode::bad_input, {lines_.name(), lines_.line_number(), 0}, message};
  }

  LineReader& lines_;
  const ClickColumns& columns_;
  std::array<std::string, kClickRoles> names_;
  Json json_;
  std::array<std::string, kClickRoles> texts_;
  std::string context_;
};

double click_count(ClickCells& cells, ClickRole role, double most, std::string_view expected) {
  double value = 0;
  if (cells.number(role, value) != Cell::number || !(value >= 0 && value <= most)) throw cells.error(role, expected);
  return value;
}

std::string_view click_name(ClickCells& cells, ClickRole role, std::string_view expected) {
  const std::string_view name = cells.text(role);
  if (name.empty()) throw cells.error(role, expected);
  return name;
}

void read_click_row(ClickCells& cells, ClickRow& row) {
  constexpr double kDeepest = 1e6;
  row.session = cells.has(kSession) ? cells.text(kSession) : std::string_view();
  row.query = click_name(cells, kQuery, "a query id");
  row.document = click_name(cells, kDocument, "a document id");
  row.ranker = cells.has(kRanker) ? cells.text(kRanker) : std::string_view();
  row.context = cells.context();
  double position = 0;
  if (cells.number(kPosition, position) != Cell::number || !(position >= 1 && position <= kDeepest) ||
      position != std::floor(position))
    throw cells.error(kPosition, "a position, a whole number from 1 to 1000000");
  row.position = static_cast<std::uint32_t>(position);
  row.line = cells.line();
  if (cells.has(kImpressions)) {
    row.impressions = click_count(cells, kImpressions, 1e300, "impressions, a number 0 or more");
    row.clicks = click_count(cells, kClicks, row.impressions, "clicks, a number from 0 to the impressions");
  } else {
    row.impressions = 1;
    row.clicks = click_count(cells, kClick, 1, "0 or 1");
    if (row.clicks != 0 && row.clicks != 1) throw cells.error(kClick, "0 or 1");
  }
}

bool is_json_log(std::string_view beginning, std::string_view name) {
  const std::string_view plain = uncompressed_name(name);
  return plain.ends_with(".jsonl") || plain.ends_with(".ndjson") || first_line_of(beginning).starts_with('{');
}

/// The rows of one page of results, which stand together: a position shows one document.
class ClickPage {
 public:
  void add(const ClickRow& row, const std::string& file) {
    if (row.session.empty()) return;
    if (row.session != session_ || row.query != query_) {
      session_ = row.session;
      query_ = row.query;
      ++page_;
    }
    if (row.position >= shown_.size()) shown_.resize(std::max<std::size_t>(row.position + 1, 2 * shown_.size()));
    auto& [page, document] = shown_[row.position];
    if (page == page_ && document != row.document)
      throw Error(ErrorCode::bad_input, {file, row.line, 0},
                  fmt::format("session {} shows two documents at position {} of query {}; expected one",
                              in_quotes(session_), row.position, in_quotes(query_)));
    page = page_;
    document = row.document;
  }

 private:
  std::string session_, query_;
  std::uint64_t page_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> shown_;  // by position: on which page, and what
};

ClickLogReport clicks_from(PeekedText& peeked, const std::string& name, const ClickLogOptions& options,
                           const std::function<void(const ClickRow&)>& visit) {
  const bool json = is_json_log(peeked.first(), name);
  ReadAhead source(peeked, options.threads);
  LineReader lines(source, name);
  std::unique_ptr<ClickCells> cells;
  if (json)
    cells = std::make_unique<JsonClickCells>(lines, options.columns);
  else
    cells = std::make_unique<CsvClickCells>(
        lines, uncompressed_name(name).ends_with(".tsv") ? '\t' : CsvRecords::kBySight, options.columns);
  ClickLogReport report;
  ClickRow row;
  ClickPage page;
  while (cells->next()) {
    if (report.rows++ == 0) {
      report.has_sessions = cells->has(kSession);
      report.has_rankers = cells->has(kRanker);
      report.counted = cells->has(kImpressions);
    }
    read_click_row(*cells, row);
    if (!report.counted) page.add(row, name);
    if (options.max_position > 0 && row.position > options.max_position)
      ++report.pruned;
    else
      visit(row);
    if (options.progress && report.rows % kRowsPerProgress == 0)
      options.progress(lines.done_bytes(), source.total_bytes());
  }
  if (report.rows == 0) throw Error(ErrorCode::bad_input, {name}, "no rows; expected a click log");
  report.bytes = source.total_bytes() > 0 ? source.total_bytes() : lines.done_bytes();
  return report;
}

template <class Walk>
ClickCounts counts_by(const ClickLogOptions& options, ClickLogReport* report, const Walk& walk) {
  ClickCounter counter;
  const ClickLogReport seen = walk([&](const ClickRow& row) {
    counter.add({.query = row.query,
                 .document = row.document,
                 .position = row.position,
                 .ranker = options.by_ranker ? row.ranker : std::string_view(),
                 .context = row.context,
                 .impressions = row.impressions,
                 .clicks = row.clicks});
  });
  if (report != nullptr) *report = seen;
  return counter.finish();
}

}  // namespace

ClickLogReport for_each_click(const std::string& path, const ClickLogOptions& options,
                              const std::function<void(const ClickRow&)>& visit) {
  PeekedText source(open_text(path));
  return clicks_from(source, path, options, visit);
}

ClickLogReport parse_clicks(std::string_view text, const std::string& name, const ClickLogOptions& options,
                            const std::function<void(const ClickRow&)>& visit) {
  PeekedText source(text_in_memory(text));
  return clicks_from(source, name, options, visit);
}

ClickCounts read_click_counts(const std::string& path, const ClickLogOptions& options, ClickLogReport* report) {
  return counts_by(options, report, [&](const auto& visit) { return for_each_click(path, options, visit); });
}

ClickCounts parse_click_counts(std::string_view text, const std::string& name, const ClickLogOptions& options,
                               ClickLogReport* report) {
  return counts_by(options, report, [&](const auto& visit) { return parse_clicks(text, name, options, visit); });
}

}  // namespace dorm
