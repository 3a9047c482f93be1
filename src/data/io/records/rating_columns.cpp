// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/rating_columns.h"

#include <algorithm>
#include <cctype>

#include "base/number.h"

namespace dorm {

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

bool is_header(const RatingRecords& line) {
  double value = 0;  // nan and inf are no numbers to learn from, but no names either
  for (std::size_t cell = 0; cell < line.size(); ++cell)
    if (parse_number(line[cell], value) != NumberKind::malformed) return false;
  return line.size() >= 3;
}

bool is_absent(std::string_view cell) {
  static constexpr std::array<std::string_view, 4> kAbsent = {"na", "nan", "null", "none"};
  std::string name;
  for (const char c : cell) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name.empty() || name == "?" || std::find(kAbsent.begin(), kAbsent.end(), name) != kAbsent.end();
}

}  // namespace dorm
