// SPDX-License-Identifier: Apache-2.0
// Pictures of reports, as plain values.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dorm::report {

inline constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Axis {
  std::string label;
  bool log = false;    // positive values only; others are left out
  bool whole = false;  // ticks at whole numbers
  std::optional<double> low = {}, high = {};
};

/// Points in order; one that is not finite interrupts the line.
struct Series {
  /// rule: a horizontal line at y[0], without x; area: the band alone, which tells no numbers.
  enum class Mark { line, points, rule, area };

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
/// marks the reference. Shape and colour show how a value compares to it.
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

}  // namespace dorm::report
