// SPDX-License-Identifier: Apache-2.0
// Limits on groups: oracles and references against all lists one by one.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/oracle.h"
#include "dorm/ranking/group_lists.h"
#include "ranking/oracle/grouped_instances.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using test::for_each_list;
using test::Instance;
using test::measure_of;
using test::random_groups;
using test::random_instance;
using test::score_of;
using test::within;

struct Truth {
  std::size_t length = 0;
  double most_violated = -1e300, ideal = -1e300, best_lossless = -1e300, best_score = -1e300;
};

Truth enumerate_lists(const Instance& x, const GroupLimits& groups, std::span<const double> c) {
  Truth truth;
  const auto weighted =
      static_cast<std::size_t>(std::count_if(x.factors.a.begin(), x.factors.a.end(), [](double a) { return a > 0; }));
  std::vector<std::uint32_t> size(groups.limit.size(), 0), list;
  for (std::uint32_t s : groups.group_of) size[s] = std::min(size[s] + 1, groups.limit[s]);
  truth.length = std::min<std::size_t>(weighted, std::accumulate(size.begin(), size.end(), 0u));
  const auto each = [&](const auto& visit) { for_each_list(groups, truth.length, list, visit); };
  each([&](const auto& it) {
    const double score = score_of(c, x.scores, it), measure = measure_of(x.factors, it);
    truth.most_violated = std::max(truth.most_violated, score - measure);
    truth.ideal = std::max(truth.ideal, measure);
    truth.best_score = std::max(truth.best_score, score);
  });
  each([&](const auto& it) {
    if (measure_of(x.factors, it) >= truth.ideal - 1e-12)
      truth.best_lossless = std::max(truth.best_lossless, score_of(c, x.scores, it));
  });
  return truth;
}

// l <= 8 with n <= 4, and l <= 6 without a limit on n.
Instance small_instance(Rng& rng) {
  Instance x = random_instance(1 + rng.below(8), rng);
  if (x.scores.size() > 6) std::fill(x.factors.a.begin() + 4, x.factors.a.end(), 0.0);
  return x;
}

std::vector<std::uint32_t> list_of(const Separation& found, std::size_t length) {
  std::vector<std::uint32_t> list(length, kNotShown);
  for (std::uint32_t i = 0; i < found.position_of.size(); ++i)
    if (found.position_of[i] != kNotShown) list.at(found.position_of[i]) = i;
  return list;
}

double dot(std::span<const double> x, std::span<const double> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

TEST(GroupedOracle, EqualsEnumeration) {
  Rng rng(70);
  OracleWorkspace work;
  Separation found;
  int several = 0, first = 0, scarce = 0;
  for (int k = 0; k < 24000; ++k) {
    const Instance x = small_instance(rng);
    const GroupLimits groups = random_groups(x.scores.size(), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables, groups);
    const Truth truth = enumerate_lists(x, groups, query.tables->c);
    separate(query, x.scores, found, work);
    const std::vector<std::uint32_t> list = list_of(found, truth.length);
    ASSERT_TRUE(std::find(list.begin(), list.end(), kNotShown) == list.end()) << x.description;
    ASSERT_TRUE(within(groups, list)) << x.description;
    const double tolerance = 1e-9 * magnitude(x);
    const double value = score_of(query.tables->c, x.scores, list) - measure_of(x.factors, list);
    ASSERT_NEAR(value, truth.most_violated, tolerance) << x.description;
    ASSERT_NEAR(found.value, value, tolerance);
    ASSERT_NEAR(query.ideal, truth.ideal, 1e-12);
    ASSERT_NEAR(found.loss, truth.ideal - measure_of(x.factors, list), 1e-12);
    ASSERT_NEAR(dot(found.coefficient, x.scores), score_of(query.tables->c, x.scores, list), tolerance);
    several += std::any_of(groups.limit.begin(), groups.limit.end(), [](auto n) { return n > 1; });
    first += x.factors.kind == Factors::Kind::first;
    scarce += groups.limit.size() < truth.length || most_shown(groups) == truth.length;
  }
  EXPECT_GT(several, 6000);
  EXPECT_GT(first, 2000);
  EXPECT_GT(scarce, 3000);
}

TEST(GroupedOracle, TheLossIsLargestWhereEnumerationSaysSo) {
  Rng rng(71);
  for (int k = 0; k < 3000; ++k) {
    Instance x = small_instance(rng);
    const GroupLimits groups = random_groups(x.scores.size(), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables, groups);
    std::fill(x.scores.begin(), x.scores.end(), 0.0);
    const Truth truth = enumerate_lists(x, groups, query.tables->c);
    ASSERT_NEAR(largest_loss(query), truth.ideal + truth.most_violated, 1e-12) << x.description;
  }
}

TEST(GroupedReference, BestAndPredictedEqualEnumeration) {
  Rng rng(72);
  Reference best, predicted;
  for (int k = 0; k < 12000; ++k) {
    const Instance x = small_instance(rng);
    const GroupLimits groups = random_groups(x.scores.size(), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables, groups);
    const Truth truth = enumerate_lists(x, groups, query.tables->c);
    reference_best(query, x.scores, best);
    reference_predicted(query, x.scores, predicted);
    const double tolerance = 1e-9 * magnitude(x);
    ASSERT_NEAR(dot(best.coefficient, x.scores), truth.best_lossless, tolerance) << x.description;
    ASSERT_NEAR(best.loss, 0, 1e-12) << x.description;
    ASSERT_NEAR(dot(predicted.coefficient, x.scores), truth.best_score, tolerance) << x.description;
  }
}

// Groups {0, 1}, {2, 3}, {4}; labels 2 2 2 1 0; c = 1/2, 1/3, 1/4. The list by label is 0, 2, 4.
struct TinyGroups {
  OracleTables tables;
  std::vector<float> labels{2, 2, 2, 1, 0};
  PreparedQuery query =
      prepare({{1, 0.5, 0.25, 0, 0}, {3, 3, 3, 1, 0}}, Decay("power:1"), tables, {{0, 0, 1, 1, 2}, {1, 1, 1}});
};

TEST(GroupedReference, GivenTakesTheFirstOfEachGroupByLabel) {
  TinyGroups tiny;
  Reference out;
  reference_given(tiny.query, tiny.labels, out);
  EXPECT_EQ(out.coefficient, (std::vector<double>{1 / 2., 0, 1 / 3., 0, 1 / 4.}));
  EXPECT_NEAR(out.loss, 0, 1e-15);
}

TEST(GroupedReference, AverageSharesPositionsWithinAndBetweenGroups) {
  TinyGroups tiny;
  Reference out;
  reference_average(tiny.query, tiny.labels, out);
  const double top = (1 / 2. + 1 / 3.) / 2;  // of the two groups whose best label is 2
  const std::vector<double> wanted{top / 2, top / 2, top, 0, 1 / 4.};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(out.coefficient[i], wanted[i], 1e-15);
}

// Lots drawn twice, over all outcomes: who of a group is admitted among equal labels, then the order of the admitted
// among equal labels.
TEST(GroupedReference, AverageIsTheMeanOverLots) {
  Rng rng(73);
  for (int k = 0; k < 200; ++k) {
    const std::size_t l = 4;
    Factors factors{{1, 0.6, 0.4, 0}, std::vector<double>(l)};
    std::vector<float> labels(l);
    for (std::size_t i = 0; i < l; ++i) factors.b[i] = labels[i] = static_cast<float>(rng.below(2));
    const GroupLimits groups = random_groups(l, rng);
    OracleTables tables;
    Reference out;
    const PreparedQuery query = prepare(factors, Decay("power:1"), tables, groups);
    reference_average(query, labels, out);
    const auto by_label = [&](auto x, auto y) { return labels[x] > labels[y]; };
    std::vector<double> mean(l, 0.0);
    std::vector<std::uint32_t> first{0, 1, 2, 3}, second{0, 1, 2, 3};
    do {
      std::vector<std::uint32_t> order = first, admitted;
      std::stable_sort(order.begin(), order.end(), by_label);
      for (std::uint32_t i : order) {
        admitted.push_back(i);
        if (!within(groups, admitted)) admitted.pop_back();
      }
      do {
        order.clear();
        for (std::uint32_t i : second)
          if (std::find(admitted.begin(), admitted.end(), i) != admitted.end()) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), by_label);
        for (std::size_t j = 0; j < std::min<std::size_t>(3, order.size()); ++j)
          mean[order[j]] += query.tables->c[j] / (24 * 24);
      } while (std::next_permutation(second.begin(), second.end()));
    } while (std::next_permutation(first.begin(), first.end()));
    for (std::size_t i = 0; i < l; ++i) ASSERT_NEAR(out.coefficient[i], mean[i], 1e-12);
  }
}

TEST(GroupedOracle, LimitsThatCannotBeAreRefused) {
  OracleTables tables;
  const Factors factors{{1, 0.5}, {1, 0}};
  const auto message = [&](const GroupLimits& groups) {
    return test::message_of([&] { prepare(factors, Decay(), tables, groups); });
  };
  EXPECT_NE(message({{0}, {1}}).find("1 groups given for 2 documents"), std::string::npos);
  EXPECT_NE(message({{0, 2}, {1, 1}}).find("document 1 is in group 2, but there are 2"), std::string::npos);
  EXPECT_NE(message({{0, 1}, {0, 0}}).find("bar every document"), std::string::npos);
}

// 10^5 lists of up to 60 documents: what is shown stays within the limits and is the longest such list.
TEST(GroupedRanking, NoRankingBreaksALimit) {
  Rng rng(74);
  for (int k = 0; k < 100000; ++k) {
    const std::size_t l = 1 + rng.below(k % 10 == 0 ? 60 : 12), n = rng.below(l + 3);
    const GroupLimits groups = random_groups(l, rng);
    std::vector<double> scores(l);
    for (double& g : scores) g = rng.below(3) == 0 ? 0 : rng.normal();
    const Ranking list = top_ranking(scores, groups, n);
    ASSERT_TRUE(within(groups, list));
    ASSERT_EQ(list.size(), n == 0 ? most_shown(groups) : std::min(n, most_shown(groups)));
    for (std::size_t j = 1; j < list.size(); ++j) ASSERT_GE(scores[list[j - 1]], scores[list[j]]);
  }
}

}  // namespace
}  // namespace dorm
