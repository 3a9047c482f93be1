// SPDX-License-Identifier: Apache-2.0
// From events to a model: the search on held-out events, then training on all of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/validate.h"
#include "dorm/error.h"
#include "recommend/implicit/search.h"

namespace dorm {
namespace {

constexpr double kSearchShare = 0.7;  // of the time limit

void check_events(const Ratings& events) {
  std::size_t users = 0, items = 0, most = 0;
  for (std::size_t u = 0; u < events.num_users(); ++u) {
    users += events.of_user(u).size() > 0;
    most = std::max(most, events.of_user(u).size());
    for (const float weight : events.of_user(u).value)
      if (!(weight > 0))
        throw Error(ErrorCode::bad_input, fmt::format("user \"{}\" has an event of weight {}; expected more than 0",
                                                      events.users()[u], weight));
  }
  for (std::size_t j = 0; j < events.num_items(); ++j) items += events.of_item(j).size() > 0;
  if (users < 2 || items < 2)
    throw Error(ErrorCode::bad_input, fmt::format("nothing to learn: events of {} users and {} items; expected at "
                                                  "least 2 of both",
                                                  users, items));
  if (most < 2)
    throw Error(ErrorCode::bad_input, fmt::format("nothing to learn: each of the {} users has one item; expected users "
                                                  "with 2 or more",
                                                  users));
  if (events.size() == users * items)
    throw Error(ErrorCode::bad_input, "nothing to learn: every user has every item; expected items to recommend");
}

// Whether EASE takes part, and if not, why.
bool plan_ease(const Ratings& events, const ImplicitOptions& options, std::string& note) {
  if (!options.search.ease_share && options.ease_share == 0) return false;
  const double needed = ease_bytes(events.num_items());
  if (needed <= options.memory) return true;
  note = fmt::format("EASE needs {:.1f} GB for {} items; the memory limit is {:.1f} GB", needed / 1e9,
                     events.num_items(), options.memory / 1e9);
  if (!options.search.ease_share) throw Error(ErrorCode::bad_option, note);
  return false;
}

struct Fitted {
  ImplicitParts parts;
  std::size_t iterations = 0;  // of ALS that are over
  std::string lacks;           // empty: nothing
};

/// Both learners on all events; nothing when there was no time for the first solution.
std::optional<Fitted> fit(const Ratings& events, const ImplicitOptions& options, ThreadPool& pool,
                          ImplicitWatch& watch) {
  Fitted fitted;
  ImplicitParts& parts = fitted.parts;
  const StopAsked stop = [&] { return watch.over(); };
  Als als(events, options.als, pool);
  while (fitted.iterations < options.als.iterations && als.iterate(stop)) ++fitted.iterations;
  if (!als.started()) return std::nullopt;
  if (fitted.iterations < options.als.iterations)
    fitted.lacks = fmt::format("ALS after {} of {} iterations", fitted.iterations, options.als.iterations);
  if (options.ease_share > 0) {
    if (auto ease = fit_ease(events, options.ease_ridge, pool, stop))
      parts.ease = std::move(*ease);
    else
      fitted.lacks = (fitted.lacks.empty() ? "ALS" : fitted.lacks) + ", without EASE";
  }
  parts.users = als.users();
  parts.items = als.items();
  parts.set_weights(parts.ease.empty() ? 0 : options.ease_share, events, pool);
  return fitted;
}

[[noreturn]] void end_without_model(bool interrupted, double seconds) {
  if (interrupted) throw Error(ErrorCode::unsupported, "the training was interrupted before there was a model");
  throw Error(ErrorCode::bad_option, fmt::format("the time limit of {:g} s ended before there was a model: ALS was not "
                                                 "solved once",
                                                 seconds));
}

void keep(ImplicitModel& model, ImplicitParts parts) {
  model.user_factors = std::move(parts.users);
  model.item_factors = std::move(parts.items);
  model.als_weight = parts.als_weight;
  model.ease_weight = parts.ease_weight;
  if (parts.ease_weight != 0) model.ease = std::move(parts.ease);
}

}  // namespace

void ImplicitOptions::validate() const {
  const auto positive = [](std::string_view name, double value) {
    require(value > 0 && std::isfinite(value), name, value, "a number above 0");
  };
  require(als.factors >= 1 && als.factors <= 4096, "factors", real(als.factors), "1 to 4096");
  require(als.iterations >= 1, "iterations", real(als.iterations), "at least 1");
  positive("ridge", als.ridge);
  positive("alpha", als.alpha);
  positive("ease ridge", ease_ridge);
  require(ease_share >= 0 && ease_share <= 1, "ease share", ease_share, "0 to 1");
  require(held_out > 0 && held_out < 1, "held out", held_out, "a number between 0 and 1, both excluded");
  require(seconds >= 0, "seconds", seconds, "0 (no limit) or more");
  positive("memory", memory);
}

ImplicitResult train_implicit(Ratings events, const ImplicitOptions& options, const ImplicitObserver& observer) {
  options.validate();
  check_events(events);
  const Stopwatch stopwatch;
  ImplicitResult result;
  ImplicitModel& model = result.model;
  ThreadPool pool(thread_count(options.threads));
  const bool with_ease = plan_ease(events, options, result.note);
  ImplicitWatch watch(observer, options.seconds), search_watch(observer, kSearchShare * options.seconds);
  model.options = options;
  model.validation = kNaN;
  if (!with_ease) model.options.ease_share = 0;
  std::optional<ImplicitParts> searched;
  if (options.search.any()) {
    ImplicitSearchRun search(split_random(events, options.held_out, options.als.seed), options, with_ease, pool,
                             search_watch);
    search.run();
    model.options = search.chosen();
    model.trials = search.trials();
    model.validation = search.value();
    if (!search.empty()) searched = search.take_parts();
  }
  result.search_seconds = stopwatch.seconds();
  watch.begin("final");
  std::optional<Fitted> fitted;
  if (!search_watch.interrupted()) fitted = fit(events, model.options, pool, watch);
  const bool interrupted = search_watch.interrupted() || watch.interrupted();
  if (!fitted && !searched) end_without_model(interrupted, options.seconds);
  if (fitted && (fitted->lacks.empty() || model.trials.empty())) {
    result.kept = fitted->lacks;
    model.options.als.iterations = std::max<std::size_t>(1, fitted->iterations);
    keep(model, std::move(fitted->parts));
  } else {
    result.kept = model.trials.empty() ? std::string("that of a trial that did not end")
                                       : fmt::format("the best of {} trials, without the events that were held out",
                                                     model.trials.size());
    keep(model, std::move(*searched));
  }
  result.status = interrupted ? "interrupted" : search_watch.late() || watch.late() ? "time_limit" : "finished";
  model.users = events.users();
  model.items = events.items();
  RatingRows rows = events.take_rows();
  model.seen_begin = std::move(rows.begin);
  model.seen = std::move(rows.index);
  model.seen_weights = std::move(rows.value);
  result.seconds = stopwatch.seconds();
  return result;
}

}  // namespace dorm
