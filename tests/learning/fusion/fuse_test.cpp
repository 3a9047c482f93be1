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
    const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(2), 1);
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
    const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(4), 1);
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

TEST(LearnWeights, BlendsWithEqualOnesByTheNumberOfQueries) {
  const Problem problem = random_problem(7, 3, 30, 20, 0.2, 1000);
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(3), 1);
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
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input_of(3), 1);
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
    const ScoreLine line{fused_scores(joined.data, weights), std::vector<double>(joined.data.num_documents(), 0)};
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
  const JoinedRuns joined = join_runs(problem.runs, problem.judgments, input, 1);
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
  std::string broken = text;
  broken.replace(broken.find("zscore"), 6, "zz");
  EXPECT_THROW(fused_model_from_json(broken, "f.json"), Error);
}

}  // namespace
}  // namespace dorm
