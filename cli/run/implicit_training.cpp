// SPDX-License-Identifier: Apache-2.0
#include "run/implicit_training.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "dorm/read.h"
#include "input/input.h"
#include "options/given_options.h"
#include "run/catalogue_rows.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/stop.h"
#include "text/implicit_text.h"
#include "text/messages.h"

namespace dorm::cli {
namespace {

ImplicitOptions implicit_options(const RecommendTrainArguments& from, const CLI::App& verb, const Settings& settings) {
  const auto given = [&](const char* name) { return declared_option(verb, name)->count() > 0; };
  ImplicitOptions options = from.implicit;
  if (given("--measure")) options.measure = from.options.measure;
  options.als.seed = from.options.seed;
  options.seconds = from.options.seconds;
  options.threads = settings.threads;
  options.search = {.factors = !given("--factors"),
                    .iterations = !given("--iterations"),
                    .ridge = !given("--ridge"),
                    .alpha = !given("--alpha"),
                    .ease_ridge = !given("--ease-ridge"),
                    .ease_share = !given("--ease-share")};
  options.validate();
  return options;
}

ImplicitResult learn_events(const RecommendTrainArguments& arguments, const ImplicitOptions& options, Ratings events,
                            const Settings& settings, const StopRequest& stop) try {
  LiveLine line;
  return about_file(arguments.ratings, [&] {
    return train_implicit(std::move(events), options, [&](const ImplicitProgress& progress) {
      if (!settings.quiet && line.due())
        line.show(progress.stage == "final"
                      ? fmt::format("dorm: training on all events, {}", duration_text(line.seconds()))
                      : fmt::format("dorm: {}, {} trials, best {} {:.4f}, {}", progress.stage, progress.trials,
                                    options.measure, progress.best, duration_text(line.seconds())));
      return stop.signal() == 0;
    });
  });
} catch (const Error&) {
  if (stop.signal() == 0) throw;
  say("dorm: interrupted before there was a model; nothing was written\n");
  throw Interrupted{stop.signal()};
}

std::string events_text(const ImplicitResult& result, const std::string& path) {
  return implicit_text(result.model, path) +
         (result.note.empty() ? "" : fmt::format("note          {}\n", result.note)) +
         fmt::format("{}; {:.2f} s, of which {:.2f} s for the search\n", result.status, result.seconds,
                     result.search_seconds);
}

Json events_json(const ImplicitResult& result, const std::string& path) {
  Json json = implicit_json(result.model, path);
  json["status"] = result.status;
  json["note"] = result.note;
  json["kept"] = result.kept;
  json["search_seconds"] = result.search_seconds;
  json["seconds"] = result.seconds;
  return json;
}

RankersReport tested(const ImplicitModel& model, const Ratings& test, const RecommendTrainArguments& arguments,
                     const CLI::App& verb, const Settings& settings) {
  EvaluateOptions how;
  how.threads = settings.threads;
  std::vector<NamedRecommender> models;
  models.push_back({"dorm", arguments.model, model});
  const bool named = declared_option(verb, "--measures")->count() > 0;
  std::size_t known = 0;
  return catalogue_report(models, test, 0, split_measures(named ? arguments.measures : kCatalogueMeasures), how, known);
}

}  // namespace

void train_on_events(const RecommendTrainArguments& arguments, const CLI::App& verb, const Settings& settings) {
  const ImplicitOptions options = implicit_options(arguments, verb, settings);
  SplitRatings parts = about_file(arguments.ratings, [&] {
    return split_events(load_events(arguments.ratings, arguments.events, settings), arguments.split);
  });
  const std::optional<SideFeatures> titles =
      arguments.item_names.empty() ? std::nullopt : std::optional(read_titles(arguments.item_names));
  const StopRequest stop;
  ImplicitResult result = learn_events(arguments, options, std::move(parts.train), settings, stop);
  const int signal = stop.signal();
  if (titles) set_titles(result.model, *titles);
  save_implicit(result.model, arguments.model);
  if (!result.kept.empty())
    warn(settings, fmt::format("{}; the model is {}", signal != 0 ? "interrupted" : "time limit", result.kept));
  std::optional<RankersReport> test;
  if (parts.test.size() > 0 && signal == 0) test = tested(result.model, parts.test, arguments, verb, settings);
  if (arguments.model != "-" && settings.json) {
    Json json = events_json(result, arguments.model);
    if (test) json["test"] = Json::parse(rankers_json(*test));
    print(printable_json(json, 2) + "\n");
  } else if (arguments.model != "-") {
    print(events_text(result, arguments.model) +
          (test ? "\ntest, over the whole catalogue:\n" + rankers_text(*test) : ""));
  }
  if (signal != 0) throw Stopped{signal};
}

}  // namespace dorm::cli
