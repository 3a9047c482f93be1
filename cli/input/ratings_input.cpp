// SPDX-License-Identifier: Apache-2.0
#include "input/ratings_input.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/recommend/read_events.h"
#include "input/input.h"
#include "options/option_group.h"

namespace dorm::cli {
namespace {

[[noreturn]] void refuse(const std::string& split) {
  throw Error(ErrorCode::bad_option,
              fmt::format("--split {}; expected given:N, random:SHARE or new-users:COUNT:N; of events random:SHARE, "
                          "time:SHARE or leave-last-1",
                          split));
}

template <class Number>
Number number(std::string_view text, const std::string& split) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) refuse(split);
  return value;
}

std::vector<std::string_view> pieces(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t colon = text.find(':');
    parts.push_back(text.substr(0, colon));
    if (colon == std::string_view::npos) return parts;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

void add_split_options(CLI::App& app, SplitArguments& arguments) {
  app.add_option("--split", arguments.split,
                 "hold out a part for testing: given:N (N ratings of each user\n"
                 "train, the rest test; users with fewer than N + 10 dropped),\n"
                 "random:SHARE (a share tests), new-users:COUNT:N (users held\n"
                 "out, folded in from N ratings each); of events also time:SHARE\n"
                 "(the latest test) and leave-last-1 (the last of each user)")
      ->option_text("SPEC")
      ->group("Split");
  OptionGroup(app, "Split")
      .number("--split-seed", arguments.seed, whole_from(0), "S", "which of the random splits (0)");
}

void add_layout_option(CLI::App& app, std::string& layout, const char* group) {
  app.add_option("--layout", layout,
                 "of ratings files: triples (user, item, rating), wide (a line\n"
                 "per user, a column per item), wide:X (X means not rated),\n"
                 "wide:none (no number does); auto: triples, and what looks\n"
                 "wide is refused (auto)")
      ->option_text("NAME")
      ->group(group);
}

Ratings load_ratings(const std::string& path, const std::string& layout, const Settings& settings) {
  const RatingsLayout shape = parse_ratings_layout(layout);
  RatingsReport report;
  try {
    Ratings ratings = read_ratings(path, &report, shape);
    for (const std::string& warning : report.warnings) warn(settings, warning);
    return ratings;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::bad_option) throw;
    throw Error(ErrorCode::bad_option, fmt::format("{}; say so by --layout", error.what()));
  }
}

std::optional<SideFeatures> load_side_features(const std::string& path, const std::string& columns, const IdTable& ids,
                                               const char* what, const Settings& settings) {
  if (path.empty()) return std::nullopt;
  SideFeatures features = read_side_features(path, columns);
  std::size_t without = 0;
  for (const std::string& id : ids.names()) without += !features.ids.find(id);
  if (without == ids.size())
    throw Error(ErrorCode::bad_input, SourcePosition{.file = path},
                fmt::format("none of the {} {}s of the ratings is here; expected their ids in the first column",
                            ids.size(), what));
  if (without > 0) warn(settings, fmt::format("{}: {} of {} {}s have no features", path, without, ids.size(), what));
  return features;
}

void add_event_options(CLI::App& app, EventArguments& arguments, const char* group) {
  const OptionGroup events(app, group);
  events.flag("--implicit", arguments.implicit, "the file holds events: user, item and, optionally, weight and time");
  events.number("--liked", arguments.liked, any_number(), "X", "take ratings of X and more for likes, and no others");
}

Events load_events(const std::string& path, const EventArguments& arguments, const Settings& settings) {
  RatingsReport report;
  const auto liked = arguments.liked ? std::optional(static_cast<float>(*arguments.liked)) : std::nullopt;
  Events events = read_events(path, liked, &report);
  for (const std::string& warning : report.warnings) warn(settings, warning);
  return events;
}

SplitRatings split_events(Events events, const SplitArguments& arguments) {
  if (arguments.split.empty()) return {std::move(events.weights), {}, {}};
  const SplitSpec spec = parse_split(arguments.split);
  if (spec.kind == SplitSpec::Kind::given || spec.kind == SplitSpec::Kind::new_users) refuse(arguments.split);
  RatingsSplit split = spec.kind == SplitSpec::Kind::time ? split_time(events, spec.share)
                       : spec.kind == SplitSpec::Kind::leave_last
                           ? split_leave_last(events)
                           : split_random(events.weights, spec.share, arguments.seed);
  return {std::move(split.train), std::move(split.test), {}};
}

SplitSpec parse_split(const std::string& text) {
  const std::vector<std::string_view> parts = pieces(text);
  if (parts.front() == "given" && parts.size() == 2)
    return {.kind = SplitSpec::Kind::given, .given = number<std::size_t>(parts[1], text)};
  if (parts.front() == "random" && parts.size() == 2)
    return {.kind = SplitSpec::Kind::random, .share = number<double>(parts[1], text)};
  if (parts.front() == "time" && parts.size() == 2)
    return {.kind = SplitSpec::Kind::time, .share = number<double>(parts[1], text)};
  if (text == "leave-last-1") return {.kind = SplitSpec::Kind::leave_last};
  if (parts.front() == "new-users" && parts.size() == 3)
    return {.kind = SplitSpec::Kind::new_users,
            .given = number<std::size_t>(parts[2], text),
            .count = number<std::size_t>(parts[1], text)};
  refuse(text);
}

SplitRatings split_ratings(Ratings ratings, const SplitArguments& arguments, const Settings& settings) {
  if (arguments.split.empty()) return {std::move(ratings), {}, {}};
  const SplitSpec spec = parse_split(arguments.split);
  if (spec.kind == SplitSpec::Kind::given) {
    RatingsSplit split = split_given(ratings, spec.given, arguments.seed);
    if (split.dropped_users > 0)
      warn(settings, fmt::format("{} of {} users have too few ratings for this split and are dropped",
                                 split.dropped_users, ratings.num_users()));
    return {std::move(split.train), std::move(split.test), {}};
  }
  if (spec.kind == SplitSpec::Kind::random) {
    RatingsSplit split = split_random(ratings, spec.share, arguments.seed);
    return {std::move(split.train), std::move(split.test), {}};
  }
  if (spec.kind != SplitSpec::Kind::new_users)
    throw Error(
        ErrorCode::bad_option,
        fmt::format("--split {} is a split of events; expected --implicit or --liked X with it", arguments.split));
  NewUsersSplit split = split_new_users(ratings, spec.count, spec.given, arguments.seed);
  return {std::move(split.train), std::move(split.test), std::move(split.given)};
}

}  // namespace dorm::cli
