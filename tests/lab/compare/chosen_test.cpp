// SPDX-License-Identifier: Apache-2.0
// Which setting of a baseline a comparison shows.
#include <gtest/gtest.h>

#include "base/rng.h"
#include "dorm/evaluate.h"
#include "dorm/lab/comparison.h"

namespace dorm {
namespace {

// One document of ten is relevant, and one of 21 features says a little of it: a weak classifier explains next to
// nothing and ranks no worse than one that fits the noise.
Dataset rare(std::uint64_t seed) {
  Rng rng(seed);
  DatasetBuilder builder;
  for (std::size_t i = 0; i < 400; ++i) {
    const float label = rng.uniform() < 0.1 ? 1.0f : 0.0f;
    std::vector<float> row(21);
    for (float& value : row) value = static_cast<float>(rng.normal());
    row[0] += 0.7f * label;
    builder.add({label, std::to_string(i / 20)}, row);
  }
  return builder.finish();
}

TEST(Comparison, ABaselineIsChosenByValidationWhateverItsExplainedRisk) {
  ComparisonOptions options;
  options.measures = {"ndcg@3"};
  options.equal_candidates = false;
  options.threads = 1;
  options.methods = {"crammer-singer:classes=balanced"};
  options.C = {0.01, 100};
  int degenerate = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const std::vector<DataSplit> split = {{rare(3 * seed), rare(3 * seed + 1), rare(3 * seed + 2)}};
    std::vector<double> valid, explained;
    for (const double C : options.C) {
      const Model model = train_method(split[0].train, options.methods[0], {.C = C, .compute = {.threads = 1}}).model;
      const std::vector<std::string> ndcg = {"ndcg@3"};
      valid.push_back(evaluate(split[0].valid, score(model, split[0].valid), ndcg).measures[0].mean);
      explained.push_back(model.explained_risk);
    }
    if (valid[0] == valid[1]) continue;
    const std::size_t best = valid[0] > valid[1] ? 0 : 1;
    const ComparisonFigure figure = run_comparison(split, options).rows[0].figures[0];
    EXPECT_EQ(figure.chosen[0], best == 0 ? "C=0.01" : "C=100");
    EXPECT_EQ(figure.degenerate, explained[best] < kDegenerate);
    if (explained[best] < kDegenerate && explained[1 - best] > kDegenerate) ++degenerate;
  }
  EXPECT_GT(degenerate, 1);
}

}  // namespace
}  // namespace dorm
