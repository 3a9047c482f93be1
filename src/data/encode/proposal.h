// SPDX-License-Identifier: Apache-2.0
// What rule would read a column of cells that are no plain numbers.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace dorm {

class ColumnSample {
 public:
  /// A cell that is no number and not missing. `query`: the query of its row, empty where it is not known.
  void add(std::string_view text, std::string_view query);

  /// As parse_encodings() takes it behind COLUMN=. Empty: nothing fits, because nearly every cell differs or because
  /// all documents of a query share a text, which cannot rank them.
  std::string proposal() const;

  /// All documents of a query share a text, as far as they were seen one behind another.
  bool is_of_queries() const { return repeats_query_ && !varies_; }
  /// Too many different texts for a title to be a category.
  bool differs() const { return distinct_.size() * 10 > count_; }

 private:
  std::string proposed_number() const;

  std::set<std::string, std::less<>> distinct_;  // up to a limit
  std::uint64_t count_ = 0, letters_ = 0;
  bool repeats_query_ = false, varies_ = false;  // within queries
  std::string last_query_, last_text_;
};

/// What gaps in a column of this name are likely to mean: the name of a rule of parse_missing().
std::string_view proposed_missing(std::string_view column);

}  // namespace dorm
