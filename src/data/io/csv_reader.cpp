// SPDX-License-Identifier: Apache-2.0
// Separated values with a header: some columns have a meaning, all others are features.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "base/number.h"
#include "base/quote.h"
#include "data/assemble.h"
#include "data/io/csv_record.h"
#include "data/io/decompress.h"
#include "data/io/read_report.h"
#include "data/io/text_source.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

constexpr std::size_t kValuesPerBlock = std::size_t{1} << 19;

class CsvReader {
 public:
  CsvReader(TextSource& source, const std::string& name, char separator, const ReadOptions& options)
      : source_(source), lines_(source, name), record_(lines_, separator), options_(options) {}

  Dataset read(ReadReport* report) {
    read_header();
    while (record_.next()) add_row();
    blocks_.push_back(writer_.take());
    if (num_rows_ == 0) throw Error(ErrorCode::bad_input, {lines_.name(), 0, 0}, "no documents");
    Grouping grouping = group_by_query_id(blocks_);
    warn_merged(report, lines_.name(), grouping);
    if (report != nullptr) report->bytes = source_.total_bytes();
    AssembleOptions assembly;
    assembly.threads = options_.threads;
    assembly.input = {options_.columns, options_.missing, options_.means};
    assembly.num_features = features_.size();
    assembly.feature_names = std::move(names_);
    for (std::size_t q = 0; weight_ && q < grouping.num_queries(); ++q)
      assembly.query_weights.push_back(weights_.find(grouping.query_ids[q])->second);
    return Dataset(assemble(std::move(blocks_), std::move(grouping), std::move(assembly)));
  }

 private:
  void read_header() {
    if (!record_.next()) throw Error(ErrorCode::bad_input, {lines_.name(), 0, 0}, "no header");
    width_ = record_.size();
    std::set<std::string_view> seen;
    for (std::size_t cell = 0; cell < width_; ++cell) {
      if (record_[cell].empty())
        throw record_.error(cell, fmt::format("column {} has no name; the header has {}", cell + 1, header()));
      if (!seen.insert(record_[cell]).second)
        throw record_.error(
            cell, fmt::format("a second column is named {}; the header has {}", in_quotes(record_[cell]), header()));
    }
    label_ = options_.need_labels ? required(options_.columns.label, "label") : optional(options_.columns.label);
    query_ = required(options_.columns.query, "query");
    document_ = optional(options_.columns.document);
    group_ = optional(options_.columns.group);
    if (options_.need_groups) required(options_.columns.group, "group");
    weight_ = optional(options_.columns.weight);
    for (const std::string& name : options_.columns.ignored) required(name, "ignored");
    choose_features();
  }

  void choose_features() {
    const std::vector<std::string>& ignored = options_.columns.ignored;
    const std::set<std::string_view> wanted(options_.features.begin(), options_.features.end());
    for (std::size_t cell = 0; cell < width_; ++cell) {
      const bool has_meaning =
          cell == label_ || cell == query_ || cell == document_ || cell == group_ || cell == weight_;
      if (has_meaning || std::find(ignored.begin(), ignored.end(), record_[cell]) != ignored.end()) continue;
      if (!wanted.empty() && !wanted.contains(record_[cell])) continue;
      features_.push_back(cell);
      names_.push_back(record_[cell]);
    }
    ids_.resize(features_.size());
    std::iota(ids_.begin(), ids_.end(), 1u);
    values_.resize(features_.size());
  }

  std::string header() const {
    std::string list;
    for (std::size_t cell = 0; cell < record_.size(); ++cell) {
      if (list.size() > 200) return list + fmt::format(", ... ({} columns)", record_.size());
      list += (cell == 0 ? "" : ", ") + in_quotes(record_[cell]);
    }
    return list;
  }

  std::optional<std::size_t> optional(const std::string& name) const {
    for (std::size_t cell = 0; cell < width_; ++cell)
      if (record_[cell] == name) return cell;
    return std::nullopt;
  }

  std::size_t required(const std::string& name, std::string_view role) const {
    const std::optional<std::size_t> cell = optional(name);
    if (!cell) throw record_.error(fmt::format("no {} column {}; the header has {}", role, in_quotes(name), header()));
    return *cell;
  }

  void add_row() {
    if (record_.size() != width_)
      throw record_.error(fmt::format("found {} cells; expected {} as in the header", record_.size(), width_));
    const float label = this->label();
    const std::string_view query = record_[query_];
    if (query.empty()) throw record_.error(query_, "found no query id; expected one");
    for (std::size_t k = 0; k < features_.size(); ++k) values_[k] = feature(features_[k]);
    if (weight_) check_weight(query);
    const auto text = [this](std::optional<std::size_t> cell) { return cell ? record_[*cell] : std::string_view(); };
    writer_.add(label, {query, text(document_), text(group_)}, ids_, values_);
    ++num_rows_;
    if (writer_.num_values() >= kValuesPerBlock || writer_.num_rows() >= kValuesPerBlock) {
      blocks_.push_back(writer_.take());
      if (options_.progress) options_.progress(lines_.done_bytes(), source_.total_bytes());
    }
  }

  Error unexpected(std::size_t cell, std::string_view expected) const {
    const std::string found = record_[cell].empty() ? "an empty cell" : in_quotes(record_[cell]);
    return record_.error(cell, fmt::format("found {}; expected {}", found, expected));
  }

  // NaN: none.
  float label() const {
    double value = 0;
    const NumberKind kind = label_ ? parse_number(record_[*label_], value) : NumberKind::malformed;
    const bool usable = kind == NumberKind::finite && fits_float(value);
    if (!usable && !options_.need_labels) return std::numeric_limits<float>::quiet_NaN();
    if (kind == NumberKind::malformed) throw unexpected(*label_, "a number as label");
    if (!usable) throw unexpected(*label_, "a finite label within the range of float32");
    return static_cast<float>(value) + 0.0f;  // -0 becomes 0
  }

  // An empty cell is a missing value.
  float feature(std::size_t cell) const {
    const std::string_view text = record_[cell];
    double value = 0;
    const NumberKind kind = text.empty() ? NumberKind::not_finite : parse_number(text, value);
    if (kind == NumberKind::finite && fits_float(value)) return static_cast<float>(value) + 0.0f;
    if (kind == NumberKind::malformed) throw unexpected(cell, "a number");
    if (options_.missing == Missing::error)
      throw unexpected(cell, text.empty() || !is_digit(text.back())
                                 ? "a finite number (missing values can be read as zero or mean)"
                                 : "a number within the range of float32");
    return options_.missing == Missing::zero ? 0.0f : std::numeric_limits<float>::quiet_NaN();
  }

  void check_weight(std::string_view query) {
    double weight = 0;
    if (parse_number(record_[*weight_], weight) != NumberKind::finite || !(weight >= 0))
      throw unexpected(*weight_, "a weight, a finite number 0 or more");
    const auto known = weights_.find(query);
    if (known == weights_.end())
      weights_.emplace(query, weight);
    else if (known->second != weight)
      throw record_.error(*weight_, fmt::format("found the weight {} in the query {}, which had {} before; "
                                                "expected one weight per query",
                                                weight, in_quotes(query), known->second));
  }

  TextSource& source_;
  LineReader lines_;
  CsvRecords record_;
  const ReadOptions& options_;
  std::size_t width_ = 0, query_ = 0;
  std::optional<std::size_t> label_, document_, group_, weight_;
  std::vector<std::size_t> features_;  // their cells
  PackedText names_;
  std::map<std::string, double, std::less<>> weights_;  // by query
  std::vector<std::uint32_t> ids_;
  std::vector<float> values_;
  RowBlockWriter writer_;
  std::vector<RowBlock> blocks_;
  std::uint64_t num_rows_ = 0;
};

char separator_for(const std::string& name, const ReadOptions& options) {
  if (options.format == DataFormat::tsv) return '\t';
  if (options.format == DataFormat::csv) return ',';
  return uncompressed_name(name).ends_with(".tsv") ? '\t' : ',';
}

}  // namespace

Dataset read_csv(const std::string& path, const ReadOptions& options, ReadReport* report) {
  const std::unique_ptr<TextSource> source = open_text(path);
  return CsvReader(*source, path, separator_for(path, options), options).read(report);
}

Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options, ReadReport* report) {
  const std::unique_ptr<TextSource> source = text_in_memory(text);
  return CsvReader(*source, name, separator_for(name, options), options).read(report);
}

}  // namespace dorm
