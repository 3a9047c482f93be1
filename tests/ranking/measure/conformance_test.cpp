// SPDX-License-Identifier: Apache-2.0
// What every measure of the catalog must satisfy, by enumeration. A new measure is tested on arrival.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <string>

#include "dorm/base/catalog.h"
#include "evaluation/ranking.h"
#include "ranking/measure/enumerate.h"
#include "support/case_name.h"

namespace dorm {
namespace {

using test::difficult_labels;
using test::for_each_ranking;
using test::for_each_tie_order;

constexpr double kTolerance = 1e-12;

bool takes_relevance(const CatalogEntry& entry) { return entry.usage.find("rel=") != std::string_view::npos; }

std::string with_best_relevant(const std::string& spelling) {
  return spelling + (spelling.find(':') == std::string::npos ? ":" : ",") + "rel=best";
}

// The examples of the catalog, with the cutoff as given, 1, and past every list, and with the query's best label as the
// relevant one where the measure looks at relevance.
std::vector<std::string> spellings(const CatalogEntry& entry) {
  const std::string example(entry.example);
  std::vector<std::string> result{example};
  if (takes_relevance(entry)) result.push_back(with_best_relevant(example));
  const std::size_t at = example.find('@');
  if (at == std::string::npos) return result;
  const std::string name = example.substr(0, at);
  for (const char* cutoff : {"@1", "@3", "@100"}) result.push_back(name + cutoff);
  return result;
}

std::vector<std::string> all_spellings(bool trainable_only) {
  std::vector<std::string> result;
  for (const CatalogEntry& entry : measure_catalog()) {
    if (trainable_only && !entry.trainable) continue;
    for (std::string& spelling : spellings(entry)) result.push_back(std::move(spelling));
  }
  return result;
}

// One measure under each convention.
class EveryMeasure : public testing::TestWithParam<std::string> {
 protected:
  std::vector<MeasurePtr> make() const {
    std::vector<MeasurePtr> result;
    for (const CatalogEntry& convention : convention_catalog())
      result.push_back(make_measure(GetParam(), make_convention(convention.name)));
    return result;
  }
};

class EveryTrainable : public EveryMeasure {
 protected:
  std::vector<FactoredMeasurePtr> make_factored() const {
    std::vector<FactoredMeasurePtr> result;
    for (const CatalogEntry& convention : convention_catalog())
      result.push_back(make_trainable(GetParam(), make_convention(convention.name)));
    return result;
  }
};

TEST_P(EveryMeasure, KeepsItsSpelling) {
  for (const auto& measure : make()) EXPECT_EQ(measure->name(), GetParam());
}

TEST_P(EveryMeasure, HasAValueForAllRankingsOfAQueryOrForNone) {
  for (const auto& measure : make())
    for (const auto& labels : difficult_labels()) {
      const bool answers = measure->evaluate(labels, Ranking{}).has_value();
      for_each_ranking(labels.size(), [&](const Ranking& ranking) {
        const std::optional<double> value = measure->evaluate(labels, ranking);
        ASSERT_EQ(value.has_value(), answers);
        ASSERT_TRUE(std::isfinite(value.value_or(0)));
      });
    }
}

TEST_P(EveryMeasure, StaysWithinItsScale) {
  for (const auto& measure : make())
    for (const auto& labels : difficult_labels())
      for_each_ranking(labels.size(), [&](const Ranking& ranking) {
        const double bound = measure->normalised() ? 1 + kTolerance : std::numeric_limits<double>::infinity();
        ASSERT_LE(measure->evaluate(labels, ranking).value_or(0), bound);
      });
}

TEST_P(EveryMeasure, IsBestWhenLabelsDecrease) {
  for (const auto& measure : make())
    for (const auto& labels : difficult_labels()) {
      Ranking ideal(labels.size());
      std::iota(ideal.begin(), ideal.end(), 0u);
      std::stable_sort(ideal.begin(), ideal.end(),
                       [&](std::uint32_t i, std::uint32_t j) { return labels[i] > labels[j]; });
      const double best = measure->evaluate(labels, ideal).value_or(0);
      for_each_ranking(labels.size(), [&](const Ranking& ranking) {
        ASSERT_LE(measure->evaluate(labels, ranking).value_or(0), best + kTolerance);
      });
    }
}

// The mean and the least value over all orders of tied documents.
struct TieOrders {
  double mean = 0, least = std::numeric_limits<double>::infinity();
};

TieOrders enumerate_ties(const Measure& measure, Labels labels, const std::vector<double>& scores) {
  TieOrders result;
  std::size_t count = 0;
  for_each_tie_order(scores, [&](const Ranking& ranking) {
    const double value = measure.evaluate(labels, ranking).value_or(0);
    result.mean += value;
    result.least = std::min(result.least, value);
    ++count;
  });
  result.mean /= static_cast<double>(count);
  return result;
}

const std::vector<std::vector<double>> kTiePatterns = {
    {1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 0}, {1, 1, 0, 0, 0, 0}, {0, 3, 0, 3, 2, 2}, {6, 5, 4, 3, 2, 1}};

TEST_P(EveryMeasure, AgreesWithEnumerationOfTieOrders) {
  for (const auto& measure : make()) {
    for (const auto& labels : difficult_labels()) {
      for (auto scores : kTiePatterns) {
        scores.resize(labels.size());
        const TieOrders truth = enumerate_ties(*measure, labels, scores);
        const ScoredQuery query{"q", labels, scores};
        RankedQuery ranked;
        if (!measure->needs_order()) {
          rank(query, Ties::expected, ranked);
          ASSERT_NEAR(measure->expected(labels, ranked.view()).value_or(0), truth.mean, kTolerance);
        }
        if (measure->name() == "g") continue;  // a better order among ties can lower it, as in trec_eval
        rank(query, Ties::worst, ranked);
        ASSERT_NEAR(measure->expected(labels, ranked.view()).value_or(0), truth.least, kTolerance);
      }
    }
  }
}

TEST_P(EveryTrainable, HasFactorsOfTheRightShape) {
  for (const auto& measure : make_factored())
    for (const auto& labels : difficult_labels()) {
      const Factors factors = measure->factor(labels);
      ASSERT_EQ(factors.a.size(), labels.size());
      ASSERT_EQ(factors.b.size(), labels.size());
      for (std::size_t j = 0; j < labels.size(); ++j) {
        ASSERT_GE(factors.a[j], 0);
        ASSERT_GE(factors.b[j], 0);
        ASSERT_LE(factors.a[j], factors.a[j > 0 ? j - 1 : 0]);
        ASSERT_TRUE(factors.kind == Factors::Kind::sum || factors.b[j] == 0 || factors.b[j] == 1);
      }
    }
}

TEST_P(EveryTrainable, ValueIsTheSumOrTheFirstOfItsFactors) {
  for (const auto& measure : make_factored())
    for (const auto& labels : difficult_labels()) {
      const Factors factors = measure->factor(labels);
      double best = 0;
      for_each_ranking(labels.size(), [&](const Ranking& ranking) {
        double sum = 0, first = 0;
        for (std::size_t j = 0; j < ranking.size(); ++j) {
          const double term = factors.a[j] * factors.b[ranking[j]];
          sum += term;
          first = std::max(first, term);
        }
        const double truth = factors.kind == Factors::Kind::sum ? sum : first;
        ASSERT_NEAR(value(factors, ranking), truth, kTolerance);
        ASSERT_NEAR(measure->evaluate(labels, ranking).value_or(0), truth, kTolerance);
        best = std::max(best, truth);
      });
      ASSERT_NEAR(ideal_value(factors), best, kTolerance);
    }
}

// Best labels as 1, others as 0, those not judged as they are.
std::vector<float> best_or_not(const std::vector<float>& labels) {
  const float best = *std::max_element(labels.begin(), labels.end());
  std::vector<float> result;
  for (float label : labels) result.push_back(label < 0 ? label : label > 0 && label == best ? 1.0f : 0.0f);
  return result;
}

TEST(BestRelevant, IsTheMeasureOfBestLabelsAgainstTheOthersUnderEveryConvention) {
  for (const CatalogEntry& entry : measure_catalog()) {
    if (!takes_relevance(entry)) continue;
    const std::string example(entry.example);
    const auto plain = make_measure(example);
    for (const char* name : {"standard", "mslr", "trec"}) {
      const auto best = make_measure(with_best_relevant(example), make_convention(name));
      for (const auto& labels : difficult_labels())
        for_each_ranking(labels.size(), [&](const Ranking& ranking) {
          ASSERT_EQ(best->evaluate(labels, ranking), plain->evaluate(best_or_not(labels), ranking)) << example;
        });
    }
  }
}

TEST(BestRelevant, ReciprocalRankIsThatOfTheFirstDocumentWithTheBestLabel) {
  for (const std::size_t n : {1u, 2u, 100u}) {
    const auto measure = make_trainable("mrr@" + std::to_string(n) + ":rel=best");
    for (const auto& labels : difficult_labels()) {
      const float best = *std::max_element(labels.begin(), labels.end());
      for_each_ranking(labels.size(), [&](const Ranking& ranking) {
        std::size_t rank = 1;
        while (labels[ranking[rank - 1]] != best) ++rank;
        const double truth = rank <= n ? 1.0 / static_cast<double>(rank) : 0;
        ASSERT_EQ(measure->evaluate(labels, ranking), best > 0 ? std::optional(truth) : std::nullopt);
      });
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalog, EveryMeasure, testing::ValuesIn(all_spellings(false)), test::case_name);
INSTANTIATE_TEST_SUITE_P(Catalog, EveryTrainable, testing::ValuesIn(all_spellings(true)), test::case_name);

}  // namespace
}  // namespace dorm
