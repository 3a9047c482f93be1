// SPDX-License-Identifier: Apache-2.0
// Training within limits on groups.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "learning/train/learning_data.h"

namespace dorm {
namespace {

Dataset with_sites(std::uint64_t seed) {
  return synthesize({.queries = 40, .features = 6, .documents_median = 14, .groups = 8, .seed = seed, .threads = 1});
}

TrainOptions options_for(const std::string& one_per) {
  TrainOptions options;
  options.one_per = one_per;
  options.compute.threads = 1;
  return options;
}

TEST(TrainOnePer, EveryMeasureAndBoundReachesItsGap) {
  const Dataset data = with_sites(1);
  for (const CatalogEntry& entry : measure_catalog()) {
    if (!entry.trainable) continue;
    for (const char* bound : {"given", "average", "best", "predicted"}) {
      TrainOptions options = options_for("group");
      options.measure = entry.example;
      options.C = 10;
      options.bound = parse_bound(bound);
      options.start = InitialModel::ridge;
      options.rounds = 1;
      options.solve.tolerance = 1e-2;
      const TrainResult result = train(data, options);
      EXPECT_EQ(result.model.certificate.status, "converged") << entry.name << " " << bound;
      EXPECT_GE(result.model.certificate.primal, result.model.certificate.dual) << entry.name << " " << bound;
    }
  }
}

TEST(TrainOnePer, TheModelRemembersItsLimitsAndValidationIsWithinThem) {
  const Dataset data = with_sites(2), held = with_sites(3);
  const Model model = train(data, options_for("group:2"), held).model;
  EXPECT_EQ(model.one_per, "group:2");
  EXPECT_EQ(model_from_json(to_json(model), "m").one_per, "group:2");
  const std::vector<std::string> names = {"ndcg@10"};
  const EvaluateOptions within{.one_per = "group:2", .bootstrap = 0, .threads = 1};
  EXPECT_NEAR(model.validation, evaluate(held, score(model, held, 1), names, within).measures[0].mean, 1e-12);
}

TEST(TrainOnePer, LimitsThatNeverBindDoNotChangeTheObjective) {
  const Dataset data = with_sites(4);
  TrainOptions options = options_for("");
  options.measure = "ndcg@5";
  options.bound = Bound::best;
  options.rounds = 1;
  options.solve.tolerance = 1e-4;
  const double without = train(data, options).model.certificate.primal;
  options.one_per = "group:1000";
  EXPECT_NEAR(train(data, options).model.certificate.primal, without, 2e-4 * without);
}

TEST(TrainOnePer, TuneJudgesWithinTheLimits) {
  const Dataset data = with_sites(5), held = with_sites(6);
  TuneOptions options;
  options.curves = {"none"};
  options.train = options_for("group");
  options.C = {10, 100};
  options.decays = {"measure"};
  options.bounds = {Bound::best};
  const TuneResult result = tune(data, options, held);
  EXPECT_EQ(result.model.one_per, "group");
  const std::vector<std::string> names = {"ndcg@10"};
  const EvaluateOptions within{.one_per = "group", .bootstrap = 0, .threads = 1};
  EXPECT_NEAR(result.model.validation, evaluate(held, score(result.model, held, 1), names, within).measures[0].mean,
              1e-9);
}

TEST(TrainOnePer, ModelsAndOptionsThatMakeNoSenseAreRefused) {
  EXPECT_THROW(train(with_sites(1), options_for("host")), Error);  // no document ids
  EXPECT_THROW(train(test::web_like(1), options_for("group")), Error);
  EXPECT_THROW(options_for("site").validate(), Error);
  Model model = train(with_sites(1), options_for("group")).model;
  model.one_per = "site";
  EXPECT_THROW(model_from_json(to_json(model), "m"), Error);
}

}  // namespace
}  // namespace dorm
