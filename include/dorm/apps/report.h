// SPDX-License-Identifier: Apache-2.0
// Reports: tables, plots and words as plain values, rendered as one self-contained HTML page, as Markdown or as CSV.
// Knows nothing of rankings: numbers and text in, a document out. Guide: docs/report.md.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dorm/apps/report_plots.h"
#include "dorm/apps/report_queries.h"

namespace dorm::report {

// ---- words -------------------------------------------------------------------------------------------------

struct Paragraph {
  std::string text;
};

/// A command or other text to copy, in a fixed-width font.
struct Code {
  std::string text;
};

/// Something that must not be overlooked.
struct Notice {
  enum class Kind { warning, good, plain } kind = Kind::warning;
  std::string text;
};

struct Fact {
  std::string name, value;
  std::string note = {};  // small, beside the value
};

struct Facts {
  std::vector<Fact> facts;
};

// ---- tables ------------------------------------------------------------------------------------------------

/// Words, or a figure that may carry its interval. Either may carry a note and be marked as the best of its column. A
/// figure with `text` is shown as that text and sorted by its value: Cell(1e-7) with "< 0.0001".
struct Cell {
  Cell() = default;  // nothing
  Cell(std::string words) : text(std::move(words)) {}
  Cell(const char* words) : text(words) {}
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number> Cell(Number figure)
      : value(static_cast<double>(figure)) {}
  Cell(double figure, double low_end, double high_end) : value(figure), low(low_end), high(high_end) {}

  std::string text;
  double value = kMissing;  // not finite: no figure
  double low = kMissing, high = kMissing;
  std::string note;
  std::string hint;  // more than a note: on the page it is shown on hover
  bool best = false;

  bool has_interval() const { return low == low && high == high; }
};

struct Column {
  enum class Kind { text, fixed, significant };

  std::string name;
  Kind kind = Kind::text;
  int digits = 4;         // after the point (fixed) or in all (significant; whole numbers in full)
  std::string help = {};  // what it means; shown with the heading
  bool bars = false;      // on the page intervals are thin lines on one scale, their ends shown on hover
};
Column text_column(std::string name, std::string help = {});
Column number_column(std::string name, int decimals = 4, std::string help = {});
Column count_column(std::string name, std::string help = {});
Column significant_column(std::string name, int digits = 6, std::string help = {});
Column barred_column(std::string name, int decimals = 4, std::string help = {});  // fixed, with bars

std::vector<Column> text_columns(std::vector<std::string> names);

struct Table {
  struct Order {
    std::size_t column = 0;
    bool descending = true;
  };

  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows = {};  // shorter ones are filled with empty cells
  std::vector<std::string> footnotes = {};
  std::optional<Order> order = {};  // of the rows; on the page readers sort by any column
  bool folded = false;              // shown on request
};

// ---- the document ------------------------------------------------------------------------------------------

using Block = std::variant<Paragraph, Code, Notice, Facts, Table, Plot, Bars, Forest, Heatmap, Queries>;

struct Section {
  std::string title;
  std::vector<Block> blocks = {};
};

struct Report {
  std::string title, summary;
  std::vector<Fact> highlights = {};  // a few figures at the top
  std::vector<Section> sections = {};
  std::string footer = {};
  std::optional<Notice> verdict = {};  // what a reader wants to know first, in words
  bool gallery = false;                // sections are listed with their first pictures, small
};

// ---- rendering ---------------------------------------------------------------------------------------------

/// One file that needs nothing else: styles, script and plots are inside. Also well-formed XML. Any text is escaped;
/// bytes that are not UTF-8 and control characters become U+FFFD.
std::string to_html(const Report& report);

/// GitHub's Markdown. Plots are given as the tables of their numbers.
std::string to_markdown(const Report& report);

/// Every table and plot in one table of cells: section, table, row, column, value, low, high, note.
std::string to_csv(const Report& report);

/// The rows of one table under their headings, without caption and footnotes. In CSV an interval adds the columns "NAME
/// low" and "NAME high".
std::string to_markdown(const Table& table);
std::string to_csv(const Table& table);

/// One line of CSV for other programs: the fields as they are, quoted where they must be.
std::string csv_line(std::span<const std::string> fields);

/// The text for a CSV that people open in spreadsheets, as reports are: what would be taken for a formula (= + - @)
/// gets a leading ', control characters go. Not for numbers.
std::string disarmed(std::string_view text);

/// "0.0123", "< 0.0001"; nothing when p is no number.
std::string p_value_text(double p);

std::string bytes_text(std::uint64_t bytes);  // "1.5 GB"

/// The numbers behind a picture: one row per x where all series share it, else one per point.
Table numbers_of(const Plot& plot);
Table numbers_of(const Bars& bars);
Table numbers_of(const Forest& forest);
Table numbers_of(const Heatmap& heatmap);
Table numbers_of(const Queries& queries);  // the figures of every ranker

enum class Format { html, markdown, csv };

/// By extension: .html or .htm, .md, .csv. Throws Error(bad_option).
Format format_of(const std::string& path);
std::string render(const Report& report, Format format);

/// In the format of its name, atomically.
void write_report(const Report& report, const std::string& path);

}  // namespace dorm::report
