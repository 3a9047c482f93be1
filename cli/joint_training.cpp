// SPDX-License-Identifier: Apache-2.0
#include "joint_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "dorm/error.h"
#include "dorm/recommend/joint_model.h"
#include "help.h"
#include "input.h"
#include "option_group.h"
#include "output.h"
#include "progress.h"
#include "ratings_input.h"
#include "stop.h"
#include "text/joint_text.h"
#include "usage.h"

namespace dorm::cli {
namespace {

constexpr const char* kRatingsGroup = "Ratings";

/// Options that mean something for ratings; the others are refused.
constexpr std::array<std::string_view, 22> kWithRatings = {
    "--ratings", "--layout", "--item-features", "--item-columns", "--user-features", "--user-columns",
    "--model",   "--method", "--kernel",        "--measure",      "--convention",    "--C",
    "--decay",   "--bound",  "--rounds",        "--solver",       "--tolerance",     "--epsilon",
    "--passes",  "--planes", "--time-limit",    "--seed"};

void refuse_others(const CLI::App& verb) {
  for (const CLI::Option* option : verb.get_options()) {
    const auto known = [&](std::string_view name) { return option->check_name(std::string(name)); };
    if (option->count() == 0 || option->get_group() == kCommonGroup ||
        std::any_of(kWithRatings.begin(), kWithRatings.end(), known))
      continue;
    throw Error(ErrorCode::unsupported, fmt::format("{} does not go with --ratings, which learns one ranker over users "
                                                    "and items; it is for judged documents",
                                                    option->get_name()));
  }
}

JointModelOptions joint_options(const TrainingArguments& arguments, const std::string& method,
                                const Settings& settings) {
  const TrainOptions& from = arguments.options;
  JointModelOptions options;
  options.method = method;
  if (from.kernel != "none") options.kernel = from.kernel;
  options.train.measure = from.measure;
  options.train.convention = from.convention;
  options.train.decay = from.decay;
  options.train.bound = from.bound.value_or(options.train.bound);
  options.train.C = from.C;
  options.train.rounds = from.rounds;
  options.train.solve = from.solve;
  options.train.solve.threads = settings.threads;
  return options;
}

JointModel learn_joint(const JointArguments& joint, const JointModelOptions& options, const Settings& settings,
                       const StopRequest& stop) {
  const Ratings ratings = load_ratings(joint.ratings, joint.layout, settings);
  const auto items = load_side_features(joint.item_features, joint.item_columns, ratings.items(), "item", settings);
  const auto users = load_side_features(joint.user_features, joint.user_columns, ratings.users(), "user", settings);
  const JointInputs inputs{.user_features = users ? &*users : nullptr, .item_features = items ? &*items : nullptr};
  LiveLine line;
  return about_file(joint.ratings, [&] {
    return train_joint_model(ratings, options, inputs, [&](const Progress& progress) {
      if (!settings.quiet && line.due())
        line.show(fmt::format("dorm: pass {}, primal {:.6g}, gap {:.2g}, {}", progress.pass, progress.primal,
                              progress.gap, duration_text(line.seconds())));
      return stop.signal() == 0;
    });
  });
}

}  // namespace

void add_joint_options(CLI::App& app, JointArguments& arguments) {
  const OptionGroup ratings(app, kRatingsGroup);
  ratings.add("--ratings", arguments.ratings, "FILE",
              "instead of DATA: user, item, rating per line; trains a recommender over\nusers and items "
              "(docs/joint-kernels.md)");
  add_layout_option(app, arguments.layout, kRatingsGroup);
  ratings.add("--item-features", arguments.item_features, "FILE", "id and features of the items, e.g. genres");
  ratings.add("--item-columns", arguments.item_columns, "LIST", "columns of that file, e.g. 6-24 (trailing numbers)");
  ratings.add("--user-features", arguments.user_features, "FILE", "id and features of the users");
  ratings.add("--user-columns", arguments.user_columns, "LIST", "columns of that file");
}

void train_on_ratings(const JointArguments& joint, const TrainingArguments& arguments, const std::string& method,
                      const CLI::App& verb, const Settings& settings) {
  require_option(arguments.data.empty(), "one of DATA and --ratings", "the ratings are the data");
  require_option(!arguments.model.empty(), "--model FILE", "expected where to write the model");
  refuse_others(verb);
  const JointModelOptions options = joint_options(arguments, method, settings);
  options.validate();
  const StopRequest stop;
  const JointModel model = learn_joint(joint, options, settings, stop);
  const int signal = stop.signal();
  save_joint(model, arguments.model);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far");
  if (arguments.model != "-")
    print(settings.json ? joint_json(model, arguments.model) : joint_text(model, arguments.model));
  if (signal != 0) throw Stopped{signal};
}

}  // namespace dorm::cli
