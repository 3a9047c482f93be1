// SPDX-License-Identifier: Apache-2.0
// Training for a target: what it cannot evaluate is not chosen, and refused where it is asked for.
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/export.h"
#include "dorm/learning/baseline.h"
#include "dorm/read.h"
#include "dorm/stream.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "support/message_of.h"
#include "support/random_data.h"
#include "support/temporary_directory.h"

namespace dorm {
namespace {

constexpr const char* kSums = "svmlight";  // weighted sums of features and nothing else

Dataset raw(bool sparse = false, std::uint64_t seed = 1) {
  return test::random_data({.lengths = std::vector<std::size_t>(20, 8),
                            .features = 4,
                            .signal = 2,
                            .seed = seed,
                            .sparse = sparse,
                            .factor = 100});
}

Dataset in_unit_range() {
  Rng rng(1);
  DatasetBuilder builder;
  for (std::size_t i = 0; i < 200; ++i) {
    const double label = std::floor(3 * rng.uniform());
    const float row[2] = {static_cast<float>((label + rng.uniform()) / 4), static_cast<float>(rng.uniform())};
    builder.add({static_cast<float>(label), std::to_string(i % 20)}, row);
  }
  return builder.finish();
}

TrainOptions targeted(std::string target, std::string scale = "auto") {
  TrainOptions options{.bound = Bound::best, .scale = std::move(scale)};
  options.target = std::move(target);
  options.compute.threads = 1;
  return options;
}

ScalingKind chosen_for(const std::string& target, const Dataset& data) {
  const Model model = train(data, targeted(target)).model;
  EXPECT_EQ(model.target, target);
  EXPECT_EQ(model_from_json(to_json(model), "m").target, target);
  return model.scaling.kind;
}

TEST(Targets, GetAScalingThatTheyCanEvaluateAndThePreferredOneIfTheyCan) {
  EXPECT_EQ(chosen_for("", raw()), ScalingKind::log_query_zscore);
  for (const ExportTarget& target : export_targets()) {
    const ScalingKind kind = chosen_for(std::string(target.entry.name), raw());
    EXPECT_TRUE(can_serve(target.serving, kind)) << target.entry.name;
    const ScalingKind expected = can_serve(target.serving, ScalingKind::log_query_zscore)
                                     ? ScalingKind::log_query_zscore
                                 : target.serving.logarithms ? ScalingKind::log_zscore
                                                             : ScalingKind::zscore;
    EXPECT_EQ(kind, expected) << target.entry.name;
    EXPECT_EQ(chosen_for(std::string(target.entry.name), in_unit_range()), ScalingKind::none) << target.entry.name;
  }
}

TEST(Targets, AnyIsWhatAllOfThemCanEvaluate) {
  const ScalingKind kind = chosen_for("any", raw());
  EXPECT_EQ(kind, ScalingKind::zscore);
  for (const ExportTarget& target : export_targets()) EXPECT_TRUE(can_serve(target.serving, kind));
  EXPECT_EQ(target_choices().size(), export_targets().size() + 1);
}

TEST(Targets, AreGivenModelsThatTheyTake) {
  const Dataset data = test::random_data({.lengths = std::vector<std::size_t>(20, 8), .signal = 2, .factor = 100});
  for (const ExportTarget& target : export_targets()) {
    Model model = train(data, targeted(std::string(target.entry.name))).model;
    const auto takes = [&](std::vector<std::string> names) {
      model.features = std::move(names);
      try {
        export_model(model, target);
        return true;
      } catch (const Error&) {
        return false;
      }
    };
    EXPECT_TRUE(takes({"1", "2", "3", "4"}) || takes({"a", "b", "c", "d"})) << target.entry.name;
  }
}

TEST(Targets, RefuseWhatTheyCannotEvaluateAndSayWhoCan) {
  const std::string scaling = test::message_of([] { targeted(kSums, "log-zscore").validate(); }, ErrorCode::bad_option);
  EXPECT_TRUE(
      scaling.starts_with("svmlight cannot evaluate the scaling log-zscore; expected auto or one of none, "
                          "zscore, minmax, or a target that can: "))
      << scaling;
  EXPECT_NE(scaling.find("sql"), std::string::npos) << scaling;
  EXPECT_TRUE(test::message_of([] { targeted("any", "query-minmax").validate(); }, ErrorCode::bad_option)
                  .starts_with("not every target can evaluate the scaling query-minmax; expected auto or one of"));
  TrainOptions kernel = targeted(kSums);
  kernel.kernel = "rbf:gamma=1";
  EXPECT_TRUE(test::message_of([&] { kernel.validate(); }, ErrorCode::bad_option)
                  .starts_with("svmlight cannot evaluate kernels; expected none, or a target that can: "));
  const std::string unknown = test::message_of([] { targeted("sorl").validate(); }, ErrorCode::unknown_name);
  EXPECT_NE(unknown.find("any"), std::string::npos) << unknown;
  for (const char* scale : {"none", "zscore", "minmax"}) EXPECT_NO_THROW(targeted("any", scale).validate());
}

TEST(Targets, HoldInTuningBaselinesAndShards) {
  TuneOptions tuning;
  tuning.C = {10};
  tuning.folds = 3;
  tuning.train = targeted(kSums);
  const Model tuned = tune(raw(), tuning).model;
  EXPECT_EQ(tuned.scaling.kind, ScalingKind::zscore);
  EXPECT_EQ(tuned.target, kSums);
  for (const char* method : {"ridge", "dorm:ndcg@10"}) {
    const Model model = train_method(raw(), method, {.target = kSums}).model;
    EXPECT_EQ(model.scaling.kind, ScalingKind::zscore) << method;
    EXPECT_EQ(model.target, kSums) << method;
  }
  EXPECT_EQ(train_initial_model(raw(), InitialModel::ridge, targeted(kSums)).scaling.kind, ScalingKind::zscore);
}

// By the statistics of each: the same scaling as in one place, dense and compressed.
TEST(Targets, ShardsAreScaledAsTheWhole) {
  for (const bool sparse : {false, true}) {
    TrainOptions options = targeted(kSums);
    const Model whole = train(raw(sparse), options).model;
    options.solve.solver = parse_solver("shards");
    options.shards = 50;  // more than queries
    const Model model = train(raw(sparse), options).model;
    EXPECT_EQ(model.scaling.kind, ScalingKind::zscore);
    ASSERT_EQ(model.scaling.factor.size(), whole.scaling.factor.size());
    for (std::size_t j = 0; j < whole.scaling.factor.size(); ++j) {
      EXPECT_NEAR(model.scaling.factor[j], whole.scaling.factor[j], 1e-12 * whole.scaling.factor[j]);
      EXPECT_NEAR(model.scaling.shift[j], whole.scaling.shift[j], 1e-10);
    }
  }
}

TEST(Targets, StreamsCannotFitAScalingButGoOnFromOne) {
  Stream stream;
  EXPECT_NE(test::message_of([&] { stream.learn(raw(), targeted(kSums)); }, ErrorCode::bad_option)
                .find("the scaling for svmlight is zscore, which needs all the data"),
            std::string::npos);
  Stream unscaled;
  unscaled.learn(raw(), targeted(kSums, "none"));
  EXPECT_EQ(unscaled.model(targeted(kSums)).target, kSums);
  const Model batch = train(raw(), targeted(kSums)).model;
  Stream more(&batch);
  more.learn(raw(false, 2), targeted(kSums));
  EXPECT_EQ(more.model(targeted(kSums)).scaling.kind, ScalingKind::zscore);
  const Model within_queries = train(raw(), targeted("")).model;
  Stream not_served(&within_queries);
  EXPECT_NE(test::message_of([&] { not_served.learn(raw(), targeted(kSums)); }, ErrorCode::bad_option)
                .find("svmlight cannot evaluate the scaling log-query-zscore"),
            std::string::npos);
}

TEST(Targets, AreNotForLists) {
  const LabelGains gains{2, {0, 1, 2, 3}, {0, 0, 1, 0, 0, 1, 1, 1}};
  const Dataset data = raw();
  const std::string says =
      "slates of positions or topics are found by an assignment, which no other tool does; the target is svmlight, "
      "expected none";
  EXPECT_EQ(test::message_of([&] { train(Task::positions(data, gains_of(gains, data)), targeted(kSums)); },
                             ErrorCode::unsupported),
            says);
  TuneOptions tuning;
  tuning.train = targeted(kSums);
  EXPECT_EQ(
      test::message_of([&] { tune(Task::positions(data, gains_of(gains, data)), tuning); }, ErrorCode::unsupported),
      says);
}

TEST(Targets, ACheckpointOfAnotherIsAnotherTraining) {
  const test::TemporaryDirectory directory;
  TrainOptions options = targeted(kSums, "zscore");
  options.checkpoint = directory.path("run.ck");
  options.keep_checkpoint = true;
  train(raw(), options);
  options.target = "any";
  EXPECT_THROW(train(raw(), options), Error);
}

}  // namespace
}  // namespace dorm
