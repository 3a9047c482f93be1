// SPDX-License-Identifier: Apache-2.0
// Ties refer to the rows of the input, wherever documents stand: the problem over shards is the one in memory.
#include <gtest/gtest.h>

#include <numeric>

#include "base/rng.h"
#include "dorm/data/prepare.h"
#include "dorm/evaluate.h"
#include "dorm/train.h"
#include "learning/risk/targets.h"

namespace dorm {
namespace {

// Documents by falling first feature, the first four of six relevant: their order in the file says much.
Dataset tied_data() {
  Rng rng(1);
  DatasetBuilder builder;
  for (int q = 0; q < 20; ++q)
    for (int d = 0; d < 6; ++d) {
      const float row[] = {static_cast<float>(5 - d + 0.2 * rng.normal()), static_cast<float>(rng.normal())};
      builder.add({d < 4 ? 1.0f : 0.0f, std::to_string(q)}, row);
    }
  return builder.finish();
}

double primal_of(const Dataset& data, Bound bound, const char* solver) {
  TrainOptions options;
  options.bound = bound;
  options.decay = "power:0.5";
  options.scale = "none";
  options.start = InitialModel::ridge;
  options.rounds = 1;
  options.solve.solver = parse_solver(solver);
  options.solve.tolerance = 1e-6;
  options.compute.threads = 1;
  return train(data, options).model.certificate.primal;
}

TEST(TieOrder, EveryBoundOverShardsIsTheOneInMemory) {
  const Dataset data = tied_data(), ordered = in_canonical_order(data);
  for (const CatalogEntry& entry : bound_catalog()) {
    const Bound bound = parse_bound(entry.name);
    const double optimum = primal_of(data, bound, "bcda");
    EXPECT_NEAR(primal_of(data, bound, "shards"), optimum, 3e-6 * optimum) << entry.name;
    EXPECT_NEAR(primal_of(ordered, bound, "bcda"), optimum, 3e-6 * optimum) << entry.name;
  }
}

// What each document stands for, by its row in the input.
template <class Number>
std::vector<Number> by_row(const Dataset& data, const std::vector<Number>& values) {
  std::vector<Number> out(values.size());
  for (std::size_t d = 0; d < values.size(); ++d) out[data.source_row(d)] = values[d];
  return out;
}

TEST(TieOrder, LabelsByAFeatureBreakTiesByRow) {
  DatasetBuilder builder;
  const float values[] = {0, 1, 0, 1, 0};
  for (int d = 0; d < 5; ++d) {
    const float row[] = {values[d], static_cast<float>(-d)};
    builder.add({1, "q"}, row);
  }
  const Dataset data = builder.finish(), ordered = in_canonical_order(data);
  ASSERT_NE(ordered.source_row(0), 0u);
  const std::vector<float> expected = {3, 5, 2, 4, 1};
  EXPECT_EQ(by_row(data, labels_by_feature(data, "1")), expected);
  EXPECT_EQ(by_row(ordered, labels_by_feature(ordered, "1")), expected);
}

TEST(TieOrder, EvaluationBreaksTiesByRow) {
  const Dataset data = tied_data(), ordered = in_canonical_order(data);
  const auto table = [](const Dataset& of, const char* ties) {
    const std::vector<std::string> measures = {"ndcg@3", "mrr", "map"};
    const std::vector<double> scores(of.num_documents(), 0.5);
    const EvaluationTable found = evaluate(of, scores, measures, {.ties = ties, .bootstrap = 0, .threads = 1});
    return std::vector{found.measures[0].mean, found.measures[1].mean, found.measures[2].mean};
  };
  EXPECT_EQ(table(data, "index")[1], 1.0);  // the first row of each query is relevant
  for (const char* ties : {"index", "worst"}) EXPECT_EQ(table(ordered, ties), table(data, ties)) << ties;
}

}  // namespace
}  // namespace dorm
