// SPDX-License-Identifier: Apache-2.0
// Separated values with a header that read_csv understands; document ids, groups and weights only when there are any.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "base/quote.h"
#include "data/storage.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

using Line = fmt::memory_buffer;

class CsvWriter {
 public:
  CsvWriter(const Dataset& data, std::ostream& out, char separator)
      : data_(data), out_(out), separator_(separator), has_weights_(!data.storage().query_weights.empty()) {}

  void write() {
    write_header();
    for (std::size_t q = 0; q < data_.num_queries() && out_; ++q) {
      const Query query = data_.query(q);
      for (std::size_t i = 0; i < query.size(); ++i) write_row(query, i);
    }
  }

 private:
  void write_header() {
    if (data_.has_labels()) add_text("label");
    add_text("qid");
    if (data_.has_document_ids()) add_text("docid");
    if (data_.has_groups()) add_text("group");
    if (has_weights_) add_text("weight");
    for (std::size_t j = 0; j < data_.num_features(); ++j) {
      const std::string name = data_.feature_name(j);
      constexpr std::array<std::string_view, 5> kTaken = {"label", "qid", "docid", "group", "weight"};
      if (name.empty() || std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end())
        throw Error(ErrorCode::unsupported,
                    fmt::format("the feature name {} cannot head a column: it is {}", in_quotes(name),
                                name.empty() ? "empty" : "taken by another column"));
      add_text(name);
    }
    end_line();
  }

  void write_row(const Query& query, std::size_t i) {
    const std::size_t document = query.first_document + i;
    if (data_.has_labels()) add_number(query.labels[i]);
    add_text(query.id);
    if (data_.has_document_ids()) add_text(data_.document_id(document));
    if (data_.has_groups()) add_text(data_.group(document));
    if (has_weights_) add_number(query.weight);
    row_.resize(data_.num_features());
    query.rows.load(i, row_);
    for (const float value : row_) add_number(value);
    end_line();
  }

  template <class Number>
  void add_number(Number value) {
    separate();
    fmt::format_to(std::back_inserter(line_), "{}", value);
  }

  // Quoted when the text would not be read back correctly otherwise.
  void add_text(std::string_view text) {
    separate();
    const bool plain =
        text.find_first_of("\"\n\r") == std::string_view::npos && text.find(separator_) == std::string_view::npos;
    if (!plain) line_.push_back('"');
    for (char c : text) {
      if (c == '"') line_.push_back('"');
      line_.push_back(c);
    }
    if (!plain) line_.push_back('"');
  }

  void separate() {
    if (line_.size() > 0) line_.push_back(separator_);
  }

  void end_line() {
    line_.push_back('\n');
    out_.write(line_.data(), static_cast<std::streamsize>(line_.size()));
    line_.clear();
  }

  const Dataset& data_;
  std::ostream& out_;
  char separator_;
  bool has_weights_;
  Line line_;
  std::vector<float> row_;
};

}  // namespace

void write_csv(const Dataset& data, std::ostream& out, char separator) { CsvWriter(data, out, separator).write(); }

}  // namespace dorm
