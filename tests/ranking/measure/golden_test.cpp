// SPDX-License-Identifier: Apache-2.0
// Values worked out by hand, for each measure and each convention. The ranking is the order of the labels as written;
// the arithmetic stands beside each case.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "dorm/evaluate.h"

namespace dorm {
namespace {

const double kLog3 = std::log2(3.0);  // 1.58496
const double kLog5 = std::log2(5.0);  // 2.32193
const double kSkipped = std::numeric_limits<double>::quiet_NaN();

struct Golden {
  std::string convention, measure;
  std::vector<float> labels;
  double value;
};

void check(const std::vector<Golden>& goldens) {
  for (const Golden& golden : goldens) {
    std::vector<double> scores(golden.labels.size());
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] = -static_cast<double>(i);
    const std::vector<ScoredQuery> queries = {{"q", golden.labels, scores}};
    const std::vector<std::string> names = {golden.measure};
    EvaluateOptions options;
    options.convention = golden.convention;
    options.bootstrap = 0;
    options.threads = 1;
    SCOPED_TRACE(golden.measure + " under " + golden.convention + " of " + testing::PrintToString(golden.labels));
    const MeasureResult result = evaluate(queries, names, options).measures[0];
    if (std::isnan(golden.value)) {
      EXPECT_EQ(result.skipped, 1u);
      EXPECT_TRUE(std::isnan(result.mean));
    } else {
      EXPECT_NEAR(result.mean, golden.value, 1e-14);
    }
  }
}

// Gains of 0 2 1 0 are 0 3 1 0, of the best order 3 1 0 0.
TEST(Golden, GainMeasuresUnderTheStandardConvention) {
  const double dcg = 3 / kLog3 + 1.0 / 2;  // discounts 1, 1/log2 3, 1/log2 4
  const double ideal = 3 + 1 / kLog3;
  check({
      {"standard", "dcg", {0, 2, 1, 0}, dcg},
      {"standard", "ndcg", {0, 2, 1, 0}, dcg / ideal},
      {"standard", "ndcg@1", {0, 2, 1, 0}, 0},
      {"standard", "ndcg@2", {0, 2, 1, 0}, 3 / kLog3 / ideal},
      {"standard", "ndcg@10", {0, 2, 1, 0}, dcg / ideal},
      {"standard", "ndcg:gain=linear", {0, 2, 1, 0}, (2 / kLog3 + 0.5) / (2 + 1 / kLog3)},
      {"standard", "ndcg:gains=0/1/10", {0, 2, 1, 0}, (10 / kLog3 + 0.5) / (10 + 1 / kLog3)},
      {"standard", "ndcg:discount=letor", {0, 2, 1, 0}, (3 + 1 / kLog3) / 4},
      {"standard", "ndcg", {-1, 1}, 1 / kLog3},                           // unjudged gains nothing
      {"standard", "dcg", {0.5f, 0}, std::sqrt(2.0) - 1},                 // 2^0.5 - 1 at rank 1
      {"standard", "dcg:gains=0/1/5", {1.5f, 0}, 3},                      // halfway between 1 and 5
      {"standard", "custom:gains=0/1/3,discounts=1/.5", {1, 2, 2}, 2.5},  // 1*1 + .5*3, then nothing
      {"standard", "custom:gains=0/1/3,discounts=1/.5,normalised=yes", {1, 2, 2}, 2.5 / 4.5},
  });
}

TEST(Golden, OtherMeasuresUnderTheStandardConvention) {
  check({
      {"standard", "wta", {2, 1, 2, 0}, 1},
      {"standard", "wta", {1, 2, 0}, 0},
      {"standard", "mrr", {0, 0, 1, 2}, 1.0 / 3},
      {"standard", "mrr@2", {0, 0, 1, 2}, 0},
      {"standard", "mrr:rel=2", {0, 0, 1, 2}, 1.0 / 4},
      {"standard", "mrr:rel=best", {0, 1, 0, 2}, 1.0 / 4},
      {"mslr", "mrr:rel=best", {0, 1, 0, 1}, 1.0 / 2},  // though the convention calls labels from 2 on relevant
      {"standard", "mrr:rel=best", {0, 0}, kSkipped},
      {"standard", "precision@2:rel=best", {3, 1, 2, 3}, 1.0 / 2},
      {"standard", "precision@2", {0, 2, 1, 0}, 0.5},
      {"standard", "precision@5", {0, 2, 1, 0}, 2.0 / 5},  // short list, still over 5
      {"standard", "precision@3:rel=2", {0, 2, 1, 0}, 1.0 / 3},
      {"standard", "recall@2", {0, 2, 1, 0}, 0.5},
      {"standard", "recall@9", {0, 2, 1, 0}, 1},
      {"standard", "map", {0, 2, 1, 0}, (1.0 / 2 + 2.0 / 3) / 2},
      {"standard", "map@2", {0, 2, 1, 0}, (1.0 / 2) / 2},  // over all relevant documents
      {"standard", "auc", {0, 2, 1, 0}, 2.0 / 4},          // both relevant above the last, below the first
      {"standard", "auc", {1, 0, 1, 0}, 3.0 / 4},
      // Pairs 0-2, 0-1 wrong, 2-1, 2-0, 1-0 right, 0-0 tied: (3 - 2) / sqrt(6 * 5).
      {"standard", "kendall", {0, 2, 1, 0}, 1 / std::sqrt(30.0)},
      {"standard", "kendall", {3, 2, 1}, 1},
      {"standard", "kendall", {1, 2, 3}, -1},
      // R = 3/16 for label 2, 1/16 for label 1: 3/16 / 2 + 13/16 * 1/16 / 3.
      {"standard", "err", {0, 2, 1, 0}, 3.0 / 32 + 13.0 / 768},
      {"standard", "err@2", {0, 2, 1, 0}, 3.0 / 32},
      {"standard", "err:max_grade=2", {2, 2}, 3.0 / 4 + 1.0 / 4 * 3 / 4 / 2},
      // Half-life 5: 2^(-j/4); labels less the neutral vote: 1 0 3.
      {"standard", "eru:half_life=5,neutral=2", {3, 1, 5}, 1 + 3 * std::exp2(-0.5)},
      {"standard", "neru:half_life=5,neutral=2", {3, 1, 5}, (1 + 3 * std::exp2(-0.5)) / (3 + std::exp2(-0.25))},
      {"standard", "eru:half_life=2", {0, 4}, 2},
  });
}

// 0 is judged not relevant, a negative label is not judged.
TEST(Golden, MeasuresOfTrecEval) {
  const double eps = 1e-5;  // the smoothing of infap
  check({
      {"standard", "success@1", {0, 2, 1, 0}, 0},
      {"standard", "success@2", {0, 2, 1, 0}, 1},
      {"standard", "success@2:rel=3", {0, 2, 3}, 0},
      {"standard", "rprec", {0, 2, 1, 0}, 1.0 / 2},
      {"standard", "rprec:mult=2", {0, 2, 1, 0}, 2.0 / 4},
      {"standard", "rprec:mult=5", {0, 2, 1, 0}, 2.0 / 10},  // past the end of the list
      {"standard", "rprec:mult=.5", {1, 0, 1, 1}, 1.0 / 2},  // 1.5 documents: rank 2
      {"standard", "rprec:mult=.01", {1, 0, 1, 1}, 1},       // at least rank 1
      {"standard", "relative-precision@1", {1, 1, 0}, 1},
      {"standard", "relative-precision@5", {0, 2, 1, 0}, 1},  // both relevant documents
      {"standard", "relative-precision@2", {0, 2, 1, 0}, 1.0 / 2},
      // Precision at the relevant documents: 1/2, 2/3, 3/5; from each on: 2/3, 2/3, 3/5.
      {"standard", "iprec:recall=0", {0, 1, 1, 0, 1}, 2.0 / 3},
      {"standard", "iprec:recall=.6", {0, 1, 1, 0, 1}, 2.0 / 3},  // 1.8 of 3 documents: 2
      {"standard", "iprec:recall=1", {0, 1, 1, 0, 1}, 3.0 / 5},
      {"standard", "iprec:recall=0/1", {0, 1, 1, 0, 1}, (2.0 / 3 + 3.0 / 5) / 2},
      {"standard", "iprec", {1, 0}, 1},
      // R = 2, two judged not relevant: the first relevant document has 1 of 2 above it, the second 2 of 2.
      {"standard", "bpref", {0, -1, 1, 0, 1}, (1.0 / 2 + 0) / 2},
      {"standard", "bpref", {-1, 1, -1, 1}, 1},       // nothing judged not relevant
      {"standard", "bpref:rel=2", {1, 2, 0}, 0},      // one of the first R = 1 stands above
      {"standard", "gbpref", {0, 1, 0, 1}, 1.0 / 4},  // of one query: its value
      {"standard", "gmap", {0, 1}, 1.0 / 2},
      {"standard", "gmap", {0, 0}, kSkipped},
      // Above the second relevant document: one relevant, one not judged, both of the pool.
      {"standard", "infap", {1, -1, 1}, (1 + (1 + 2 * (1 + eps) / (1 + 2 * eps)) / 3) / 2},
      {"standard", "infap", {0, 1}, (1 + eps / (1 + 2 * eps)) / 2},
      {"standard", "setp", {0, 2, 1, 0}, 1.0 / 2},
      {"standard", "setr", {0, 2, 1, 0}, 1},
      {"standard", "setf", {0, 2, 1, 0}, 2 * 0.5 / 1.5},
      {"standard", "setf:beta=2", {0, 2, 1, 0}, 5 * 0.5 / (4 * 0.5 + 1)},
      {"standard", "judged@2", {0, -1, 1}, 1.0 / 2},
      {"standard", "judged@9", {0, -1, 1}, 2.0 / 3},
      {"standard", "judged", {-1, -1}, 0},
  });
}

TEST(Golden, ModifiedWinnerTakesAllChoosesItsCutoffPerQuery) {
  check({
      // Best order 2 1 0 0 0: two labels among the top three, so ndcg@3.
      {"standard", "mwta", {0, 0, 2, 1, 0}, 3.0 / 2 / (3 + 1 / kLog3)},
      // Best order 1 1 1 1 0 0: one label among the top three, the next appears at rank 5, so ndcg@5.
      {"standard",
       "mwta",
       {0, 0, 1, 1, 1, 1},
       (1.0 / 2 + 1 / kLog5 + 1 / std::log2(6.0)) / (1 + 1 / kLog3 + 1.0 / 2 + 1 / kLog5)},
      {"standard", "mwta", {1, 1, 1, 1, 1}, 1},  // all labels equal: the whole list
      {"standard", "mwta", {0, 1}, 1 / kLog3},   // shorter than three
  });
}

// Under letor, discounts are 1, 1, 1/log2 3, 1/log2 4, ...
TEST(Golden, LetorDiscountsTheFirstTwoRanksAlike) {
  for (const std::string convention : {"letor3", "letor4", "mslr"})
    check({
        {convention, "ndcg@1", {0, 2, 1, 0}, 0},
        {convention, "ndcg@2", {0, 2, 1, 0}, 3.0 / 4},
        {convention, "ndcg@3", {0, 2, 1, 0}, (3 + 1 / kLog3) / 4},
        {convention, "ndcg@4", {0, 0, 1, 2}, (1 / kLog3 + 3.0 / 2) / 4},
    });
}

TEST(Golden, LetorListsShorterThanTheCutoff) {
  check({
      {"letor3", "ndcg@5", {2, 1, 0}, 0},
      {"letor4", "ndcg@5", {2, 1, 0}, 0},
      {"mslr", "ndcg@5", {2, 1, 0}, 0},
      {"letor3", "dcg@5", {2, 1, 0}, 0},
      {"standard", "ndcg@5", {2, 1, 0}, 1},
      {"letor3", "ndcg@3", {2, 1, 0}, 1},       // exactly as long as the cutoff
      {"letor4", "ndcg", {2, 1, 0}, 1},         // no cutoff, nothing is short
      {"letor3", "precision@5", {2, 1, 0}, 0},  // the 3.0 script leaves the position empty
      {"letor4", "precision@5", {2, 1, 0}, 2.0 / 5},
      {"mslr", "precision@5", {2, 1, 0}, 1.0 / 5},  // only label 2 is relevant
  });
}

TEST(Golden, RelevantMeansLabelTwoUnderMslr) {
  check({
      {"mslr", "map", {1, 2, 0}, 1.0 / 2},
      {"letor4", "map", {1, 2, 0}, 1},
      {"mslr", "map", {1, 1, 0}, 0},        // nothing relevant: 0, and counted
      {"mslr", "ndcg@3", {1, 1, 0}, 1},     // but something to gain
      {"mslr", "map:rel=1", {1, 2, 0}, 1},  // the spelling has the last word
  });
}

TEST(Golden, QueriesWithoutRelevantDocuments) {
  check({
      {"standard", "ndcg@10", {0, 0}, kSkipped},
      {"standard", "map", {0, -1}, kSkipped},
      {"standard", "wta", {0, 0}, kSkipped},
      {"standard", "err@10", {0, 0}, kSkipped},
      {"standard", "auc", {1, 1}, kSkipped},      // no pair
      {"standard", "kendall", {1, 1}, kSkipped},  // no pair of different labels
      {"standard", "eru:neutral=3", {3, 1}, kSkipped},
      {"letor3", "ndcg@2", {0, 0}, 0},
      {"letor4", "map", {0, 0}, 0},
      {"mslr", "precision@1", {0, 0}, 0},
      {"trec", "ndcg@10", {0, 0}, 0},
      {"sklearn", "ndcg@10", {0, 0}, 0},
      {"lightgbm", "ndcg@10", {0, 0}, 1},
      {"lightgbm", "map@10", {0, 0}, 1},
      {"xgboost", "ndcg@10", {0, 0}, 1},
      {"lightgbm", "dcg@10", {0, 0}, 0},  // not normalised: what there is to gain
  });
}

TEST(Golden, GainAndDenominatorOfTheOtherTools) {
  const double linear = (2 / kLog3 + 0.5) / (2 + 1 / kLog3);
  check({
      {"trec", "ndcg@10", {0, 2, 1, 0}, linear},
      {"sklearn", "ndcg@10", {0, 2, 1, 0}, linear},
      {"lightgbm", "ndcg@10", {0, 2, 1, 0}, (3 / kLog3 + 0.5) / (3 + 1 / kLog3)},
      {"lightgbm", "map@1", {1, 1, 1}, 1},      // over min(3 relevant, 1)
      {"trec", "map@1", {1, 1, 1}, 1.0 / 3},    // over all 3
      {"lightgbm", "map", {1, 0, 1}, 5.0 / 6},  // no cutoff: (1 + 2/3) / 2
  });
}

}  // namespace
}  // namespace dorm
