// SPDX-License-Identifier: Apache-2.0
#include "dorm/ranking/list_problem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dorm/oracle.h"
#include "dorm/ranking/group_lists.h"

namespace dorm {
namespace {

// Five documents; all 120 rankings can be listed.
const std::vector<float> kLabels = {2, 0, 1, 0, 2};
const std::vector<double> kScores = {0.1, 0.9, 0.4, -0.3, 0.2};

struct Fixture {
  std::unique_ptr<const FactoredMeasure> measure = make_trainable("ndcg@3", make_convention("standard"));
  Factors factors = measure->factor(kLabels);
  Decay decay{"log"};
  OracleTables tables;
  ListProblem list = *make_list_problem(factors, decay, tables);
  ListWorkspace workspace;

  /// max over rankings of loss + sum c (g of the ranking) - z0 g, by enumeration.
  double worst(std::span<const double> scores, std::span<const double> reference) const {
    std::vector<std::size_t> position(scores.size());
    std::iota(position.begin(), position.end(), 0u);
    double best = -1e9;
    do {
      double value = list.query().ideal;
      for (std::size_t i = 0; i < scores.size(); ++i)
        value += (list.query().tables->c[position[i]] - reference[i]) * scores[i] -
                 list.query().tables->a[position[i]] * list.query().b[i];
      best = std::max(best, value);
    } while (std::next_permutation(position.begin(), position.end()));
    return best;
  }
};

TEST(ListProblem, ThePlaneIsThatOfTheWorstRanking) {
  Fixture f;
  for (const Bound bound : {Bound::given, Bound::average, Bound::best, Bound::predicted}) {
    f.list.set_reference(bound, kLabels, kScores, f.workspace);
    ScorePlane plane;
    f.list.linearize(kScores, plane, f.workspace);
    EXPECT_NEAR(plane.value, f.worst(kScores, f.list.reference()), 1e-12) << name_of(bound);
    EXPECT_NEAR(plane.loss - std::inner_product(kScores.begin(), kScores.end(), plane.delta.begin(), 0.0), plane.value,
                1e-12);
    const std::vector<double> elsewhere = {-1, 0.3, 0.2, 2, 0};
    EXPECT_GE(f.worst(elsewhere, f.list.reference()) + 1e-12,
              plane.loss - std::inner_product(elsewhere.begin(), elsewhere.end(), plane.delta.begin(), 0.0));
  }
}

TEST(ListProblem, TheReferenceTellsWhetherItChanged) {
  Fixture f;
  EXPECT_TRUE(f.list.reference().empty());
  EXPECT_TRUE(f.list.set_reference(Bound::predicted, kLabels, kScores, f.workspace));
  EXPECT_FALSE(f.list.set_reference(Bound::predicted, kLabels, kScores, f.workspace));
  EXPECT_TRUE(f.list.set_reference(Bound::best, kLabels, kScores, f.workspace));
}

TEST(ListProblem, AnotherReferenceCanBeAskedForWithoutSettingIt) {
  Fixture f;
  f.list.set_reference(Bound::given, kLabels, kScores, f.workspace);
  const std::vector<double> kept(f.list.reference().begin(), f.list.reference().end());
  ScorePlane against, set;
  f.list.linearize_against(Bound::predicted, kScores, against, f.workspace);
  EXPECT_EQ(std::vector<double>(f.list.reference().begin(), f.list.reference().end()), kept);
  f.list.set_reference(Bound::predicted, kLabels, kScores, f.workspace);
  f.list.linearize(kScores, set, f.workspace);
  EXPECT_EQ(against.delta, set.delta);
  EXPECT_EQ(against.value, set.value);
}

TEST(ListProblem, ThereIsNoneWhereEveryRankingIsEquallyGood) {
  Fixture f;
  EXPECT_FALSE(make_list_problem(f.measure->factor(std::vector<float>(4, 1.0f)), f.decay, f.tables));
  EXPECT_FALSE(make_list_problem(f.measure->factor(std::vector<float>{0, 0}), f.decay, f.tables));
  EXPECT_TRUE(make_list_problem(f.measure->factor(std::vector<float>{0, 1}), f.decay, f.tables));
  // Two relevant documents of one group, one of which may be shown: no choice is better than the other.
  const std::vector<float> labels = {1, 1};
  const GroupLimits groups{{0, 0}, {1}};
  EXPECT_FALSE(make_list_problem(factor_within(*f.measure, labels, groups), f.decay, f.tables, groups));
}

}  // namespace
}  // namespace dorm
