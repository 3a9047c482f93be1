// SPDX-License-Identifier: Apache-2.0
// What to judge next: bounds against all labelings, the order, verdicts, and how often they are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/evaluation/judging.h"
#include "evaluation/bet.h"
#include "evaluation/difference_bounds.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// ---- bounds ------------------------------------------------------------------------------------------------------

/// Two random rankings of up to six documents; some are judged.
PooledQuery random_query(Rng& random, float best) {
  PooledQuery query;
  const std::size_t count = 2 + random.below(5);
  for (std::size_t i = 0; i < count; ++i) {
    query.documents.push_back(std::string(1, static_cast<char>('a' + i)));
    query.labels.push_back(
        random.below(2) == 0 ? -1.0f : static_cast<float>(random.below(static_cast<std::uint64_t>(best) + 1)));
  }
  for (Ranking* ranking : {&query.first, &query.second}) {
    for (std::uint32_t i = 0; i < count; ++i) ranking->push_back(i);
    random.shuffle(std::span(*ranking));
    ranking->resize(1 + random.below(count));
  }
  return query;
}

/// The least and the largest difference over all whole labels from 0 to `best`.
DifferenceBounds by_enumeration(const BoundedMeasure& measure, PooledQuery query, std::size_t from, float best) {
  while (from < query.labels.size() && query.labels[from] >= 0) ++from;
  if (from == query.labels.size()) return {measure.difference(query), measure.difference(query)};
  DifferenceBounds out{1e9, -1e9};
  for (float label = 0; label <= best; ++label) {
    query.labels[from] = label;
    const DifferenceBounds each = by_enumeration(measure, query, from + 1, best);
    out = {std::min(out.low, each.low), std::max(out.high, each.high)};
  }
  return out;
}

class BoundsTest : public testing::TestWithParam<const char*> {};

TEST_P(BoundsTest, AreThoseOfAllLabelings) {
  Rng random(7);
  for (const char* convention : {"trec", "standard", "lightgbm"}) {
    const BoundedMeasure measure(GetParam(), make_convention(convention));
    for (int trial = 0; trial < 100; ++trial) {
      const auto best = static_cast<float>(1 + random.below(3));
      const PooledQuery query = random_query(random, best);
      const DifferenceBounds exact = by_enumeration(measure, query, 0, best), found = measure.bounds(query, best);
      EXPECT_NEAR(found.low, exact.low, 1e-12) << GetParam() << " " << convention << " trial " << trial;
      EXPECT_NEAR(found.high, exact.high, 1e-12) << GetParam() << " " << convention << " trial " << trial;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Measures, BoundsTest,
                         testing::Values("ndcg@3", "ndcg", "dcg@4", "p@3", "p@2:rel=2", "rbp:p=0.7", "hits@3", "mrr",
                                         "mrr@2", "success@2"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                           return name;
                         });

TEST(BoundedMeasure, OthersAreBoundedByTheirScale) {
  Rng random(8);
  for (const char* name : {"map", "err@3", "recall@2", "rprec", "p@2:rel=best"}) {
    const BoundedMeasure measure(name, make_convention("trec"));
    const PooledQuery query{{"a", "b"}, {1, -1}, {0, 1}, {1, 0}};
    EXPECT_EQ(measure.bounds(query, 1).low, -1) << name;
    EXPECT_EQ(measure.bounds(query, 1).high, 1) << name;
    EXPECT_EQ(measure.matters(query, measure.bounds(query, 1)), std::vector<std::uint32_t>{1}) << name;
  }
}

TEST(BoundedMeasure, DocumentsAtTheSameWeightDoNotMatterToASum) {
  const BoundedMeasure measure("p@2", make_convention("trec"));
  const PooledQuery query{{"a", "b", "c"}, {-1, -1, -1}, {0, 1}, {2, 0}};
  EXPECT_EQ(measure.matters(query, measure.bounds(query, 1)), (std::vector<std::uint32_t>{1, 2}));
}

TEST(BoundedMeasure, RefusesWhatNothingBounds) {
  for (const char* name : {"bpref", "gmap", "kendall", "eru", "p@5:judged_only=yes"})
    EXPECT_NE(test::message_of([&] { BoundedMeasure(name, make_convention("trec")); }).find("nothing bounds"),
              std::string::npos)
        << name;
}

// ---- the bet -----------------------------------------------------------------------------------------------------

TEST(LargerSum, IsCertainWhenNothingLeftCanChangeIt) {
  // 0.6 is known, and the others hold at least -0.25 each.
  const std::vector<DrawnTerm> terms = {{-1, 1, 0.6}, {-0.25, 1, 0}, {-0.25, 1, 0}};
  EXPECT_FALSE(larger_sum(terms, 0, 0, 1e9).has_value());
  EXPECT_EQ(larger_sum(terms, 1, 0, 1e9).value_or(99), 1u);
  EXPECT_FALSE(larger_sum(terms, 1, 0.11, 1e9).has_value());
}

TEST(LargerSum, MultipliesTheStakes) {
  // One draw: the share is 1, expected to be (0 + 4) / 8 at most. Each stake s grows to 1 + s, on average 1 + 5.71
  // / 13.
  const std::vector<DrawnTerm> terms = {{-1, 1, 1}, {-1, 1, 0}, {-1, 1, 0}, {-1, 1, 0}};
  EXPECT_EQ(larger_sum(terms, 1, 0, 1 + 5.71 / 13 - 1e-9).value_or(99), 1u);
  EXPECT_FALSE(larger_sum(terms, 1, 0, 1 + 5.71 / 13 + 1e-9).has_value());
}

// ---- plans -------------------------------------------------------------------------------------------------------

RunSource source(const std::vector<RunEntry>& run) {
  return [&run](RunSink& sink) { hand_on(run, sink, 1); };
}

/// Queries of five documents each; the labels are those that a judge would give.
struct World {
  std::vector<RunEntry> first, second;
  std::vector<Judgment> truth;
};

World world_of(std::size_t queries, double relevant_at_first, double relevant_at_second, std::uint64_t seed) {
  World world;
  Rng random(seed);
  for (std::size_t q = 0; q < queries; ++q) {
    const std::string id = "q" + std::to_string(q);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string one = "a" + std::to_string(k), other = "b" + std::to_string(k);
      world.first.push_back({id, one, 3.0 - static_cast<double>(k)});
      world.second.push_back({id, other, 3.0 - static_cast<double>(k)});
      world.truth.push_back({id, one, random.uniform() < relevant_at_first ? 1.0f : 0.0f});
      world.truth.push_back({id, other, random.uniform() < relevant_at_second ? 1.0f : 0.0f});
    }
  }
  return world;
}

double true_difference(const World& world) {
  const std::vector<std::string> measure = {"p@3"};
  EvaluateOptions options;
  options.bootstrap = 0;
  return evaluate_run(world.truth, world.first, measure, options).measures[0].mean -
         evaluate_run(world.truth, world.second, measure, options).measures[0].mean;
}

TEST(PlanJudging, ListsWholeQueriesInAnOrderOfTheSeed) {
  const World world = world_of(20, 0.5, 0.5, 1);
  JudgingOptions options;
  options.batch = 7;
  const JudgingPlan plan = plan_judging({}, {}, source(world.first), source(world.second), "p@3", options);
  EXPECT_EQ(plan.verdict, Verdict::undecided);
  EXPECT_EQ(plan.queries, 20u);
  EXPECT_EQ(plan.open, 20u);
  EXPECT_EQ(plan.of, 120u);
  EXPECT_EQ(plan.next.size(), 12u);
  EXPECT_EQ(plan.next[0].query, plan.next[5].query);
  EXPECT_NE(plan.next[0].query, plan.next[6].query);
  EXPECT_NEAR(plan.least, -1, 1e-12);
  EXPECT_NEAR(plan.high, 1, 1e-12);
  options.evaluate.threads = 3;
  const JudgingPlan again = plan_judging({}, {}, source(world.first), source(world.second), "p@3", options);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(again.next[k].document, plan.next[k].document);
}

// Judging what is listed until there is a verdict comes to the verdict and the count of all judgments at once.
TEST(PlanJudging, WorkedThroughListByListEndsWithTheSameVerdict) {
  const World world = world_of(60, 0.7, 0.3, 2);
  std::map<std::pair<std::string, std::string>, float> label;
  for (const Judgment& judgment : world.truth) label[{judgment.query, judgment.document}] = judgment.label;
  const JudgingPlan whole = plan_judging({}, world.truth, source(world.first), source(world.second), "p@3");
  std::vector<Judgment> given;
  JudgingOptions options;
  options.batch = 1;
  JudgingPlan plan = plan_judging({}, given, source(world.first), source(world.second), "p@3", options);
  while (plan.verdict == Verdict::undecided) {
    ASSERT_FALSE(plan.next.empty());
    for (const DocumentToJudge& each : plan.next)
      given.push_back({each.query, each.document, label.at({each.query, each.document})});
    plan = plan_judging({}, given, source(world.first), source(world.second), "p@3", options);
  }
  EXPECT_EQ(plan.verdict, Verdict::first);
  EXPECT_FALSE(plan.certain);
  EXPECT_EQ(plan.used, given.size());
  EXPECT_EQ(whole.verdict, Verdict::first);
  EXPECT_EQ(whole.used, plan.used);
  EXPECT_LT(plan.used, 360u / 2);
  EXPECT_LT(plan.low, true_difference(world));
  EXPECT_GT(plan.high, true_difference(world));
}

// Two runs that are alike on all queries together: any verdict for one of them is an error.
TEST(PlanJudging, IsSeldomWrong) {
  World world = world_of(60, 0.5, 0.5, 3);
  for (const World turned = world_of(60, 0.5, 0.5, 3);
       const Judgment& each : turned.truth) {  // the same, the other way round
    std::string document = each.document;
    document[0] = document[0] == 'a' ? 'b' : 'a';
    world.truth.push_back({"t" + each.query, document, each.label});
  }
  for (std::vector<RunEntry>* run : {&world.first, &world.second}) {
    const std::vector<RunEntry> own = *run;
    for (const RunEntry& entry : own) run->push_back({"t" + entry.query, entry.document, entry.score});
  }
  ASSERT_NEAR(true_difference(world), 0, 1e-12);
  std::size_t wrong = 0, outside = 0;
  JudgingOptions options;
  for (options.evaluate.seed = 0; options.evaluate.seed < 200; ++options.evaluate.seed) {
    const JudgingPlan plan = plan_judging({}, world.truth, source(world.first), source(world.second), "p@3", options);
    wrong += plan.verdict != Verdict::same;
    outside += plan.low > 1e-9 || plan.high < -1e-9;
  }
  EXPECT_LE(wrong, 16u);  // 5 % of 200 and two standard errors
  EXPECT_EQ(wrong, outside);
}

TEST(PlanJudging, SaysWhenOneIsSurelyBetterOrAllIsJudged) {
  const std::vector<RunEntry> first = {{"q", "a", 1}, {"r", "c", 1}}, second = {{"q", "b", 1}, {"r", "c", 1}};
  const std::vector<Judgment> judged = {{"q", "a", 1}, {"q", "b", 0}};
  const JudgingPlan plan = plan_judging({}, judged, source(first), source(second), "p@1");
  EXPECT_EQ(plan.verdict, Verdict::first);
  EXPECT_TRUE(plan.certain);
  EXPECT_EQ(plan.open, 1u);  // both show the same in r
  EXPECT_DOUBLE_EQ(plan.least, 0.5);
  const std::vector<Judgment> alike = {{"q", "a", 1}, {"q", "b", 1}};
  const JudgingPlan tied = plan_judging({}, alike, source(first), source(second), "p@1");
  EXPECT_EQ(tied.verdict, Verdict::same);
  EXPECT_TRUE(tied.certain);
}

TEST(PlanJudging, JudgmentsBeforeFixTheQueriesAndTheLabels) {
  const std::vector<RunEntry> first = {{"q", "a", 1}, {"r", "c", 1}}, second = {{"q", "b", 1}, {"r", "d", 1}};
  const std::vector<Judgment> before = {{"q", "a", 2}};
  const JudgingPlan plan = plan_judging(before, {}, source(first), source(second), "dcg@1");
  EXPECT_EQ(plan.queries, 1u);
  ASSERT_EQ(plan.next.size(), 1u);
  EXPECT_EQ(plan.next[0].document, "b");
  EXPECT_NE(test::message_of([&] {
              const std::vector<Judgment> added = {{"q", "b", 3}};
              plan_judging(before, added, source(first), source(second), "dcg@1");
            }).find("label 3 is above 2"),
            std::string::npos);
}

TEST(PlanJudging, ADifferenceThatIsSurelySmallIsAVerdict) {
  const World world = world_of(300, 0.5, 0.5, 4);
  JudgingOptions options;
  options.same_within = 0.2;
  const JudgingPlan plan = plan_judging({}, world.truth, source(world.first), source(world.second), "p@3", options);
  EXPECT_EQ(plan.verdict, Verdict::same);
  EXPECT_LT(plan.used, 900u);
}

}  // namespace
}  // namespace dorm
