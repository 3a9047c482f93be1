// SPDX-License-Identifier: Apache-2.0
// Separated values with a header that read_csv understands; document ids, groups and weights only when there are any.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/quote.h"
#include "data/io/files/csv_line.h"
#include "data/storage.h"
#include "dorm/error.h"
#include "dorm/write.h"

namespace dorm {
namespace {

class CsvWriter {
 public:
  CsvWriter(const Dataset& data, std::ostream& out, char separator)
      : data_(data), out_(out), has_weights_(!data.storage().query_weights.empty()), line_(out, separator) {}

  void write() {
    write_header();
    for (std::size_t q = 0; q < data_.num_queries() && out_; ++q) {
      const Query query = data_.query(q);
      for (std::size_t i = 0; i < query.size(); ++i) write_row(query, i);
    }
  }

 private:
  void write_header() {
    if (data_.has_labels()) line_.add_text(data_.input().of_clicks() ? kClickGain : "label");
    line_.add_text("qid");
    if (data_.has_document_ids()) line_.add_text("docid");
    if (data_.has_groups()) line_.add_text("group");
    if (has_weights_) line_.add_text("weight");
    for (std::size_t j = 0; j < data_.num_features(); ++j) {
      const std::string name = data_.feature_name(j);
      constexpr std::array<std::string_view, 6> kTaken = {"label", "qid", "docid", "group", "weight", kClickGain};
      if (name.empty() || std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end())
        throw Error(ErrorCode::unsupported,
                    fmt::format("the feature name {} cannot head a column: it is {}", in_quotes(name),
                                name.empty() ? "empty" : "taken by another column"));
      line_.add_text(name);
    }
    line_.end();
  }

  void write_row(const Query& query, std::size_t i) {
    const std::size_t document = query.first_document + i;
    if (data_.has_labels()) line_.add_number(query.labels[i]);
    line_.add_text(query.id);
    if (data_.has_document_ids()) line_.add_text(data_.document_id(document));
    if (data_.has_groups()) line_.add_text(data_.group(document));
    if (has_weights_) line_.add_number(query.weight);
    row_.resize(data_.num_features());
    query.rows.load(i, row_);
    for (const float value : row_) line_.add_number(value);
    line_.end();
  }

  const Dataset& data_;
  std::ostream& out_;
  bool has_weights_;
  CsvLine line_;
  std::vector<float> row_;
};

}  // namespace

void write_csv(const Dataset& data, std::ostream& out, char separator) { CsvWriter(data, out, separator).write(); }

}  // namespace dorm
