// SPDX-License-Identifier: Apache-2.0
#include "options/recommend_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "options/declared_options.h"
#include "options/given_options.h"
#include "options/option_group.h"
#include "options/report_files.h"
#include "options/written_files.h"

namespace dorm::cli {
namespace {

constexpr NumberRange kPositiveOrInfinite = {.above_low = true, .infinite = true};
constexpr NumberRange kShare = {.high = 1, .below_high = true};

constexpr std::array<CatalogEntry, 3> kModelTypes = {{
    {.name = "factors", .usage = "factors", .help = "ranking matrix factorization"},
    {.name = "joint", .usage = "joint", .help = "one ranker in the space of a kernel over users and items"},
    {.name = "implicit", .usage = "implicit", .help = "implicit ALS and EASE, from likes, plays or purchases"},
}};

constexpr const char* kFactors = "Factors";  // headings
constexpr const char* kJoint = "Joint kernels";
constexpr const char* kEvents = "Likes, plays, purchases";

void add_files(CLI::App& app, RecommendTrainArguments& arguments) {
  const OptionGroup files(app, "Files"), split(app, "Split");
  app.add_option("RATINGS", arguments.ratings,
                 "user, item, rating per line, or events; tab, comma, :: or blanks; .gz and .zst too");
  written(files.add("--model", arguments.model, "FILE", "where to write the recommender"));
  files.add(
      "--model-type", arguments.type, "NAME",
      "factors, joint (a kernel over users and items), or implicit\n(factors; implicit with --implicit or --liked)");
  add_layout_option(app, arguments.layout, "Files");
  files.add("--item-features", arguments.item_features, "FILE",
            "ids and features of the items, e.g. genres; a column of titles is\nkept for dorm recommend top");
  files.add("--item-columns", arguments.item_columns, "LIST", "columns of that file, e.g. 6-24 (trailing numbers)");
  files.add("--user-features", arguments.user_features, "FILE", "ids and features of the users");
  files.add("--user-columns", arguments.user_columns, "LIST", "columns of that file (trailing numbers)");
  files.add("--valid", arguments.valid, "FILE", "ratings that choose the round");
  files.number("--valid-share", arguments.valid_share, kShare, "X",
               "hold out this share of the training ratings to choose the round");
  files.add("--test", arguments.test, "FILE", "ratings to report measures on");
  files.add("--start-from", arguments.warm, "MODEL", "initial factors: those of this model");
  written(files.add("--checkpoint", arguments.options.checkpoint, "FILE",
                    "save the state of the training here, and resume from it"));
  add_report_option(app, arguments.reports, "page about the recommender", "Files");
  add_split_options(app, arguments.split);
  split.list("--measures", arguments.measures, "LIST", "to report on test ratings (ndcg@10,ndcg)");
}

/// Of both types; a joint kernel has defaults of its own.
void add_problem(CLI::App& app, RecommendTrainArguments& arguments) {
  FactorizeOptions& o = arguments.options;
  const OptionGroup problem(app, "Learning problem"), stopping(app, "Stopping");
  problem.add("--measure", o.measure, "NAME", fmt::format("measure to train for ({}; joint: ndcg@10)", o.measure));
  problem.add("--convention", o.convention, "NAME", "definition of the measure (standard)");
  problem.add("--bound", o.bound, "NAME",
              fmt::format("given, average, best or predicted ({}; joint: average)", o.bound));
  problem.add("--decay", o.decay, "NAME",
              fmt::format("position weights of the ranking score ({}; joint: measure)", o.decay));
  problem.number(
      "--rounds", o.rounds, whole_from(0), "N",
      fmt::format("rounds of the bound; 0: the initial factors (validated, else {};\njoint: as dorm train)", o.rounds));
  stopping.number("--tolerance", o.tolerance, number_within(0, 1), "X",
                  fmt::format("relative duality gap of a half step ({})", o.tolerance));
  stopping.number("--passes", o.max_passes, whole_from(1), "N",
                  fmt::format("most passes over the users in a step ({}; joint: 1000)", o.max_passes));
  stopping.number("--patience", o.patience, whole_from(0), "N",
                  fmt::format("rounds without a better validation value ({})", o.patience));
  stopping.number("--time-limit", o.seconds, number_from(0), "S", "seconds; 0: no limit (0)");
  stopping.number("--seed", o.seed, whole_from(0), "S",
                  fmt::format("of the first factors and the order of users ({})", o.seed));
}

void add_factors(CLI::App& app, RecommendTrainArguments& arguments) {
  FactorizeOptions& o = arguments.options;
  const OptionGroup factors(app, kFactors);
  factors.number("--rank", o.rank, whole_from(0, 1e5), "K", fmt::format("number of factors ({})", o.rank));
  factors.number("--lambda", o.lambda, number_above(0), "X",
                 fmt::format("ridge of the ranking objective (validated, else {})", o.lambda));
  factors.number("--margin", o.margin, number_above(0), "X",
                 fmt::format("scale of the measure, in stars ({})", o.margin));
  factors.flag("--uncentred", arguments.uncentred, "regularise towards 0 instead of the initial factors");
  factors.number(
      "--start-lambda", o.start_lambda, kPositiveOrInfinite, "X",
      fmt::format("ridge of the initial factors; inf: item means alone (validated,\nelse {})", o.start_lambda));
  factors.number("--start-sweeps", o.start_sweeps, whole_from(0, 1e4), "N",
                 fmt::format("sweeps of least squares for the initial factors ({})", o.start_sweeps));
  factors.number("--implicit-feedback", o.implicit, number_from(0), "X",
                 fmt::format("ridge of the factors of implicit feedback; 0: none (validated, else {})", o.implicit));
  factors.number("--neighbours", o.neighbours, whole_from(0, 1000), "K",
                 fmt::format("item features from users in common; 0: none (validated, else {})", o.neighbours));
  factors.number("--item-damping", o.item_damping, number_from(0), "X",
                 fmt::format("ratings that damp an item's mean (learnt, else {})", o.item_damping));
  factors.number("--item-prior", o.item_prior, any_number(), "X",
                 fmt::format("prior mean of an item, in stars above the mean (learnt, else {})", o.item_prior));
  factors.flag("--fixed", arguments.fixed, "validate nothing: take the values after 'else'");
}

void add_joint(CLI::App& app, RecommendTrainArguments& arguments) {
  const OptionGroup joint(app, kJoint);
  joint.add("--method", arguments.method, "NAME", "dorm, or a baseline; see below (dorm)");
  joint.add("--kernel", arguments.kernel, "SPEC", "kernel over users and items (auto; docs/joint-kernels.md)");
  joint.number("-C,--C", arguments.C, number_above(0), "X", "weight of the loss against 1/2 |w|^2 (100)");
  joint.flag("--c-paper", arguments.paper_C, "C of the paper: a factor of the sum over users, without scaling");
  joint.add("--solver", arguments.solver, "NAME", "solver of each round, as in dorm train (bcda)");
  joint.number("--epsilon", arguments.epsilon, number_from(0), "X", "nslack: largest violation of a constraint (0)");
  joint.number("--planes", arguments.planes, whole_from(2), "N", "cached cutting planes of a user (as dorm train)");
}

void add_events(CLI::App& app, RecommendTrainArguments& arguments) {
  ImplicitOptions& o = arguments.implicit;
  const OptionGroup events(app, kEvents);
  add_event_options(app, arguments.events, kEvents);
  events.add("--item-names", arguments.item_names, "FILE",
             "titles to keep in the model: id and title of an item on each line");
  events.number("--factors", o.als.factors, whole_from(1, 4096), "K", "factors of implicit ALS (validated: 16 to 128)");
  events.number("--ridge", o.als.ridge, number_above(0), "X", "ridge of implicit ALS (validated)");
  events.number("--alpha", o.als.alpha, number_above(0), "X", "an event of weight r counts 1 + X r (validated)");
  events.number("--iterations", o.als.iterations, whole_from(1, 1e4), "N", "iterations of implicit ALS (validated)");
  events.number("--ease-ridge", o.ease_ridge, number_above(0), "X", "ridge of EASE (validated)");
  events.number("--ease-share", o.ease_share, number_from(0, 1), "X",
                "share of EASE in the average; 0: implicit ALS alone (validated)");
}

/// Options of the other groups that events have too.
constexpr std::array<std::string_view, 8> kOfEvents = {"--model", "--model-type", "--measure",    "--time-limit",
                                                       "--seed",  "--split",      "--split-seed", "--measures"};

/// Options of the other groups that only factors have.
constexpr std::array<std::string_view, 10> kOfFactors = {"--valid",      "--valid-share", "--test",  "--start-from",
                                                         "--checkpoint", "--report",      "--split", "--split-seed",
                                                         "--measures",   "--patience"};

bool is_one_of(const CLI::Option& option, std::span<const std::string_view> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view name) { return option.check_name(std::string(name)); });
}

/// The types that have this option, for messages; empty: all.
std::string types_of(const CLI::Option& option) {
  const std::string& group = option.get_group();
  if (group == kFactors) return "factors";
  if (group == kJoint) return "joint";
  if (group == kEvents) return "implicit";
  const bool events = option.get_positional() || is_one_of(option, kOfEvents);
  if (is_one_of(option, kOfFactors)) return events ? "factors or implicit" : "factors";
  const bool shared = group == "Files" || group == "Split" || group == "Learning problem" || group == "Stopping";
  return shared && !events ? "factors or joint" : "";
}

}  // namespace

void add_recommend_options(CLI::App& app, RecommendTrainArguments& arguments) {
  add_files(app, arguments);
  add_problem(app, arguments);
  add_factors(app, arguments);
  add_joint(app, arguments);
  add_events(app, arguments);
}

void check_model_type(const CLI::App& app, const std::string& type) {
  if (std::none_of(kModelTypes.begin(), kModelTypes.end(),
                   [&](const CatalogEntry& entry) { return entry.name == type; }))
    throw_unknown_name("type of model", type, kModelTypes);
  for (const CLI::Option* option : app.get_options()) {
    const std::string of = types_of(*option);
    if (option->count() > 0 && !of.empty() && of.find(type) == std::string::npos)
      throw Error(ErrorCode::unsupported, fmt::format("{} is an option of --model-type {}; found --model-type {}",
                                                      option->get_name(), of, type));
  }
}

}  // namespace dorm::cli
