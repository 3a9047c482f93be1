// SPDX-License-Identifier: Apache-2.0
// Reads files of events: likes, plays, purchases.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/number.h"
#include "base/quote.h"
#include "data/io/records/rating_columns.h"
#include "data/io/records/rating_records.h"
#include "dorm/recommend/read_events.h"

namespace dorm {
namespace {

constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
constexpr float kLeastTime = 1e8f;  // seconds since 1970; weights of events are smaller

struct EventColumns {
  std::size_t user = 0, item = 1, weight = kNoColumn, time = kNoColumn;
};

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

EventColumns columns_of_events(const RatingRecords& header) {
  EventColumns columns{kNoColumn, kNoColumn};
  for (std::size_t cell = header.size(); cell-- > 0;) {
    const std::string name = plain_name(header[cell]);
    if (means(0, name)) columns.user = cell;
    if (means(1, name)) columns.item = cell;
    if (means(2, name) || is_one_of(name, {"weight", "count", "plays", "quantity"})) columns.weight = cell;
    if (is_one_of(name, {"time", "timestamp"})) columns.time = cell;
  }
  if (columns.user != kNoColumn && columns.item != kNoColumn) return columns;
  throw header.error(0,
                     "found no number, as in a header, and no columns of users and items; expected names such as "
                     "user and item, and quotes around ids that have the separator in them");
}

double number_in(const RatingRecords& line, std::size_t cell, const char* what) {
  double value = 0;
  if (parse_number(line[cell], value) != NumberKind::finite || !fits_float(value))
    throw line.error(cell, fmt::format("found {}; expected a finite number as {}", in_quotes(line[cell]), what));
  return value;
}

class EventsReader {
 public:
  EventsReader(TextSource& source, const std::string& name, std::optional<float> liked)
      : lines_(source, name), liked_(liked) {}

  Events read(RatingsReport& report) {
    while (lines_.next()) take_line();
    check_weights();
    if (events_.empty())
      throw Error(ErrorCode::bad_input, {lines_.lines().name()},
                  liked_ ? fmt::format("no rating is {} or more", *liked_) : "no events");
    report.separator = lines_.separator();
    report.header = header_;
    report.lines = lines_.lines().line_number();
    if (zeros_ > 0)
      report.warnings.push_back(
          fmt::format("{}: {} events have weight 0 and are ignored", lines_.lines().name(), zeros_));
    return Events(std::move(users_), std::move(items_), events_);
  }

 private:
  void take_line() {
    const bool first = !std::exchange(begun_, true);
    if (first) most_ = lines_.size();
    if (first && lines_.size() >= 2 && is_header()) {
      columns_ = columns_of_events(lines_);
      header_ = true;
      return;
    }
    if (first || (header_ && width_ == 0)) set_width();
    if (lines_.size() < width_)
      throw lines_.error(lines_.size(), fmt::format("found {} cells separated by {}; expected {}{}", lines_.size(),
                                                    in_quotes(lines_.separator()), width_,
                                                    first ? ": user, item" : " as on the first line"));
    if (lines_.size() > most_)
      throw lines_.error(most_,
                         fmt::format("found {} cells separated by {}; expected {} as on the first line: ids that "
                                     "have the separator in them need quotes",
                                     lines_.size(), in_quotes(lines_.separator()), most_));
    add_event();
  }

  bool is_header() const {
    if (lines_.size() >= 3) return dorm::is_header(lines_);
    return means(0, plain_name(lines_[0])) && means(1, plain_name(lines_[1]));
  }

  void set_width() {
    if (!header_ && lines_.size() >= 3) columns_.weight = 2;
    if (!header_ && lines_.size() >= 4) columns_.time = 3;
    width_ = 2;
    for (const std::size_t column : {columns_.user, columns_.item, columns_.weight, columns_.time})
      if (column != kNoColumn) width_ = std::max(width_, column + 1);
    if (liked_ && columns_.weight == kNoColumn)
      throw lines_.error(lines_.size(), "found no column of ratings; expected user, item, rating");
  }

  void add_event() {
    for (const std::size_t column : {columns_.user, columns_.item})
      if (lines_[column].empty())
        throw lines_.error(
            column, fmt::format("found nothing; expected the id of the {}", column == columns_.user ? "user" : "item"));
    Event event{0, 0};
    if (columns_.weight != kNoColumn) {
      event.weight = static_cast<float>(number_in(lines_, columns_.weight, liked_ ? "rating" : "weight"));
      if (!liked_ && event.weight < 0)
        throw lines_.error(columns_.weight, fmt::format("found weight {}; expected 0 or more", event.weight));
      least_ = std::min(least_, event.weight);
    }
    if (columns_.time != kNoColumn) event.time = number_in(lines_, columns_.time, "time");
    if (liked_ && event.weight < *liked_) return;
    if (liked_) event.weight = 1;
    zeros_ += event.weight == 0;
    event.user = users_.add(lines_[columns_.user]);
    event.item = items_.add(lines_[columns_.item]);
    events_.push_back(event);
  }

  // Times taken for weights would give a model of the calendar.
  void check_weights() const {
    if (header_ || columns_.weight == kNoColumn || columns_.time != kNoColumn || !(least_ >= kLeastTime)) return;
    if (least_ == std::numeric_limits<float>::infinity()) return;
    throw Error(ErrorCode::bad_input, {lines_.lines().name()},
                fmt::format("every number in the third column is {} or more, as times are; expected weights, or a "
                            "header line such as user,item,time",
                            least_));
  }

  RatingRecords lines_;
  std::optional<float> liked_;
  EventColumns columns_;
  IdTable users_, items_;
  std::vector<Event> events_;
  float least_ = std::numeric_limits<float>::infinity();
  std::size_t width_ = 0, most_ = 0, zeros_ = 0;  // cells that are read, and cells of the first line
  bool begun_ = false, header_ = false;
};

Events events_from(TextSource& source, const std::string& name, std::optional<float> liked, RatingsReport* report) {
  RatingsReport found;
  Events events = EventsReader(source, name, liked).read(found);
  if (report != nullptr) *report = std::move(found);
  return events;
}

}  // namespace

Events read_events(const std::string& path, std::optional<float> liked, RatingsReport* report) {
  return events_from(*open_text(path), path, liked, report);
}
Events parse_events(std::string_view text, const std::string& name, std::optional<float> liked, RatingsReport* report) {
  return events_from(*text_in_memory(text), name, liked, report);
}

}  // namespace dorm
