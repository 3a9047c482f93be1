// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/wide_ratings.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/records/rating_columns.h"

namespace dorm {
namespace {

constexpr double kMostAlike = 0.5;  // share of one value that must be explained

class WideTable {
 public:
  WideTable(RatingRecords& lines, const RatingsLayout& layout) : lines_(lines), layout_(layout) {}

  void read();
  Ratings ratings(std::vector<std::string>& warnings);
  bool header() const { return header_; }

 private:
  void read_header();
  void read_row();
  bool first_column_counts() const;
  void refuse_unexplained() const;

  RatingRecords& lines_;
  const RatingsLayout& layout_;
  bool header_ = false, ids_ = false;
  std::size_t width_ = 0;  // cells of every line
  IdTable users_;
  std::vector<std::string> items_;
  std::vector<Rating> ratings_;
};

// The first column holds users where its name says so or where it holds text.
void WideTable::read_header() {
  const std::string first = plain_name(lines_[0]);
  const bool named = first.empty() || means(0, first) || first == "id" || first == "name" || first == "index";
  width_ = lines_.size();
  header_ = is_header(lines_) || (named && !is_number(lines_[0]));
  ids_ = header_ ? named : !is_number(lines_[0]) && !is_absent(lines_[0]);
  for (std::size_t cell = ids_ ? 1 : 0; cell < width_; ++cell)
    items_.push_back(header_ ? std::string(lines_[cell]) : std::to_string(cell + (ids_ ? 0 : 1)));
}

void WideTable::read_row() {
  if (lines_.size() != width_)
    throw lines_.error(lines_.size(),
                       fmt::format("found {} cells; expected {}, as on the first line", lines_.size(), width_));
  if (ids_ && users_.find(lines_[0]))
    throw lines_.error(0, fmt::format("user {} has a second line", in_quotes(lines_[0])));
  const std::uint32_t user = ids_ ? users_.add(lines_[0]) : users_.add(std::to_string(users_.size() + 1));
  for (std::size_t cell = ids_ ? 1 : 0; cell < width_; ++cell) {
    if (is_absent(lines_[cell])) continue;
    double value = 0;
    if (parse_number(lines_[cell], value) != NumberKind::finite || !fits_float(value))
      throw lines_.error(
          cell, fmt::format("found {}; expected a finite number as rating, or nothing", in_quotes(lines_[cell])));
    const auto rating = static_cast<float>(value);
    if (layout_.not_rated && *layout_.not_rated == rating) continue;
    ratings_.push_back({user, static_cast<std::uint32_t>(cell - (ids_ ? 1 : 0)), rating});
  }
}

void WideTable::read() {
  for (bool first = true; lines_.next(); first = false) {
    if (first) read_header();
    if (!first || !header_) read_row();
  }
}

// As in the files of Jester: the first of the columns tells how many of the others hold ratings.
bool WideTable::first_column_counts() const {
  if (header_ || ids_ || ratings_.empty()) return false;
  std::vector<float> told(users_.size(), -1), found(users_.size(), 0);
  for (const Rating& rating : ratings_)
    if (rating.item == 0)
      told[rating.user] = rating.value;
    else
      ++found[rating.user];
  return told == found;
}

// One number for most cells, or one that lies far from all others, is more often a mark than a rating.
void WideTable::refuse_unexplained() const {
  if (layout_.not_rated || layout_.all_rated || ratings_.empty()) return;
  std::unordered_map<float, std::size_t> counts;
  for (const Rating& rating : ratings_) ++counts[rating.value];
  std::vector<float> values;
  for (const auto& [value, count] : counts) values.push_back(value);
  std::sort(values.begin(), values.end());
  const auto refuse = [&](float value) {
    throw Error(ErrorCode::bad_option, {lines_.lines().name(), 0, 0},
                fmt::format("{} is in {:.0f} % of the cells, the others are between {} and {}; expected a layout "
                            "that says whether it means not rated (wide:{}) or is a rating (wide:none)",
                            value, 100.0 * static_cast<double>(counts[value]) / static_cast<double>(ratings_.size()),
                            value == values.front() ? values[1] : values.front(),
                            value == values.back() ? values[values.size() - 2] : values.back(), value));
  };
  if (values.size() < 2) return;
  for (const float value : values)
    if (static_cast<double>(counts[value]) > kMostAlike * static_cast<double>(ratings_.size())) refuse(value);
  if (values.size() < 4) return;
  const std::size_t last = values.size() - 1;
  if (values[last] - values[last - 1] > values[last - 1] - values[0]) refuse(values[last]);
  if (values[1] - values[0] > values[last] - values[1]) refuse(values[0]);
}

Ratings WideTable::ratings(std::vector<std::string>& warnings) {
  if (first_column_counts()) {
    warnings.push_back(fmt::format("{}: the first column counts rated items and is ignored", lines_.lines().name()));
    std::erase_if(ratings_, [](const Rating& rating) { return rating.item == 0; });
    for (Rating& rating : ratings_) --rating.item;
    items_.pop_back();  // they are numbers from 1
  }
  refuse_unexplained();
  return Ratings(std::move(users_), IdTable(std::move(items_)), ratings_);
}

}  // namespace

Ratings wide_ratings_from(RatingRecords& lines, const RatingsLayout& layout, bool& header,
                          std::vector<std::string>& warnings) {
  WideTable table(lines, layout);
  table.read();
  header = table.header();
  return table.ratings(warnings);
}

}  // namespace dorm
