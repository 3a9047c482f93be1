// SPDX-License-Identifier: Apache-2.0
// Text made safe for where it goes, and numbers as they are shown.
#pragma once

#include <string>
#include <string_view>

#include "dorm/apps/report.h"

namespace dorm::report {

/// Entry i, or kMissing past the end.
inline double at(const std::vector<double>& values, std::size_t i) { return i < values.size() ? values[i] : kMissing; }

/// How pictures print figures in their tooltips.
inline const Column kSixDigits = significant_column("", 6);

/// Valid UTF-8 without control characters: each offending byte becomes U+FFFD. Line ends and tabs stay.
std::string clean(std::string_view text);

/// For HTML and XML, in elements and in quoted attributes.
std::string escape_html(std::string_view text);

/// For one line of Markdown: nothing in it is read as markup or as the end of a table cell.
std::string escape_markdown(std::string_view text);

/// As the column asks; empty when it is not finite.
std::string number_text(double value, const Column& column);

/// The shortest text that reads back as the same number; empty when it is not finite.
std::string exact_text(double value);

/// The figure or the words of a cell, without interval and note.
std::string shown_text(const Cell& cell, const Column& column);

/// Note and hint, where they cannot be told apart by the pointer.
std::string note_text(const Cell& cell);

/// "[low, high]" or nothing.
std::string interval_text(const Cell& cell, const Column& column);

}  // namespace dorm::report
