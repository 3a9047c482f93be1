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

namespace dorm::report {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

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
  std::optional<Order> order = {};  // how the rows stand; the page lets readers sort by any column
  bool folded = false;              // shown on request
};

// ---- plots -------------------------------------------------------------------------------------------------

struct Axis {
  std::string label;
  bool log = false;    // positive values only; others are left out
  bool whole = false;  // ticks at whole numbers
  std::optional<double> low = {}, high = {};
};

/// Points in order; one that is not finite interrupts the line.
struct Series {
  enum class Mark { line, points, rule };  // rule: a horizontal line at y[0], without x

  std::string name;
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};  // a band around the line; empty: none
  Mark mark = Mark::line;
};

struct Plot {
  std::string title;
  Axis x, y;
  std::vector<Series> series = {};
  std::string caption = {};
};

/// Horizontal bars, one group per category; negative values grow to the left.
struct Bars {
  struct Group {
    std::string name;
    std::vector<double> values;               // one per category
    std::vector<double> low = {}, high = {};  // empty: none
  };

  std::string title;
  Axis value;
  std::vector<std::string> categories = {};
  std::vector<Group> groups = {};
  std::string caption = {};
};

/// Estimates with their intervals: one row per name, one panel per measure, on axes that need not begin at zero. A line
/// stands at the reference. How a value compares to it is told by shape and colour.
struct Forest {
  enum class Told { nothing, reference, better, worse, same };
  struct Point {
    double value = kMissing, low = kMissing, high = kMissing;
    Told told = Told::nothing;
    std::string note = {};  // e.g. "p 0.01"
  };
  struct Panel {
    Axis value;
    std::vector<Point> points = {};  // one per row
  };

  std::string title;
  std::vector<std::string> rows = {};
  std::vector<Panel> panels = {};
  std::string caption = {};
};

/// A table of numbers shaded by their size: from the lower quartile up, so that a few bad ones do not hide how
/// the others differ.
struct Heatmap {
  struct Mark {
    std::size_t row = 0, column = 0;
    std::string text;  // e.g. "chosen"
  };

  std::string title;
  std::string row_label, column_label;
  std::vector<std::string> rows = {}, columns = {};
  std::vector<std::vector<double>> values = {};  // [row][column]; not finite: nothing there
  int digits = 4;
  std::optional<Mark> mark = {};
  std::string caption = {};
};

// ---- queries -----------------------------------------------------------------------------------------------

/// Rankers on the same queries. On the page readers compare any two of them, sort and filter queries, and open those
/// that have lists: rankings side by side, and what features add to scores. The other forms list the figures.
struct Queries {
  /// What the kept features add to the scores of the documents of a list. The rest of a score is the mean score, and
  /// what features that were not kept add.
  struct Contributions {
    std::vector<std::size_t> features;               // of the ranker's `features`
    double mean_score = 0;                           // over all documents of the query
    std::vector<double> means;                       // of each kept feature over them
    std::vector<std::vector<double>> values, above;  // by document and kept feature: as in the data; less the mean
  };
  struct Ranked {
    std::vector<std::size_t> order;   // the first documents, as `documents` numbers them; none: not known
    std::vector<std::size_t> ranks;   // by document, from 1; 0: not known, or not ranked
    std::vector<double> scores = {};  // by document; none: not known
    std::optional<Contributions> why = {};
  };
  struct Document {
    std::string name;
    double label = 0;
    std::size_t ideal_rank = 0;  // from 1
  };
  /// The beginnings of lists, and the documents in them.
  struct Lists {
    std::vector<Document> documents;
    std::vector<std::size_t> ideal;  // the first documents of the best order
    std::vector<Ranked> rankers;
    std::size_t positions = 0;  // how far lists go
  };
  struct Query {
    std::string name;
    std::size_t documents = 0, relevant = 0;  // 0 documents: not known
    double ideal = kMissing;                  // the measure of the best order
    std::optional<Lists> lists = {};
  };
  struct Ranker {
    std::string name;
    std::vector<double> values;              // of the measure, by query; not finite: none
    std::vector<std::string> features = {};  // with weights, of a linear ranker
    std::vector<double> weights = {};
  };

  std::string title, measure, data;        // data: what the queries are of
  std::optional<std::size_t> cutoff = {};  // of the measure
  std::vector<Ranker> rankers = {};
  std::vector<Query> queries = {};
  std::size_t first = 0;                   // shown at first,
  std::optional<std::size_t> second = {};  // and what it is compared with
  std::string caption = {};
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
