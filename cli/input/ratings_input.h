// SPDX-License-Identifier: Apache-2.0
// Ratings for the commands: reading with warnings, and splits by name.
#pragma once

#include <optional>
#include <string>

#include "command.h"
#include "dorm/recommend/events.h"
#include "dorm/recommend/ratings.h"

namespace dorm::cli {

struct SplitArguments {
  std::string split;  // given:N, random:SHARE, new-users:COUNT:N, time:SHARE, leave-last-1; empty: none
  std::uint64_t seed = 0;
};

/// given:N, random:SHARE or new-users:COUNT:N; of events also time:SHARE and leave-last-1.
struct SplitSpec {
  enum class Kind { given, random, new_users, time, leave_last };
  Kind kind = Kind::given;
  std::size_t given = 0, count = 0;
  double share = 0;
};
/// Throws Error(bad_option) for a split that is not known.
SplitSpec parse_split(const std::string& text);

void add_split_options(CLI::App& app, SplitArguments& arguments);

/// The parts of a ratings file. Without a split everything is training data.
struct SplitRatings {
  Ratings train, test;
  Ratings given;  // ratings of new users that fold them in; else empty
};

/// Declares --layout, the layout of the files of ratings.
void add_layout_option(CLI::App& app, std::string& layout, const char* group);
Ratings load_ratings(const std::string& path, const std::string& layout, const Settings& settings);
/// Features of users or items (`what`) from a file; nothing without a path. Warns of ids without features, and refuses
/// a file that knows none of them.
std::optional<SideFeatures> load_side_features(const std::string& path, const std::string& columns, const IdTable& ids,
                                               const char* what, const Settings& settings);
/// Files of events (dorm/recommend/read_events.h).
struct EventArguments {
  bool implicit = false;
  std::optional<double> liked;  // from this rating on

  bool given() const { return implicit || liked; }
};
void add_event_options(CLI::App& app, EventArguments& arguments, const char* group);
Events load_events(const std::string& path, const EventArguments& arguments, const Settings& settings);
/// random, time or leave-last-1. Without a split everything is training data.
SplitRatings split_events(Events events, const SplitArguments& arguments);

/// Throws Error(bad_option) for a split that is not known.
SplitRatings split_ratings(Ratings ratings, const SplitArguments& arguments, const Settings& settings);

}  // namespace dorm::cli
