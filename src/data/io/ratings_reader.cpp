// SPDX-License-Identifier: Apache-2.0
// Reads files of ratings.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/rating_records.h"
#include "dorm/ratings.h"
#include "dorm/read.h"

namespace dorm {
namespace {

using Columns = std::array<std::size_t, 3>;  // of user, item, rating
constexpr std::array<std::string_view, 3> kWhat = {"user", "item", "rating"};

// "userId", "User_ID" and "user" are one name.
std::string plain_name(std::string_view cell) {
  std::string name;
  for (const char c : cell)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.size() > 2 && name.ends_with("id")) name.resize(name.size() - 2);
  return name;
}

bool means(std::size_t column, const std::string& name) {
  static constexpr std::array<std::array<std::string_view, 6>, 3> kNames = {
      {{"user", "reviewer", "customer", "viewer", "person", "u"},
       {"item", "movie", "film", "product", "book", "i"},
       {"rating", "score", "stars", "value", "label", "r"}}};
  return std::find(kNames[column].begin(), kNames[column].end(), name) != kNames[column].end();
}

// Where user, item and rating stand according to a header; the first three columns if it does not say.
Columns columns_of(const RatingRecords& header) {
  Columns columns = {header.size(), header.size(), header.size()};
  for (std::size_t cell = header.size(); cell-- > 0;)
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (means(c, plain_name(header[cell]))) columns[c] = cell;
  const bool named = std::all_of(columns.begin(), columns.end(), [&](auto c) { return c < header.size(); });
  return named ? columns : Columns{0, 1, 2};
}

bool is_header(const RatingRecords& line) {
  for (std::size_t cell = 0; cell < line.size(); ++cell)
    if (is_number(line[cell])) return false;
  return line.size() >= 3;
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

Ratings ratings_from(TextSource& source, const std::string& name, RatingsReport* report) {
  RatingRecords lines(source, name);
  IdTable users, items;
  std::vector<Rating> ratings;
  Columns columns = {0, 1, 2};
  bool first = true, header = false;
  while (lines.next()) {
    if (first && is_header(lines)) {
      columns = columns_of(lines);
      header = true;
    } else {
      check_cells(lines, columns);
      const float value = rating_of(lines, columns[2]);
      ratings.push_back({users.add(lines[columns[0]]), items.add(lines[columns[1]]), value});
    }
    first = false;
  }
  if (ratings.empty()) throw Error(ErrorCode::bad_input, {name, 0, 0}, "no ratings");
  Ratings result(std::move(users), std::move(items), ratings);
  if (report != nullptr) describe(*report, lines, header, result);
  return result;
}

}  // namespace

Ratings read_ratings(const std::string& path, RatingsReport* report) {
  return ratings_from(*open_text(path), path, report);
}
Ratings parse_ratings(std::string_view text, const std::string& name, RatingsReport* report) {
  return ratings_from(*text_in_memory(text), name, report);
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
