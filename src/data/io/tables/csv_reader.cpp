// SPDX-License-Identifier: Apache-2.0
// Separated values with a header: some columns have a meaning, all others are features. Columns that cannot be read as
// numbers are gathered over many rows, so that one error names them all.
#include <fmt/format.h>

#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/read_ahead.h"
#include "data/io/files/read_report.h"
#include "data/io/files/text_formats.h"
#include "data/io/files/text_source.h"
#include "data/io/tables/column_problems.h"
#include "data/io/tables/csv_record.h"
#include "data/io/tables/table_cell.h"
#include "data/io/tables/table_columns.h"
#include "data/io/tables/table_encoder.h"
#include "data/io/tables/table_rows.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

constexpr std::uint64_t kRowsAfterAProblem = 10000;  // read on so far, to find the others

class CsvReader {
 public:
  CsvReader(TextSource& source, const std::string& name, char separator, const ReadOptions& options,
            RowSink* sink = nullptr)
      : source_(source),
        lines_(source, name),
        record_(lines_, separator),
        options_(options),
        encoder_(options),
        rows_(sink) {}

  Dataset read(ReadReport* report) {
    read_rows(report);
    return rows_.finish(lines_.name(), std::move(names_), description(), options_.threads, report);
  }

  RowsSummary hand_on(ReadReport* report) {
    if (encoder_.active() && !encoder_.ready())
      throw Error(ErrorCode::unsupported, {lines_.name()},
                  "the encoding of its columns depends on all rows; expected a file that is read whole");
    read_rows(report);
    return rows_.hand_on(lines_.name(), std::move(names_), description());
  }

 private:
  void read_rows(ReadReport* report) {
    read_header(report);
    std::uint64_t rows_after = 0;
    while (record_.next() && rows_after < kRowsAfterAProblem) {
      add_row();
      rows_after += !problems_.empty();
    }
    if (!problems_.empty()) throw problems_.error(columns_.document.has_value());
    if (encoder_.active() && !encodes_at_once_) {
      encoder_.fit({lines_.name()});
      rows_.encode(encoder_);
    }
    if (encoder_.active()) names_ = encoder_.names();
    if (encoder_.keeps_dense()) rows_.keep_dense();
    if (report != nullptr) report->bytes = source_.total_bytes() > 0 ? source_.total_bytes() : lines_.done_bytes();
  }

  InputDescription description() const {
    return {columns_.roles, options_.missing, options_.means, options_.missing_by_column, encoder_.encodings()};
  }

  void read_header(ReadReport* report) {
    if (!record_.next()) throw Error(ErrorCode::bad_input, {lines_.name(), 0, 0}, "no header");
    for (std::size_t cell = 0; cell < record_.size(); ++cell) header_.emplace_back(without_blanks(record_[cell]));
    std::set<std::string_view> seen;
    for (std::size_t cell = 0; cell < header_.size(); ++cell) {
      if (header_[cell].empty() && cell == 0 && header_.size() > 1) {  // as pandas writes its index
        warn(report, fmt::format("{}: the first column has no name and is left out", lines_.name()));
        continue;
      }
      if (header_[cell].empty())
        throw record_.error(cell,
                            fmt::format("column {} has no name; the header has {}", cell + 1, columns_text(header_)));
      if (!seen.insert(header_[cell]).second)
        throw record_.error(cell, fmt::format("a second column is named {}; the header has {}",
                                              in_quotes(header_[cell]), columns_text(header_)));
    }
    columns_ = find_columns(header_, options_, {lines_.name(), lines_.line_number(), 0});
    for (const std::size_t cell : columns_.features) {
      names_.push_back(header_[cell]);
      encoder_.add_column(header_[cell]);
    }
    if (encoder_.active()) encoder_.require_columns({lines_.name(), lines_.line_number(), 0});
    encodes_at_once_ = encoder_.active() && encoder_.ready();
    if (encodes_at_once_) encoder_.fit({lines_.name()});
    ids_.resize(columns_.features.size());
    std::iota(ids_.begin(), ids_.end(), 1u);
    values_.resize(columns_.features.size());
  }

  void add_row() {
    if (record_.size() != header_.size())
      throw record_.error(fmt::format("found {} cells; expected {} as in the header", record_.size(), header_.size()));
    const float label = this->label();
    const std::string_view query = record_[*columns_.query];
    if (query.empty()) throw record_.error(*columns_.query, "found no query id; expected one");
    problems_.begin_row(query);
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = feature(k);
    const bool encode = encodes_at_once_ && problems_.empty();
    if (encode) encoder_.encode(values_, encoded_ids_, encoded_);
    if (columns_.weight) read_weight(query);
    const auto text = [this](std::optional<std::size_t> cell) { return cell ? record_[*cell] : std::string_view(); };
    if (rows_.add(label, {query, text(columns_.document), text(columns_.group)}, encode ? encoded_ids_ : ids_,
                  encode ? encoded_ : values_) &&
        options_.progress)
      options_.progress(lines_.done_bytes(), source_.total_bytes());
  }

  Error unexpected(std::size_t cell, std::string_view expected) const {
    const std::string found = record_[cell].empty() ? "an empty cell" : in_quotes(record_[cell]);
    return record_.error(cell,
                         fmt::format("found {} in column {}; expected {}", found, in_quotes(header_[cell]), expected));
  }

  // NaN: none.
  float label() const {
    double value = 0;
    const Cell kind = columns_.label ? parse_cell(record_[*columns_.label], value) : Cell::missing;
    if (kind == Cell::number) return static_cast<float>(value) + 0.0f;  // -0 becomes 0
    if (!options_.need_labels) return std::numeric_limits<float>::quiet_NaN();
    throw unexpected(*columns_.label,
                     kind == Cell::too_large ? "a finite label within the range of float32" : "a number as label");
  }

  float feature(std::size_t k) {
    const std::size_t cell = columns_.features[k];
    float value = 0;
    const Cell kind = encoder_.note(k, record_[cell], value);
    if (kind == Cell::number) return value;
    const bool missing = kind == Cell::missing || kind == Cell::too_large;
    if (!missing || encoder_.rule(k) == Missing::error)
      problems_.add(header_[cell], kind, record_.position(cell), record_[cell],
                    encoder_.encoded(k) && !missing ? encoder_.expected(k) : std::string());
    return value;
  }

  void read_weight(std::string_view query) {
    const std::size_t cell = *columns_.weight;
    double weight = 0;
    if (parse_number(record_[cell], weight) != NumberKind::finite || !(weight >= 0))
      throw unexpected(cell, "a weight, a finite number 0 or more");
    if (const std::optional<std::string> conflict = rows_.set_weight(query, weight))
      throw record_.error(cell, *conflict);
  }

  TextSource& source_;
  LineReader lines_;
  CsvRecords record_;
  const ReadOptions& options_;
  std::vector<std::string> header_;
  TableColumns columns_;
  PackedText names_;  // of the features
  std::vector<std::uint32_t> ids_;
  std::vector<float> values_;
  TableEncoder encoder_;
  bool encodes_at_once_ = false;
  std::vector<std::uint32_t> encoded_ids_;
  std::vector<float> encoded_;
  TableRows rows_;
  ColumnProblems problems_;
};

char separator_for(const std::string& name, const ReadOptions& options) {
  if (options.format == DataFormat::tsv) return '\t';
  return options.format != DataFormat::csv && uncompressed_name(name).ends_with(".tsv") ? '\t' : CsvRecords::kBySight;
}

}  // namespace

Dataset csv_from(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report) {
  ReadAhead ahead(source, options.threads);
  return CsvReader(ahead, name, separator_for(name, options), options).read(report);
}

RowsSummary csv_rows(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report,
                     RowSink& sink) {
  ReadAhead ahead(source, options.threads);
  return CsvReader(ahead, name, separator_for(name, options), options, &sink).hand_on(report);
}

Dataset read_csv(const std::string& path, const ReadOptions& options, ReadReport* report) {
  return csv_from(*open_text(path), path, options, report);
}

Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options, ReadReport* report) {
  const std::unique_ptr<TextSource> source = text_in_memory(text);
  return csv_from(*source, name, options, report);
}

}  // namespace dorm
