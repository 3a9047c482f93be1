// SPDX-License-Identifier: Apache-2.0
// The bound of lists by position against its definition, by enumerating lists.
#include "learning/risk/position_risk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "support/case_name.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

using test::random_data;
using List = std::vector<std::uint32_t>;

struct Case {
  bool per_position, topics, sparse;
  double least = 0;  // gains lie between it and 1 more
};
void PrintTo(const Case& shown, std::ostream* out) {
  *out << (shown.per_position ? "PerPosition" : "Shared") << (shown.topics ? "Topics" : "")
       << (shown.sparse ? "Sparse" : "")
       << (shown.least < -0.9 ? "Costs"
           : shown.least < 0  ? "Mixed"
                              : "");
}

void for_each_list(std::size_t documents, std::size_t positions, const std::function<void(const List&)>& visit) {
  List list;
  const std::function<void()> extend = [&] {
    if (list.size() == positions) return visit(list);
    for (std::uint32_t i = 0; i < documents; ++i) {
      if (std::find(list.begin(), list.end(), i) != list.end()) continue;
      list.push_back(i);
      extend();
      list.pop_back();
    }
  };
  extend();
}

class PositionRiskDefinition : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::size_t kPositions = 3;

  void SetUp() override {
    if (GetParam().topics && topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
    Rng rng(3);
    const Dataset& data = features_.data();
    for (std::size_t k = 0; k < data.num_documents() * kPositions; ++k)
      gains_.push_back(GetParam().least + rng.uniform());
    table_ = {{"a", "b"}, {1.2, 1.4}, {0}, {}};
    for (std::size_t d = 0; d < data.num_documents(); ++d) {
      for (std::uint32_t t = 0; t < 2; ++t) table_.shares.push_back({t, 0.2 + 0.6 * rng.uniform()});
      if (d % 2 == 0) table_.shares.resize(table_.shares.size() - 2);  // documents without topics
      table_.first.push_back(table_.shares.size());
    }
    problem_ = {kPositions, gains_, {1, 0.7, 0.5}, GetParam().per_position};
    if (GetParam().topics) problem_.topics = &table_;
    risk_ = std::make_unique<PositionRisk>(features_, problem_, 1);
    w_.resize(risk_->dimension());
    for (double& x : w_) x = 0.3 * rng.normal();
  }

  std::size_t positions(std::size_t q) const { return std::min(kPositions, features_.data().query(q).size()); }

  bool allowed(std::size_t q, const List& list) const {
    double used[2] = {0, 0};
    for (const std::uint32_t i : list)
      for (std::size_t k = table_.first[features_.data().first_document(q) + i];
           k < table_.first[features_.data().first_document(q) + i + 1]; ++k)
        used[table_.shares[k].topic] += table_.shares[k].weight;
    return !GetParam().topics || (used[0] <= 1.2 && used[1] <= 1.4);
  }

  double gain(std::size_t q, const List& list) const {
    double sum = 0;
    for (std::size_t j = 0; j < list.size(); ++j)
      sum += gains_[(features_.data().first_document(q) + list[j]) * kPositions + j];
    return sum;
  }

  double score(std::size_t q, const List& list, std::span<const double> w) const {
    const std::size_t d = features_.dimension();
    std::vector<double> part(features_.data().query(q).size());
    double sum = 0;
    for (std::size_t j = 0; j < list.size(); ++j) {
      features_.scores(q, w.first(d), part);
      sum += problem_.decay[j] * part[list[j]];
      if (!GetParam().per_position) continue;
      features_.scores(q, w.subspan((1 + j) * d, d), part);
      sum += part[list[j]];
    }
    return sum;
  }

  template <class Value>
  List best(std::size_t q, const Value& value) const {
    List best;
    double highest = -std::numeric_limits<double>::infinity();
    for_each_list(features_.data().query(q).size(), positions(q), [&](const List& list) {
      if (!allowed(q, list) || value(list) <= highest) return;
      highest = value(list);
      best = list;
    });
    return best;
  }

  LinearFeatures features_{random_data({.lengths = {5, 6, 2, 4}, .sparse = GetParam().sparse})};
  std::vector<double> gains_, w_;
  TopicTable table_;
  PositionProblem problem_;
  std::unique_ptr<PositionRisk> risk_;
};

TEST_P(PositionRiskDefinition, ValueAndPlaneAreThoseOfTheWorstList) {
  for (const Bound bound : {Bound::given, Bound::best, Bound::predicted}) {
    risk_->set_reference(bound, w_);
    const auto workspace = risk_->make_workspace();
    for (std::size_t q = 0; q < risk_->num_blocks(); ++q) {
      const double ideal = gain(q, best(q, [&](const List& list) { return gain(q, list); }));
      const double least = gain(q, best(q, [&](const List& list) { return -gain(q, list); }));
      const auto loss = [&](const List& list) { return (ideal - gain(q, list)) / (ideal - std::min(0.0, least)); };
      const List reference = best(q, [&](const List& list) {
        return bound == Bound::predicted ? score(q, list, w_) : 1e6 * gain(q, list) + score(q, list, w_);
      });
      const auto violation = [&](const List& list) { return loss(list) + score(q, list, w_); };
      const List worst = best(q, violation);
      Plane plane;
      const double value = risk_->linearize(q, w_, plane, *workspace);
      EXPECT_NEAR(value, violation(worst) - score(q, reference, w_), 1e-7);
      EXPECT_NEAR(plane.offset, loss(worst), 1e-7);
      EXPECT_NEAR(plane.offset - risk_->geometry().dot(w_, plane), value, 1e-6);
      EXPECT_TRUE(risk_->geometry().well_formed(plane));
      // Lemma 1: the bound covers the loss of the list that the scores predict.
      const List predicted = best(q, [&](const List& list) { return score(q, list, w_); });
      EXPECT_GE(value, loss(predicted) - 1e-9);
    }
  }
}

TEST_P(PositionRiskDefinition, PlanesBoundTheRiskEverywhere) {
  Rng rng(9);
  risk_->set_reference(Bound::best, w_);
  const auto workspace = risk_->make_workspace();
  for (std::size_t q = 0; q < risk_->num_blocks(); ++q) {
    Plane plane, other;
    risk_->linearize(q, w_, plane, *workspace);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<double> elsewhere(w_.size());
      for (double& x : elsewhere) x = rng.normal();
      EXPECT_GE(risk_->linearize(q, elsewhere, other, *workspace),
                plane.offset - risk_->geometry().dot(elsewhere, plane) - 1e-5);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PositionRiskDefinition,
                         testing::Values(Case{false, false, false}, Case{true, false, false}, Case{true, false, true},
                                         Case{false, true, false}, Case{true, true, false}, Case{true, true, true},
                                         Case{true, false, false, -1}, Case{false, false, false, -0.5}),
                         test::case_name);

TEST(PositionRisk, LeavesOutQueriesWithNothingToGain) {
  const LinearFeatures features(random_data({.lengths = {3, 3, 3}}));
  std::vector<double> gains(18, 0.0);
  gains[6] = 1;                                     // query 1 has something to gain,
  std::fill(gains.begin() + 12, gains.end(), 1.0);  // in query 2 all lists are equal
  const PositionRisk risk(features, {2, gains, {1, 0.5}}, 1);
  EXPECT_EQ(risk.num_blocks(), 1u);
  std::fill(gains.begin(), gains.end(), -1.0);
  EXPECT_THROW(PositionRisk(features, {2, gains, {1, 0.5}}, 1), Error);
}

TEST(PositionRisk, NamesTheQueryWhoseLimitsLeaveNoList) {
  if (topic_solver().empty()) GTEST_SKIP() << "built without an integer-programming solver";
  const LinearFeatures features(random_data({.lengths = {2, 2}}));
  const std::vector<double> gains(8, 1.0);
  const TopicTable table{{"red"}, {1}, {0, 0, 0, 1, 2}, {{0, 1}, {0, 1}}};
  PositionProblem problem{2, gains, {1, 0.5}};
  problem.topics = &table;
  const std::string message = test::message_of([&] { PositionRisk(features, problem, 1); });
  EXPECT_NE(message.find("query 1: no list of 2"), std::string::npos) << message;
}

}  // namespace
}  // namespace dorm
