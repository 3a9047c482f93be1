// SPDX-License-Identifier: Apache-2.0
#include "dorm/fusion/fuse.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/fusion/fused_model.h"
#include "learning/matrix/independent_optimum.h"
#include "learning/risk/ranking_risk.h"

namespace dorm {
namespace {

FusionInput input_of(std::size_t runs) {
  FusionInput input;
  for (std::size_t r = 0; r < runs; ++r) input.runs.push_back(fmt::format("r{}", r));
  return input;
}

struct Problem {
  std::vector<NamedRun> runs;
  std::vector<Judgment> judgments;
};

/// Scores on a coarse grid, so that there are ties; run r finds relevant documents the better the larger `skill`.
Problem random_problem(std::uint64_t seed, std::size_t runs, std::size_t queries, std::size_t documents, double skill,
                       double levels = 8) {
  Rng rng(seed);
  Problem problem;
  for (std::size_t r = 0; r < runs; ++r) problem.runs.push_back({fmt::format("r{}", r), {}});
  for (std::size_t q = 0; q < queries; ++q) {
    const std::string id = fmt::format("q{}", q);
    for (std::size_t d = 0; d < documents; ++d) {
      const std::string document = fmt::format("d{}", d);
      const auto label = static_cast<float>(rng.below(4) == 0 ? 1 + rng.below(2) : 0);
      if (rng.below(3) > 0 || d == 0) problem.judgments.push_back({id, document, label});
      for (std::size_t r = 0; r < runs; ++r)
        if (rng.below(4) > 0)
          problem.runs[r].entries.push_back(
              {id, document,
               std::floor(levels * (rng.uniform() + skill * static_cast<double>(r + 1) * static_cast<double>(label)))});
    }
  }
  return problem;
}

double measured(const JoinedRuns& joined, std::span<const double> weights, const FuseOptions& options) {
  const std::vector<double> scores = fused_scores(joined.data, weights);
  std::vector<RunEntry> run;
  std::vector<Judgment> judgments;
  for (std::size_t q = 0; q < joined.judged_queries; ++q) {
    const Query query = joined.data.query(q);
    for (std::size_t d = query.first_document; d < query.first_document + query.size(); ++d) {
      run.push_back({std::string(query.id), std::string(joined.data.document_id(d)), scores[d]});
      if (joined.judged[d])
        judgments.push_back({run.back().query, run.back().document, query.labels[d - query.first_document]});
    }
    for (std::size_t k = 0; k < joined.missed[q].size(); ++k)
      judgments.push_back({std::string(query.id), fmt::format("missed {}", k), joined.missed[q][k]});
  }
  const std::vector<std::string> measures = {options.measure};
  EvaluateOptions evaluate_options;
  evaluate_options.convention = options.convention;
  evaluate_options.complete = true;
  evaluate_options.bootstrap = 0;
  return evaluate_run(judgments, run, measures, evaluate_options).measures.front().mean;
}

/// All weights of the first run where two documents of a query are equal, and both ends.
std::vector<double> meeting_points(const JoinedRuns& joined) {
  std::set<double> points = {0, 1};
  for (std::size_t q = 0; q < joined.judged_queries; ++q) {
    const Query query = joined.data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double a = double(query.rows.at(i, 0)) - double(query.rows.at(j, 0));
        const double b = double(query.rows.at(i, 1)) - double(query.rows.at(j, 1));
        if (a - b != 0 && -b / (a - b) > 0 && -b / (a - b) < 1) points.insert(-b / (a - b));
      }
  }
  return {points.begin(), points.end()};
}

TEST(SweepWeights, EqualsAllMeetingPointsOfRandomProblems) {
  const char* measures[] = {"ndcg@3", "ndcg@10", "mrr", "precision@5"};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Problem problem = random_problem(seed, 2, 1 + seed % 3, 5 + seed % 7, 0.1);
    const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(2), {.threads = 1});
    FuseOptions options;
    options.measure = measures[seed % 4];
    options.threads = 1;
    const SweptWeights swept = sweep_weights(joined, judged_queries(joined), {0.5, 0.5}, options);
    const std::vector<double> points = meeting_points(joined);
    double best = 0;
    for (std::size_t k = 1; k < points.size(); ++k) {
      const double first = (points[k - 1] + points[k]) / 2;
      if (points[k] - points[k - 1] >= 1e-9)
        best = std::max(best, measured(joined, std::vector<double>{first, 1 - first}, options));
    }
    ASSERT_NEAR(swept.value, best, 1e-12) << "seed " << seed;
    ASSERT_NEAR(measured(joined, swept.weights, options), best, 1e-12) << "seed " << seed;
    ASSERT_TRUE(swept.exact);
  }
}

TEST(SweepWeights, OfMoreRunsNeverEndsBelowItsStart) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Problem problem = random_problem(seed, 4, 5, 12, 0.1, 50);
    const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(4), {.threads = 1});
    FuseOptions options;
    options.threads = 1;
    const std::vector<double> start = equal_weights(joined.input);
    const SweptWeights swept = sweep_weights(joined, judged_queries(joined), start, options);
    EXPECT_GE(swept.value, measured(joined, start, options) - 1e-12);
    EXPECT_NEAR(swept.value, measured(joined, swept.weights, options), 1e-12);
    EXPECT_FALSE(swept.exact);
    double sum = 0;
    for (const double weight : swept.weights) {
      EXPECT_GE(weight, 0);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

/// The constrained optimum: that over some of the columns, where its weights are 0 or more. All sets of columns are
/// tried, each solved without constraints.
double least_over_faces(const Dataset& data, const FactoredMeasure& measure, Bound bound, double C) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t face = 0; face < std::size_t{1} << data.num_features(); ++face) {
    std::vector<test::ListedQuery> queries;
    std::size_t columns = 0;
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      const Query query = data.query(q);
      queries.push_back({1, {query.labels.begin(), query.labels.end()}, {}});
      for (std::size_t i = 0; i < query.size(); ++i) {
        std::vector<double>& row = queries.back().rows.emplace_back();
        for (std::size_t j = 0; j < data.num_features(); ++j)
          if (face >> j & 1) row.push_back(static_cast<double>(query.rows.at(i, j)));
        columns = row.size();
      }
    }
    const test::IndependentProblem problem(queries, measure, Decay("measure"), bound, std::vector<double>(columns, 0.0),
                                           C);
    if (problem.empty()) return 0;
    const auto& w = problem.weights();
    if (problem.gap() < 1e-8 && std::all_of(w.begin(), w.end(), [](double x) { return x >= 0; }))
      least = std::min(least, problem.optimum());
  }
  return least;
}

TEST(LearnWeights, SolveTheConstrainedProblemOfRandomFusions) {
  std::size_t bounded = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    // With negative skill some runs are worse than nothing, so that constraints hold weights at 0.
    const Problem problem = random_problem(seed, 2 + seed % 3, 3, 5, seed % 2 == 0 ? 0.1 : -0.3, 50);
    const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(2 + seed % 3), {.threads = 1});
    const auto measure = make_trainable(seed % 2 == 0 ? "ndcg@3" : "ndcg@10", make_convention("trec"));
    const Bound bound = seed % 3 == 0 ? Bound::given : Bound::average;
    LinearFeatures features(joined.data);
    features.set_signs(std::vector<std::int8_t>(joined.data.num_features(), 1));
    RankingRisk risk(features, *measure, Decay("measure"), 1);
    if (risk.num_blocks() == 0) continue;
    risk.set_trade_off(3);
    risk.set_reference(bound, std::vector<double>(risk.dimension(), 0.0));
    const SolveResult solved = solve(risk, {.tolerance = 2e-7, .max_passes = 5000});
    const double truth = least_over_faces(joined.data, *measure, bound, 3);
    ASSERT_NEAR(solved.report.primal, truth, 1e-6 * truth) << "seed " << seed;
    bounded += std::any_of(solved.w.begin(), solved.w.end(), [](double x) { return x == 0; });
  }
  EXPECT_GT(bounded, 50u);  // constraints matter
}

/// Run 0 is right for short queries, run 1 for long ones.
struct TwoKinds {
  Problem problem;
  SideFeatures queries{{"length"}, {}, {}};
};

TwoKinds two_kinds(std::uint64_t seed, std::size_t queries) {
  Rng rng(seed);
  TwoKinds world;
  world.problem.runs = {{"r0", {}}, {"r1", {}}};
  for (std::size_t q = 0; q < queries; ++q) {
    const std::string id = fmt::format("q{}", q);
    const double length = 1 + static_cast<double>(rng.below(10));
    world.queries.ids.add(id);
    world.queries.values.push_back(length);
    for (std::size_t d = 0; d < 20; ++d) {
      const std::string document = fmt::format("d{}", d);
      const auto label = static_cast<float>(rng.below(4) == 0);
      world.problem.judgments.push_back({id, document, label});
      for (std::size_t r = 0; r < 2; ++r) {
        const bool knows = (r == 0) == (length <= 5);
        world.problem.runs[r].entries.push_back(
            {id, document, rng.uniform() + (knows ? 0.6 * static_cast<double>(label) : 0)});
      }
    }
  }
  return world;
}

TEST(LearnWeights, ByQueryFindTheRunThatIsRightForIt) {
  const TwoKinds world = two_kinds(4, 60);
  FusionInput input = input_of(2);
  input.query_features = query_features_of(world.queries, world.problem.judgments);
  const JoinedRuns joined =
      join_runs(world.problem.runs, world.problem.judgments, input, {.threads = 1, .query_features = &world.queries});
  const FusedWeights fused = learn_weights(joined);
  const auto at = [&](double share) { return input.weights_at(fused.weights, std::vector<double>{share}); };
  EXPECT_GT(at(0)[0], 2 * at(0)[1]);
  EXPECT_GT(at(1)[1], 2 * at(1)[0]);
  const std::vector<double> mean = mean_weights(joined, judged_queries(joined), fused.weights);
  EXPECT_NEAR(mean[0] + mean[1], 1, 1e-9);
  for (double share = 0; share <= 1; share += 0.05)
    for (const double weight : at(share)) EXPECT_GE(weight, 0);
  const FusionEvidence evidence = evaluate_fusion(joined, world.problem.runs);
  EXPECT_EQ(evidence.kinds.back(), FusionRowKind::by_query);
  EXPECT_GT(evidence.by_query.low, 0);
  // The row of global weights is that of an evaluation that knows nothing of query features.
  const JoinedRuns plain = join_runs(world.problem.runs, world.problem.judgments, input_of(2), {.threads = 1});
  const FusionEvidence without = evaluate_fusion(plain, world.problem.runs);
  EXPECT_EQ(evidence.table.rows[evidence.row(FusionRowKind::learnt)].table.measures.front().per_query,
            without.table.rows[without.row(FusionRowKind::learnt)].table.measures.front().per_query);
}

TEST(LearnWeights, ScoresByQueryAreThoseOfTheWeightsOfTheQuery) {
  const TwoKinds world = two_kinds(5, 30);
  FusionInput input = input_of(2);
  input.query_features = query_features_of(world.queries, world.problem.judgments);
  const JoinedRuns joined =
      join_runs(world.problem.runs, world.problem.judgments, input, {.threads = 1, .query_features = &world.queries});
  const FusedWeights fused = learn_weights(joined);
  const std::vector<double> scores = fused_scores(joined.data, fused.weights);
  for (std::size_t q = 0; q < joined.data.num_queries(); ++q) {
    const Query query = joined.data.query(q);
    const double share = (world.queries.values[q] - input.query_features[0].low) /
                         (input.query_features[0].high - input.query_features[0].low);
    const std::vector<double> own = input.weights_at(fused.weights, std::vector<double>{share});
    for (std::size_t i = 0; i < query.size(); ++i)
      EXPECT_NEAR(scores[query.first_document + i],
                  own[0] * double(query.rows.at(i, 0)) + own[1] * double(query.rows.at(i, 1)), 1e-6);
  }
}

TEST(LearnWeights, BlendsWithEqualOnesByTheNumberOfQueries) {
  const Problem problem = random_problem(7, 3, 30, 20, 0.2, 1000);
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(3), {.threads = 1});
  const FusedWeights fused = learn_weights(joined);
  EXPECT_DOUBLE_EQ(fused.share,
                   static_cast<double>(fused.usable_queries) / (static_cast<double>(fused.usable_queries) + 10));
  double sum = 0;
  for (std::size_t r = 0; r < 3; ++r) {
    EXPECT_GE(fused.learnt[r], 0);
    EXPECT_NEAR(fused.weights[r], fused.share * fused.learnt[r] + (1 - fused.share) / 3, 1e-15);
    sum += fused.weights[r];
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_GT(fused.weights[2], fused.weights[0]);  // the better run
}

TEST(LearnWeights, OfNothingToLearnAreEqual) {
  const std::vector<NamedRun> runs = {{"r0", {{"q", "d1", 1}, {"q", "d2", 2}}}, {"r1", {{"q", "d1", 3}}}};
  const std::vector<Judgment> judgments = {{"q", "d1", 0}, {"q", "d9", 1}};
  const JoinedRuns joined = join_runs(runs, judgments, input_of(2));
  const FusedWeights fused = learn_weights(joined);
  EXPECT_EQ(fused.usable_queries, 0u);
  EXPECT_EQ(fused.weights, (std::vector<double>{0.5, 0.5}));
}

TEST(LearnWeights, AreTheSameOnAnyNumberOfThreads) {
  const Problem problem = random_problem(3, 3, 40, 15, 0.2, 1000);
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(3), {.threads = 1});
  FuseOptions one, four;
  one.threads = 1;
  four.threads = 4;
  EXPECT_EQ(learn_weights(joined, one).weights, learn_weights(joined, four).weights);
}

TEST(EvaluateFusion, RowsOfRunsAreThoseOfEvaluateRun) {
  const Problem problem = random_problem(5, 3, 20, 30, 0.2, 1000);
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(3));
  FuseOptions options;
  const FusionEvidence evidence = evaluate_fusion(joined, problem.runs, options);
  ASSERT_EQ(evidence.table.rows.size(), 6u);
  EXPECT_EQ(evidence.folds, 5u);
  EvaluateOptions evaluate_options;
  evaluate_options.convention = "trec";
  evaluate_options.complete = true;
  const std::vector<std::string> measures = {"ndcg@10", "judged@10"};
  for (std::size_t r = 0; r < 3; ++r) {
    const EvaluationTable expected =
        evaluate_run(problem.judgments, problem.runs[r].entries, measures, evaluate_options);
    EXPECT_EQ(evidence.table.rows[r].table.measures.front().per_query, expected.measures[0].per_query);
    EXPECT_DOUBLE_EQ(evidence.judged[r], expected.measures[1].mean);
    EXPECT_GE(evidence.if_good[r], expected.measures[0].mean);
  }
  EXPECT_EQ(evidence.table.reference, evidence.row(FusionRowKind::mean));
}

TEST(EvaluateFusion, HoldsOutTheQueriesOfAFold) {
  const Problem problem = random_problem(9, 2, 12, 15, 0.2, 1000);
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(2));
  FuseOptions options;
  options.folds = 12;  // one query each
  const FusionEvidence evidence = evaluate_fusion(joined, problem.runs, options);
  ASSERT_EQ(evidence.fold_weights.size(), 12u);
  const MeasureResult& learnt = evidence.table.rows[evidence.row(FusionRowKind::learnt)].table.measures.front();
  for (std::size_t q = 0; q < 12; ++q) {
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < 12; ++k)
      if (k != q) others.push_back(k);
    const std::vector<double> weights = learn_weights(joined, others, options).weights;
    EXPECT_NE(std::find(evidence.fold_weights.begin(), evidence.fold_weights.end(), weights),
              evidence.fold_weights.end());
    const WeightLine line{weights, std::vector<double>(weights.size(), 0)};
    const std::vector<std::size_t> one = {q};
    EXPECT_NEAR(learnt.per_query[q], maximise_on_line(joined, one, line, 0, 1, options).value, 1e-12);
  }
}

TEST(EvaluateFusion, StopsWithoutALearntRow) {
  const Problem problem = random_problem(9, 2, 12, 15, 0.2, 1000);
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(2));
  const FusionEvidence evidence =
      evaluate_fusion(joined, problem.runs, {}, [](std::size_t done, std::size_t) { return done < 2; });
  EXPECT_FALSE(evidence.finished);
  EXPECT_EQ(evidence.table.rows.size(), 4u);
}

TEST(QueriesNeeded, IsTheSquareOfErrorsOverTheEffect) {
  // Differences 1 and -0.5: mean 0.25, variance 1.125; (1.959964 + 0.841621)^2 * 1.125 / 0.0625 = 141.3.
  const std::vector<double> a = {1, 0}, b = {0, 0.5};
  EXPECT_EQ(queries_needed(a, b), 142u);
  EXPECT_EQ(queries_needed(a, a), 0u);
}

TEST(DocumentsToJudge, AreThoseThatRunsDisagreeOn) {
  const std::vector<NamedRun> runs = {{"r0", {{"q", "both", 3}, {"q", "one", 2}, {"q", "none", 1}}},
                                      {"r1", {{"q", "both", 3}, {"q", "none", 2}}}};
  const JoinedRuns joined = join_runs(runs, {}, input_of(2));
  const std::vector<DocumentToJudge> found = documents_to_judge(joined, 10, 2);
  ASSERT_EQ(found.size(), 1u);  // "both" is first in both, and "none" last
  EXPECT_EQ(found[0].document, "one");
  EXPECT_DOUBLE_EQ(found[0].disagreement, 1 / std::log2(3.0));
}

TEST(FusedModel, ComesBackFromItsFile) {
  const Problem problem = random_problem(7, 3, 30, 20, 0.2, 1000);
  FusionInput input = input_of(3);
  input.scale = FusionScale::zscore;
  input.absent = Absent::below;
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input, {.threads = 1});
  const FusedWeights fused = learn_weights(joined);
  const std::string text = to_json(FusedModel{fused.model, input});
  const std::optional<FusedModel> back = fused_model_from_json(text, "f.json");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->input.runs, input.runs);
  EXPECT_EQ(back->input.scale, input.scale);
  EXPECT_EQ(back->input.absent, input.absent);
  EXPECT_EQ(score(back->model, joined.data), score(model_from_json(text, "f.json"), joined.data));
  EXPECT_EQ(score(back->model, joined.data), fused_scores(joined.data, fused.weights));
  EXPECT_FALSE(fused_model_from_json(to_json(fused.model), "m.json"));
  EXPECT_TRUE(back->input.query_features.empty());
  std::string broken = text;
  broken.replace(broken.find("zscore"), 6, "zz");
  EXPECT_THROW(fused_model_from_json(broken, "f.json"), Error);
}

TEST(FusedModel, KeepsItsQueryFeatures) {
  const TwoKinds world = two_kinds(6, 20);
  FusionInput input = input_of(2);
  input.query_features = query_features_of(world.queries, world.problem.judgments);
  const JoinedRuns joined =
      join_runs(world.problem.runs, world.problem.judgments, input, {.threads = 1, .query_features = &world.queries});
  const FusedWeights fused = learn_weights(joined);
  const std::string text = to_json(FusedModel{fused.model, input, joined.low, joined.high});
  const std::optional<FusedModel> back = fused_model_from_json(text, "f.json");
  ASSERT_TRUE(back);
  ASSERT_EQ(back->input.query_features.size(), 1u);
  EXPECT_EQ(back->input.query_features[0].name, "length");
  EXPECT_EQ(back->input.query_features[0].low, input.query_features[0].low);
  EXPECT_EQ(back->input.query_features[0].high, input.query_features[0].high);
  EXPECT_EQ(back->model.features, (std::vector<std::string>{"r0", "r1", "r0 * length", "r1 * length",
                                                            "r0 * (1 - length)", "r1 * (1 - length)"}));
  EXPECT_EQ(score(back->model, joined.data), fused_scores(joined.data, fused.weights));
  std::string broken = text;
  broken.replace(broken.find("\"high\""), 6, "\"hugh\"");
  EXPECT_THROW(fused_model_from_json(broken, "f.json"), Error);
}

}  // namespace
}  // namespace dorm
