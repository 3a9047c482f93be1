// SPDX-License-Identifier: Apache-2.0
// Reads files of ratings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/records/rating_columns.h"
#include "data/io/records/rating_records.h"
#include "data/io/records/wide_ratings.h"
#include "dorm/read.h"
#include "dorm/recommend/ratings.h"

namespace dorm {
namespace {

using Columns = std::array<std::size_t, 3>;  // of user, item, rating
constexpr std::size_t kWideFrom = 6;         // cells of a line that may be a row of a matrix
constexpr std::array<std::string_view, 3> kWhat = {"user", "item", "rating"};

// Where user, item and rating stand according to a header; nothing if it does not say.
std::optional<Columns> columns_of(const RatingRecords& header) {
  Columns columns = {header.size(), header.size(), header.size()};
  for (std::size_t cell = header.size(); cell-- > 0;)
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (means(c, plain_name(header[cell]))) columns[c] = cell;
  const bool named = std::all_of(columns.begin(), columns.end(), [&](auto c) { return c < header.size(); });
  return named ? std::optional(columns) : std::nullopt;
}

// A line of numbers behind its first cell: a row of a matrix, rather than user, item, rating and something else.
void refuse_wide(const RatingRecords& line) {
  if (line.size() < kWideFrom) return;
  for (std::size_t cell = 1; cell < line.size(); ++cell)
    if (!is_number(line[cell]) && !is_absent(line[cell])) return;
  throw Error(ErrorCode::bad_option, line.error(1, "").position(),
              fmt::format("found {} numbers on a line, as in a matrix with a row for each user; expected user, item, "
                          "rating, or a layout that says what it is (triples, wide, wide:X)",
                          line.size()));
}

float rating_of(const RatingRecords& line, std::size_t cell) {
  double value = 0;
  if (parse_number(line[cell], value) != NumberKind::finite || !fits_float(value))
    throw line.error(cell, fmt::format("found {}; expected a finite number as rating", in_quotes(line[cell])));
  return static_cast<float>(value);
}

void check_cells(const RatingRecords& line, const Columns& columns) {
  const std::size_t needed = *std::max_element(columns.begin(), columns.end()) + 1;
  if (line.size() < needed)
    throw line.error(line.size(), fmt::format("found {} cells separated by {}; expected at least {}: user, "
                                              "item, rating",
                                              line.size(), in_quotes(line.separator()), needed));
  for (std::size_t c = 0; c < 2; ++c)
    if (line[columns[c]].empty())
      throw line.error(columns[c], fmt::format("found nothing; expected the id of the {}", kWhat[c]));
}

void describe(RatingsReport& report, const RatingRecords& lines, bool header, const Ratings& ratings) {
  report.separator = lines.separator();
  report.header = header;
  report.lines = lines.lines().line_number();
  if (ratings.duplicates() > 0)
    report.warnings.push_back(
        fmt::format("{}: {} ratings were replaced by a later rating of the same item "
                    "by the same user",
                    lines.lines().name(), ratings.duplicates()));
}

Ratings triples_from(RatingRecords& lines, bool told, bool& header) {
  IdTable users, items;
  std::vector<Rating> ratings;
  std::optional<Columns> named;
  bool first = true;
  while (lines.next()) {
    if (first && is_header(lines)) {
      named = columns_of(lines);
      header = true;
    } else {
      const Columns columns = named.value_or(Columns{0, 1, 2});
      if (!told && !named && ratings.empty()) refuse_wide(lines);
      check_cells(lines, columns);
      const float value = rating_of(lines, columns[2]);
      ratings.push_back({users.add(lines[columns[0]]), items.add(lines[columns[1]]), value});
    }
    first = false;
  }
  return Ratings(std::move(users), std::move(items), ratings);
}

Ratings ratings_from(TextSource& source, const std::string& name, RatingsReport* report, const RatingsLayout& layout) {
  RatingRecords lines(source, name);
  bool header = false;
  RatingsReport said;
  Ratings result = layout.shape == RatingsLayout::Shape::wide
                       ? wide_ratings_from(lines, layout, header, said.warnings)
                       : triples_from(lines, layout.shape == RatingsLayout::Shape::triples, header);
  if (result.size() == 0) throw Error(ErrorCode::bad_input, {name, 0, 0}, "no ratings");
  describe(said, lines, header, result);
  if (report != nullptr) *report = std::move(said);
  return result;
}

}  // namespace

Ratings read_ratings(const std::string& path, RatingsReport* report, const RatingsLayout& layout) {
  return ratings_from(*open_text(path), path, report, layout);
}
Ratings parse_ratings(std::string_view text, const std::string& name, RatingsReport* report,
                      const RatingsLayout& layout) {
  return ratings_from(*text_in_memory(text), name, report, layout);
}

RatingsLayout parse_ratings_layout(std::string_view text) {
  using Shape = RatingsLayout::Shape;
  if (text == "auto") return {};
  if (text == "triples") return {.shape = Shape::triples};
  if (text == "wide") return {.shape = Shape::wide};
  if (text == "wide:none") return {.shape = Shape::wide, .all_rated = true};
  double value = 0;
  if (text.starts_with("wide:") && parse_number(text.substr(5), value) == NumberKind::finite && fits_float(value))
    return {.shape = Shape::wide, .not_rated = static_cast<float>(value)};
  throw Error(ErrorCode::bad_option, fmt::format("layout {} of ratings; expected auto, triples, wide, wide:X (X stands "
                                                 "for not rated) or wide:none (no number does)",
                                                 in_quotes(text)));
}

std::vector<std::string> read_lines(const std::string& path) {
  const auto source = open_text(path);
  LineReader reader(*source, path);
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin != std::string_view::npos)
      lines.emplace_back(line.substr(begin, line.find_last_not_of(" \t") + 1 - begin));
  }
  return lines;
}

}  // namespace dorm
