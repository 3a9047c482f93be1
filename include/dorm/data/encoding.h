// SPDX-License-Identifier: Apache-2.0
// How columns of a table that hold categories, dates and formatted numbers become features, and what the training data
// has fixed of it: the values with a feature of their own, the reference date. A Model keeps it, so that what is scored
// is encoded as what was trained on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"

namespace dorm {

/// `indicator` is no rule to ask for: Missing::indicator makes it of columns with gaps.
enum class Encode { onehot, age, weekday, month, percent, thousands, decimal_comma, boolean, indicator };

/// What 3/4/2024 is. Dates that begin with the year are read whatever the order, and 31.1.2024 begins with the day.
enum class DateOrder { unknown, day_first, month_first };

/// One rule for one column; a column may have several, of which each adds its features.
struct ColumnEncoding {
  std::string column;
  Encode rule = Encode::onehot;
  std::size_t fewest = 0;                // onehot: documents with a value of its own feature; 0: by kFewestShare
  DateOrder order = DateOrder::unknown;  // of dates
  bool fitted = false;                   // the rest is known
  std::vector<std::string> values = {};  // onehot: those with a feature of their own, sorted; empty text is a gap
  bool others = false;                   // onehot: training data had other values, which share a feature
  double reference = 0;                  // age: days from 1970-01-01 to the date that ages count from

  bool operator==(const ColumnEncoding&) const = default;
};

/// Without another number, a value has a feature of its own where at least two documents have it, and one of each
/// thousand.
inline constexpr double kFewestShare = 0.001;

/// The rules by name: onehot[:N], age[:dmy|mdy][:YYYY-MM-DD], weekday, month, percent, thousands, decimal-comma, bool.
std::span<const CatalogEntry> encoding_catalog();

/// "category=onehot,published=age+month": \, is a comma of a name. Throws Error(bad_option), Error(unknown_name).
std::vector<ColumnEncoding> parse_encodings(std::string_view list);
/// As parse_encodings() takes them; rules of one column stand together.
std::string encodings_text(const std::vector<ColumnEncoding>& encodings);

/// The features that a fitted rule makes: category=red, category=(missing), category=(other); published; published=mon.
std::vector<std::string> encoded_names(const ColumnEncoding& encoding);

/// One sentence on what becomes of a cell, for readers of reports and of exported code.
std::string encoding_sentence(const ColumnEncoding& encoding);

/// 2024-01-31, or 2024-01-31T12:00 where it is no whole day.
std::string date_text(double days);

}  // namespace dorm
