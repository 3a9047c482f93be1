// SPDX-License-Identifier: Apache-2.0
#include "run/joint_training.h"

#include <fmt/format.h>

#include <optional>

#include "dorm/recommend/joint_model.h"
#include "dorm/train.h"
#include "input/input.h"
#include "input/ratings_input.h"
#include "options/given_options.h"
#include "run/output.h"
#include "run/progress.h"
#include "run/stop.h"
#include "text/joint_text.h"

namespace dorm::cli {
namespace {

JointModelOptions joint_options(const RecommendTrainArguments& from, const CLI::App& verb, const Settings& settings) {
  const auto given = [&](const char* name) { return declared_option(verb, name)->count() > 0; };
  JointModelOptions options;
  JointOptions& train = options.train;
  options.method = from.method;
  options.kernel = from.kernel;
  if (given("--measure")) train.measure = from.options.measure;
  train.convention = from.options.convention;
  if (given("--decay")) train.decay = from.options.decay;
  if (given("--bound")) train.bound = parse_bound_choice(from.options.bound).value_or(train.bound);
  if (given("--rounds")) train.rounds = from.options.rounds;
  train.C = from.C;
  train.paper_C = from.paper_C;
  if (given("--solver")) train.solve.solver = parse_solver(from.solver);
  if (given("--tolerance")) train.solve.tolerance = from.options.tolerance;
  train.solve.epsilon = from.epsilon;
  if (given("--passes")) train.solve.max_passes = from.options.max_passes;
  if (from.planes > 0) train.solve.planes_per_block = from.planes;
  train.solve.seconds = from.options.seconds;
  if (given("--seed")) train.solve.seed = from.options.seed;
  train.compute.threads = settings.threads;
  return options;
}

JointModel learn_joint(const RecommendTrainArguments& joint, const JointModelOptions& options, const Settings& settings,
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

void train_joint(const RecommendTrainArguments& arguments, const CLI::App& verb, const Settings& settings) {
  const JointModelOptions options = joint_options(arguments, verb, settings);
  options.validate();
  const StopRequest stop;
  const JointModel model = learn_joint(arguments, options, settings, stop);
  const int signal = stop.signal();
  save_joint(model, arguments.model);
  if (signal != 0) warn(settings, "interrupted; the model is the best so far");
  if (arguments.model != "-")
    print(settings.json ? joint_json(model, arguments.model) : joint_text(model, arguments.model));
  if (signal != 0) throw Stopped{signal};
}

}  // namespace dorm::cli
