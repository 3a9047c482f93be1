// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/oracle.h"
#include "ranking/oracle/instances.h"

namespace dorm {
namespace {

using test::Instance;
using test::random_instance;

// Two documents of label 2, then 1, 0, 0, in the file's order 0 2 1 2 0; c = 1/2, 1/3, 1/4, 1/5, 1/6.
struct Tiny {
  OracleTables tables;
  std::vector<float> labels{0, 2, 1, 2, 0};
  PreparedQuery query = prepare({{1, 0.5, 0.25, 0, 0}, {0, 3, 1, 3, 0}}, Decay("power:1"), tables);
};

TEST(Reference, GivenIsLabelOrderWithTiesInFileOrder) {
  Tiny tiny;
  Reference out;
  reference_given(tiny.query, tiny.labels, out);
  EXPECT_EQ(out.coefficient, (std::vector<double>{1 / 5., 1 / 2., 1 / 4., 1 / 3., 1 / 6.}));
  EXPECT_NEAR(out.loss, 0, 1e-15);
}

TEST(Reference, AverageSharesTheDecayOfTiedLabels) {
  Tiny tiny;
  Reference out;
  reference_average(tiny.query, tiny.labels, out);
  const double top = (1 / 2. + 1 / 3.) / 2, bottom = (1 / 5. + 1 / 6.) / 2;
  const std::vector<double> wanted{bottom, top, 1 / 4., top, bottom};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(out.coefficient[i], wanted[i], 1e-15);
  EXPECT_NEAR(out.loss, 0, 1e-15);
}

TEST(Reference, PredictedIsScoreOrderAndHasItsLoss) {
  Tiny tiny;
  Reference out;
  reference_predicted(tiny.query, std::vector<double>{5, 1, 2, 3, 5}, out);
  EXPECT_EQ(out.coefficient, (std::vector<double>{1 / 2., 1 / 6., 1 / 5., 1 / 4., 1 / 3.}));
  EXPECT_NEAR(out.loss, 3 + 1.5 + 0.25 - 0.75, 1e-15);
}

TEST(Reference, BestSortsTiesAndTheTailByScore) {
  Tiny tiny;
  Reference out;
  reference_best(tiny.query, std::vector<double>{1, 1, 9, 2, 3}, out);
  EXPECT_EQ(out.coefficient, (std::vector<double>{1 / 6., 1 / 3., 1 / 4., 1 / 2., 1 / 5.}));
  EXPECT_NEAR(out.loss, 0, 1e-15);
}

// max f over the rankings without loss, one by one.
double best_lossless(const Instance& x, const PreparedQuery& query) {
  std::vector<std::uint32_t> position_of(query.size());
  std::iota(position_of.begin(), position_of.end(), 0u);
  double best = -1e300;
  do {
    double score = 0, sum = 0, first = 0;
    for (std::size_t i = 0; i < position_of.size(); ++i) {
      const std::size_t j = position_of[i];
      score += query.tables->c[j] * x.scores[i];
      sum += x.factors.a[j] * x.factors.b[i];
      first = std::max(first, x.factors.a[j] * x.factors.b[i]);
    }
    const double value = query.kind == Factors::Kind::first ? first : sum;
    if (value >= query.ideal - 1e-12) best = std::max(best, score);
  } while (std::next_permutation(position_of.begin(), position_of.end()));
  return best;
}

TEST(Reference, BestEqualsEnumeration) {
  Rng rng(20);
  Reference out;
  int first = 0;
  for (int k = 0; k < 6000; ++k) {
    Instance x = random_instance(1 + rng.below(6), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    reference_best(query, x.scores, out);
    double score = 0;
    for (std::size_t i = 0; i < query.size(); ++i) score += out.coefficient[i] * x.scores[i];
    EXPECT_NEAR(score, best_lossless(x, query), 1e-9 * magnitude(x)) << x.description;
    EXPECT_NEAR(out.loss, 0, 1e-12) << x.description;
    first += query.kind == Factors::Kind::first;
  }
  EXPECT_GT(first, 100);
}

TEST(Reference, BoundHoldsForEveryReference) {
  Rng rng(21);
  OracleWorkspace work;
  for (int k = 0; k < 2000; ++k) {
    const Instance x = random_instance(1 + rng.below(30), rng);
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    std::vector<float> labels(x.factors.b.begin(), x.factors.b.end());
    Reference predicted, reference;
    reference_predicted(query, x.scores, predicted);
    Separation out;
    separate(query, x.scores, out, work);
    for (int which = 0; which < 4; ++which) {
      if (which == 0) reference_given(query, labels, reference);
      if (which == 1) reference_average(query, labels, reference);
      if (which == 2) reference_best(query, x.scores, reference);
      if (which == 3) reference = predicted;
      double f = 0;
      for (std::size_t i = 0; i < query.size(); ++i) f += reference.coefficient[i] * x.scores[i];
      // xi = max (Delta + f) - f(z0) >= Delta(predicted)
      EXPECT_GE(out.value + query.ideal - f, predicted.loss - 1e-9 * magnitude(x)) << x.description << " " << which;
    }
  }
}

TEST(Reference, RefusesBadInput) {
  Tiny tiny;
  Reference out;
  EXPECT_THROW(reference_given(tiny.query, std::vector<float>{1, 2}, out), Error);
  EXPECT_THROW(reference_average(tiny.query, std::vector<float>{1, 2, NAN, 0, 0}, out), Error);
  EXPECT_THROW(reference_best(tiny.query, std::vector<double>{1, 2}, out), Error);
  EXPECT_THROW(reference_predicted(tiny.query, std::vector<double>{1, 2, INFINITY, 0, 0}, out), Error);
}

}  // namespace
}  // namespace dorm
