// SPDX-License-Identifier: Apache-2.0
// Lists under topic budgets against enumeration of all lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/parallel.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/learning/assignment.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using List = std::vector<std::uint32_t>;

struct Instance {
  std::size_t documents = 0, positions = 0;
  std::vector<double> values;
  TopicTable table;

  TopicBudget budget() const { return {table, 0, documents}; }
  double objective(const List& list) const {
    double sum = 0;
    for (std::size_t j = 0; j < list.size(); ++j) sum += values[list[j] * positions + j];
    return sum;
  }
};

struct Shape {
  const char* name;
  bool factored;     // values c_j g_i - a_j b_i, or anything
  bool whole;        // topic weights 0 or 1, or real numbers
  double tightness;  // limits as a share of what n average documents take
};

Instance random_instance(std::size_t documents, std::size_t positions, std::size_t topics, const Shape& shape,
                         Rng& rng) {
  Instance out{documents, positions, {}, {}};
  std::vector<double> g(documents), b(documents);
  for (double& x : g) x = rng.normal();
  for (double& x : b) x = std::floor(3 * rng.uniform());
  for (std::size_t i = 0; i < documents; ++i)
    for (std::size_t j = 0; j < positions; ++j) {
      const double c = 1 / std::log2(static_cast<double>(j) + 2);
      out.values.push_back(shape.factored ? c * g[i] - 0.3 * c * c * b[i] : rng.normal());
    }
  std::vector<double> total(topics, 0.0);
  out.table.first = {0};
  for (std::size_t i = 0; i < documents; ++i) {
    for (std::uint32_t t = 0; t < topics; ++t) {
      if (rng.uniform() < 0.5) continue;
      const double weight = shape.whole ? 1.0 : rng.uniform();
      out.table.shares.push_back({t, weight});
      total[t] += weight;
    }
    out.table.first.push_back(out.table.shares.size());
  }
  for (std::size_t t = 0; t < topics; ++t) {
    out.table.names.push_back("t" + std::to_string(t));
    const double share = total[t] * static_cast<double>(positions) / static_cast<double>(documents);
    out.table.limits.push_back(shape.whole ? std::floor(shape.tightness * share + 0.5) : shape.tightness * share);
  }
  return out;
}

// The best list by trying all; empty when none keeps the limits. Limits are checked here, not by the library.
List enumerate_best(const Instance& instance) {
  List best, list;
  double highest = -std::numeric_limits<double>::infinity();
  std::vector<double> used(instance.table.limits.size(), 0.0);
  const std::function<void()> extend = [&] {
    if (list.size() == instance.positions) {
      const double objective = instance.objective(list);
      if (objective > highest) highest = objective, best = list;
      return;
    }
    for (std::uint32_t i = 0; i < instance.documents; ++i) {
      if (std::find(list.begin(), list.end(), i) != list.end()) continue;
      const auto before = used;
      bool fits = true;
      for (const TopicShare& share : instance.budget().shares(i)) {
        used[share.topic] += share.weight;
        fits = fits && used[share.topic] <= instance.table.limits[share.topic] + 1e-10;
      }
      list.push_back(i);
      if (fits) extend();
      list.pop_back();
      used = before;
    }
  };
  extend();
  return best;
}

double best_without_limits(Instance instance) {
  std::fill(instance.table.limits.begin(), instance.table.limits.end(), 1e9);
  return instance.objective(enumerate_best(instance));
}

bool within_limits(const Instance& instance, const List& list) {
  std::vector<double> used(instance.table.limits.size(), 0.0);
  for (const std::uint32_t i : list)
    for (const TopicShare& share : instance.budget().shares(i)) used[share.topic] += share.weight;
  for (std::size_t t = 0; t < used.size(); ++t)
    if (used[t] > instance.table.limits[t] + 1e-8) return false;
  return true;
}

bool all_different(List list) {
  std::sort(list.begin(), list.end());
  return std::adjacent_find(list.begin(), list.end()) == list.end();
}

constexpr Shape kShapes[] = {{"factored, whole weights", true, true, 0.7},
                             {"factored, real weights", true, false, 0.7},
                             {"free, whole weights", false, true, 0.8},
                             {"free, real weights", false, false, 0.6},
                             {"tight", false, false, 0.35},
                             {"loose", true, false, 1.5}};

class Solver : public testing::Test {
 protected:
  void SetUp() override {
    if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  }
};

TEST_F(Solver, FindsTheBestOfAllLists) {
  Rng rng(7);
  std::size_t infeasible = 0, binding = 0;
  for (const Shape& shape : kShapes)
    for (int repeat = 0; repeat < 60; ++repeat) {
      const std::size_t documents = 3 + rng.below(6), positions = 1 + rng.below(std::min<std::size_t>(4, documents));
      const Instance instance = random_instance(documents, positions, 1 + rng.below(4), shape, rng);
      const List truth = enumerate_best(instance);
      const TopicList found = solve_topics(instance.values, positions, instance.budget());
      if (truth.empty()) {
        EXPECT_EQ(found.status, TopicStatus::infeasible) << shape.name;
        ++infeasible;
        continue;
      }
      ASSERT_EQ(found.status, TopicStatus::optimal) << shape.name;
      EXPECT_NEAR(found.objective, instance.objective(truth), 1e-7) << shape.name;
      EXPECT_NEAR(found.objective, instance.objective(found.documents), 1e-12) << shape.name;
      EXPECT_EQ(found.gap(), 0);
      binding += best_without_limits(instance) > found.objective + 1e-6;
    }
  EXPECT_GT(infeasible, 10u);  // both outcomes are tried,
  EXPECT_GT(binding, 20u);     // and limits that bind
}

TEST_F(Solver, NoListBreaksALimitHoweverLittleTimeThereIs) {
  Rng rng(11);
  std::size_t cut_short = 0;
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const Shape& shape = kShapes[rng.below(std::size(kShapes))];
    const std::size_t documents = 5 + rng.below(30), positions = 1 + rng.below(std::min<std::size_t>(8, documents));
    const Instance instance = random_instance(documents, positions, 1 + rng.below(6), shape, rng);
    for (const double seconds : {1e-9, 0.0}) {
      const TopicList found = solve_topics(instance.values, positions, instance.budget(), {seconds});
      if (found.documents.empty()) continue;
      EXPECT_EQ(found.documents.size(), positions);
      EXPECT_TRUE(all_different(found.documents));
      EXPECT_TRUE(within_limits(instance, found.documents)) << shape.name;
      EXPECT_GE(found.bound, found.objective);
      cut_short += found.status == TopicStatus::limit_reached;
    }
  }
  EXPECT_GT(cut_short, 10u);
}

TEST_F(Solver, AnAnswerCutShortHasABoundThatHolds) {
  Rng rng(5);
  std::size_t cut_short = 0;
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Instance instance = random_instance(20, 6, 4, kShapes[3], rng);
    const TopicList quick = solve_topics(instance.values, 6, instance.budget(), {1e-9});
    const TopicList exact = solve_topics(instance.values, 6, instance.budget(), {0});
    if (quick.status != TopicStatus::limit_reached) continue;
    ++cut_short;
    EXPECT_LE(quick.objective, exact.objective + 1e-7);
    EXPECT_GE(quick.bound, exact.objective - 1e-7);
    EXPECT_GT(quick.gap(), 0);
  }
  EXPECT_GT(cut_short, 10u);
}

TEST_F(Solver, SeveralThreadsFindWhatOneFinds) {
  if (!topic_solver_in_threads()) GTEST_SKIP() << topic_solver() << " is called from one thread";
  constexpr std::size_t kLists = 40;
  Rng rng(3);
  std::vector<Instance> instances;
  for (std::size_t k = 0; k < kLists; ++k) instances.push_back(random_instance(12, 5, 4, kShapes[3], rng));
  const auto solve = [&](std::size_t threads) {
    std::vector<List> lists(kLists);
    parallel_for(kLists, threads, [&](std::size_t k, std::size_t) {
      lists[k] = solve_topics(instances[k].values, 5, instances[k].budget()).documents;
    });
    return lists;
  };
  EXPECT_EQ(solve(4), solve(1));
}

TEST_F(Solver, ALimitIsKeptToRoundingNotToTheSolversTolerance) {
  // Two documents of weight 1 + 4e-8 would break the limit by less than the solver notices.
  Instance instance{4, 2, {9, 9, 8, 8, 1, 1, 1, 1}, {}};
  instance.table = {{"t"}, {2.0}, {0, 1, 2, 2, 2}, {{0, 1 + 4e-8}, {0, 1 + 4e-8}}};
  const TopicList found = solve_topics(instance.values, 2, instance.budget());
  EXPECT_EQ(found.status, TopicStatus::optimal);
  EXPECT_NEAR(found.objective, 10, 1e-12);
}

TEST_F(Solver, ALimitThatIsMetExactlyIsMet) {
  Instance instance{4, 3, {3, 3, 3, 2, 2, 2, 1, 1, 1, 0, 0, 0}, {}};  // 0.1 + 0.1 + 0.1 > 0.3 in doubles
  instance.table = {{"t", "u"}, {0.3, 0.5}, {0, 2, 3, 4, 4}, {{0, 0.1}, {1, 0.5}, {0, 0.1}, {0, 0.1}}};
  EXPECT_EQ(solve_topics(instance.values, 3, instance.budget()).documents, (List{0, 1, 2}));
}

TEST_F(Solver, SaysWhenLimitsTogetherLeaveNothing) {
  Instance instance{2, 2, {1, 1, 1, 1}, {}};
  instance.table = {{"red"}, {1}, {0, 1, 2}, {{0, 1}, {0, 0.5}}};
  EXPECT_EQ(solve_topics(instance.values, 2, instance.budget()).status, TopicStatus::infeasible);
  EXPECT_NE(explain_infeasible(2, instance.budget()).find("at least 1.5 of topic red, whose limit is 1"),
            std::string::npos);
  // Either topic alone could be kept.
  instance = {3, 2, {1, 1, 1, 1, 1, 1}, {}};
  instance.table = {{"red", "blue"}, {1, 0}, {0, 1, 2, 3}, {{0, 1}, {0, 1}, {1, 1}}};
  EXPECT_EQ(solve_topics(instance.values, 2, instance.budget()).status, TopicStatus::infeasible);
  EXPECT_NE(explain_infeasible(2, instance.budget()).find("together"), std::string::npos);
}

TEST(Topics, LimitsThatDoNotBindNeedNoSolver) {
  Instance instance{3, 2, {1, 1, 5, 4, 3, 3}, {}};
  instance.table = {{"t"}, {2}, {0, 1, 2, 3}, {{0, 1}, {0, 1}, {0, 1}}};
  const TopicList found = solve_topics(instance.values, 2, instance.budget());
  EXPECT_EQ(found.documents, (List{1, 2}));
  EXPECT_EQ(found.status, TopicStatus::optimal);
}

TEST(Topics, WithoutASolverTheMessageSaysWhatToInstall) {
  if (!topic_solver().empty()) GTEST_SKIP() << "built with " << topic_solver();
  Instance instance{3, 2, {1, 1, 5, 4, 3, 3}, {}};
  instance.table = {{"t"}, {1}, {0, 0, 1, 2}, {{0, 1}, {0, 1}}};
  const std::string message =
      test::message_of([&] { solve_topics(instance.values, 2, instance.budget()); }, ErrorCode::unsupported);
  EXPECT_NE(message.find("coinor-libcbc-dev"), std::string::npos) << message;
  EXPECT_NE(message.find("HiGHS"), std::string::npos) << message;
}

TEST(Topics, RefuseTablesThatMakeNoSense) {
  const TopicTable good = {{"t"}, {1}, {0, 1}, {{0, 1}}};
  EXPECT_NO_THROW(validate(good));
  const std::vector<TopicTable> bad = {
      {{"t"}, {-1}, {0, 1}, {{0, 1}}},        {{"t"}, {1}, {0, 1}, {{0, -1}}},  {{"t"}, {1}, {0, 1}, {{1, 1}}},
      {{"t"}, {1}, {0, 2}, {{0, 1}, {0, 1}}}, {{"t"}, {NAN}, {0, 1}, {{0, 1}}}, {{"t"}, {1}, {0, 1}, {{0, INFINITY}}},
      {{"t", "u"}, {1}, {0, 1}, {{0, 1}}},    {{"t"}, {1}, {0, 2}, {{0, 1}}},
  };
  for (const TopicTable& table : bad) EXPECT_THROW(validate(table), Error);
  EXPECT_THROW(solve_topics(std::vector<double>{1, 2}, 2, {good, 0, 1}), Error);  // 2 of 1 documents
  EXPECT_THROW(solve_topics(std::vector<double>{1}, 1, {good, 1, 1}), Error);     // past the table
  EXPECT_THROW(solve_topics(std::vector<double>{1}, 1, {good, 0, 1}, {-1}), Error);
}

}  // namespace
}  // namespace dorm
