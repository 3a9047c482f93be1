// SPDX-License-Identifier: Apache-2.0
// Curves: the representation against its definition, trainings against the same problem on written-out columns.
#include "dorm/learning/curves.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "dorm/error.h"
#include "dorm/explain.h"
#include "dorm/export.h"
#include "dorm/measure.h"
#include "dorm/read.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "learning/kinds.h"
#include "learning/risk/ranking_risk.h"
#include "learning/train/learning_data.h"
#include "learning/train/training_set.h"
#include "model/features/curve_features.h"
#include "model/features/linear_features.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

constexpr const char* kShapes[] = {"4", "steps:4", "1=3", "steps:0=5,2=3"};

Dataset bent(std::uint64_t seed, std::size_t queries = 8) {
  return test::random_data({.lengths = std::vector<std::size_t>(queries, 7), .features = 3, .signal = 1, .seed = seed});
}

std::vector<std::string> names_of(const Dataset& data) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) names.push_back(data.feature_name(j));
  return names;
}

/// Features of the data are numbered from its first id on.
std::string renumbered(std::string text, const Dataset& data) {
  for (std::size_t k = 0; k + 1 < text.size(); ++k)
    if (text[k + 1] == '=') text[k] = data.feature_name(static_cast<std::size_t>(text[k] - '0'))[0];
  return text;
}

CurveFeatures features_of(const Dataset& data, const std::string& curves) {
  return {data, {}, fit_curves(parse_curves(renumbered(curves, data), names_of(data)), data, {}, 1), 1};
}

std::vector<double> random_weights(std::size_t size, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> w(size);
  for (double& x : w) x = rng.normal();
  return w;
}

// Up to the place of a value in its piece, of which there are 8191 and more.
TEST(CurveFeatures, ScoresAreSumsOfTheCurves) {
  const Dataset data = bent(1);
  for (const char* text : kShapes) {
    const CurveFeatures features = features_of(data, text);
    const std::vector<double> w = random_weights(features.dimension(), 2);
    const Curves curves = features.basis().curves_of(w);
    std::vector<double> scores(7);
    std::vector<float> row(3);
    for (std::size_t q = 0; q < data.num_queries(); ++q) {
      features.scores(q, w, scores);
      double shift = NAN;
      for (std::size_t i = 0; i < scores.size(); ++i) {
        data.query(q).rows.load(i, row);
        double expected = 0;
        for (std::size_t j = 0; j < row.size(); ++j)
          expected += curves.value(j, features.basis().weights_of(w)[j], static_cast<double>(row[j]));
        if (i == 0) shift = scores[0] - expected;  // medians count in models alone
        EXPECT_NEAR(scores[i] - shift, expected, 2e-3) << text;
      }
    }
  }
}

// Columns as scores of unit weights: exact, places and all.
Dataset written_out(const CurveFeatures& features) {
  const Dataset& data = features.data();
  DatasetBuilder builder;
  std::vector<double> w(features.dimension(), 0.0), scores;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    std::vector<std::vector<float>> rows(query.size(), std::vector<float>(features.dimension()));
    scores.resize(query.size());
    for (std::size_t k = 0; k < w.size(); ++k) {
      w[k] = 1;
      features.scores(q, w, scores);
      w[k] = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) rows[i][k] = static_cast<float>(scores[i]);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) builder.add({query.labels[i], std::to_string(q)}, rows[i]);
  }
  return builder.finish();
}

TEST(CurveFeatures, PullBackAndNormAreThoseOfTheColumns) {
  for (const char* text : kShapes) {
    const CurveFeatures features = features_of(bent(3), text);
    const LinearFeatures columns(written_out(features));
    EXPECT_NEAR(features.centred_norm(1), columns.centred_norm(1), 1e-5 * columns.centred_norm(1)) << text;
    const std::vector<double> coefficients = random_weights(7, 5);
    Plane plane, expected;
    PullBackWorkspace workspace, other;
    for (std::size_t q = 0; q < 8; ++q) {
      features.pull_back(q, coefficients, plane, workspace);
      columns.pull_back(q, coefficients, expected, other);
      ASSERT_EQ(plane.direction.size(), expected.direction.size());
      for (std::size_t k = 0; k < plane.direction.size(); ++k)
        EXPECT_NEAR(plane.direction[k], expected.direction[k], 1e-5) << text << " " << k;
    }
    const std::vector<double> all = random_weights(56, 6), sum = features.combine(all, 2),
                              slow = columns.combine(all, 1);
    for (std::size_t k = 0; k < sum.size(); ++k) EXPECT_NEAR(sum[k], slow[k], 1e-4) << text;
    EXPECT_EQ(sum, features.combine(all, 1)) << text;
  }
}

TEST(CurveFeatures, SomeQueriesAreThoseOfTheWhole) {
  const CurveFeatures features = features_of(bent(4), "4");
  const CurveFeatures some = features.select({5, 2});
  const std::vector<double> w = random_weights(features.dimension(), 1);
  std::vector<double> one(7), other(7);
  features.scores(2, w, one);
  some.scores(1, w, other);
  EXPECT_EQ(one, other);
}

double optimum(const Representation& features, const std::string& measure, Bound bound, SolverKind solver) {
  RankingRisk risk(features, *make_trainable(measure), Decay("measure"), 1);
  risk.set_trade_off(2);
  risk.set_reference(bound, std::vector<double>(features.dimension(), 0.0));
  return solve(risk, {.solver = solver, .tolerance = 1e-5, .max_passes = 20000}).report.primal;
}

TEST(Curves, EveryMeasureBoundAndSolverReachesTheOptimumOfTheColumns) {
  for (const char* text : {"3", "steps:3"}) {
    const CurveFeatures features = features_of(bent(7), text);
    const LinearFeatures columns(written_out(features));
    for (const CatalogEntry& entry : measure_catalog()) {
      if (!entry.trainable) continue;
      const std::string measure(entry.example.empty() ? entry.name : entry.example);
      for (const Bound bound : test::kBounds) {
        const double expected = optimum(columns, measure, bound, parse_solver("nslack"));
        for (const char* solver : {"bcda", "oneslack", "lbfgs"})
          EXPECT_NEAR(optimum(features, measure, bound, parse_solver(solver)), expected, 3e-5 * expected)
              << text << " " << measure << " " << name_of(bound) << " " << solver;
      }
    }
  }
}

TrainOptions with_curves(const std::string& curves) {
  TrainOptions options{.measure = "ndcg@5", .bound = Bound::best};
  options.curves = curves;
  options.compute.threads = 1;
  return options;
}

struct CurvedTiny {
  std::string file, measure, decay, bound, shape, signs;
  double C = 0, primal = 0, dual = 0;
};

std::vector<CurvedTiny> curved_problems() {
  std::ifstream in(test::tiny_file("curved_optima.txt"));
  std::vector<CurvedTiny> problems;
  for (CurvedTiny t;
       in >> t.file >> t.measure >> t.decay >> t.bound >> t.C >> t.shape >> t.signs >> t.primal >> t.dual;)
    problems.push_back(t);
  return problems;
}

/// With the knots of make_reference.py.
CurveBasis basis_of(const Dataset& data, CurveShape shape) {
  CurveBasis basis{shape, {}, data.num_features()};
  std::vector<float> row(data.num_features());
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    double low = INFINITY, high = -INFINITY;
    for (std::size_t q = 0; q < data.num_queries(); ++q)
      for (std::size_t i = 0; i < data.query(q).size(); ++i) {
        data.query(q).rows.load(i, row);
        low = std::min(low, static_cast<double>(row[j]));
        high = std::max(high, static_cast<double>(row[j]));
      }
    CurvePieces& feature = basis.features.emplace_back();
    feature.edges = {low, -0.4, 0.5, high};
    feature.curved = true;
    feature.rises = shape == CurveShape::lines ? 3 : 2;
    feature.weight = basis.dimension;
    basis.dimension += feature.rises;
  }
  return basis;
}

// A quadratic program over all rankings, on columns that another program has written out.
TEST(Curves, ReachTheOptimumOfAnIndependentProgram) {
  const std::vector<CurvedTiny> problems = curved_problems();
  ASSERT_EQ(problems.size(), 33U);
  double worst = 0;
  for (const CurvedTiny& truth : problems) {
    const Dataset data = read_letor(test::tiny_file(truth.file));
    CurveFeatures features(data, {}, basis_of(data, truth.shape == "lines" ? CurveShape::lines : CurveShape::steps), 1);
    std::vector<std::int8_t> signs;
    for (const char sign : truth.signs) signs.push_back(sign == '+' ? 1 : sign == '-' ? -1 : 0);
    if (truth.signs.find_first_not_of('0') != std::string::npos) features.set_signs(signs);
    RankingRisk risk(features, *make_trainable(truth.measure), Decay(truth.decay), 1);
    risk.set_trade_off(truth.C);
    std::vector<double> first_feature(risk.dimension(), 0.0);
    first_feature[0] = 1;
    risk.set_reference(parse_bound(truth.bound), first_feature);
    for (const char* name : {"bcda", "nslack", "oneslack", "lbfgs"}) {
      const SolveOptions options{.solver = parse_solver(name), .tolerance = 2e-7, .max_passes = 20000};
      const SolveReport report = solve(risk, options).report;
      const double off = std::max(std::abs(report.primal / truth.primal - 1), std::abs(report.dual / truth.dual - 1));
      EXPECT_LT(off, 1e-6) << truth.file << " " << truth.shape << " " << truth.signs << " " << name;
      worst = std::max(worst, off);
    }
  }
  RecordProperty("worst_relative_difference", fmt::format("{:.2g}", worst));
}

TEST(Curves, OfModelsAreMonotoneUnderSigns) {
  const char* const asked = std::getenv("DORM_MATRIX");
  const std::uint64_t trainings = asked && std::string_view(asked) == "whole" ? 2000 : 60;
  for (std::uint64_t seed = 1; seed <= trainings; ++seed) {
    const Dataset data = bent(seed);
    TrainOptions options = with_curves(seed % 2 == 0 ? "5" : "steps:5");
    options.signs.increasing = data.feature_name(seed % 3);
    options.signs.decreasing = data.feature_name((seed + 1) % 3);
    options.C = 1000;
    const Model model = train(data, options).model;
    for (std::size_t j = 0; j < 3; ++j)
      for (double x = -4; x < 4; x += 0.01) {
        const double rise =
            model.curves->value(j, model.weights[j], x + 0.01) - model.curves->value(j, model.weights[j], x);
        EXPECT_GE(rise * model.signs[j], -1e-12) << seed << " " << j << " " << x;
      }
  }
}

TEST(Curves, FilesScoresAndContributionsAreThoseOfTheModel) {
  for (const char* text : kShapes) {
    const Dataset data = bent(9);
    const Model model = train(data, with_curves(renumbered(text, data))).model;
    EXPECT_EQ(model.kind(), Model::Kind::curves);
    const Model again = model_from_json(to_json(model), "m");
    const std::vector<double> scores = score(model, data, 1);
    EXPECT_EQ(score(again, data, 2), scores) << text;
    const QueryExplanation explained = explain(model, data, 3);
    EXPECT_TRUE(explained.additive);
    for (const DocumentExplanation& document : explained.documents) {
      double sum = 0;
      for (const FeaturePart& part : document.parts) sum += part.contribution;
      EXPECT_NEAR(sum, scores[document.document], 1e-12) << text;
    }
    for (std::size_t j = 0; j < 3; ++j) {
      const Curve& curve = model.curves->features[j];
      if (!curve.knots.empty()) {
        EXPECT_EQ(model.curves->value(j, model.weights[j], curve.median), 0);
      }
    }
  }
}

// A best value in the middle: no line can rank by it.
TEST(Curves, LearnWhatNoLineCan) {
  Rng rng(1);
  DatasetBuilder builder;
  for (std::size_t i = 0; i < 600; ++i) {
    const double x = 10 * rng.uniform();
    const float row[2] = {static_cast<float>(x), static_cast<float>(rng.normal())};
    builder.add({std::abs(x - 5) < 1 ? 2.0F : std::abs(x - 5) < 2.5 ? 1.0F : 0.0F, std::to_string(i / 20)}, row);
  }
  const Dataset data = builder.finish();
  TrainOptions options = with_curves("8");
  options.scale = "zscore";
  const Model curved = train(data, options).model;
  options.curves = "none";
  const Model line = train(data, options).model;
  EXPECT_GT(curved.explained_risk, line.explained_risk + 0.3);
}

TEST(Curves, TuneAveragesThemOverFolds) {
  const Dataset data = bent(2, 30);
  TuneOptions options;
  options.train = with_curves("steps:3");
  options.C = {10, 100};
  options.folds = 3;
  const TuneResult tuned = tune(data, options);
  ASSERT_TRUE(tuned.model.curves.has_value());
  EXPECT_FALSE(tuned.model.parts.empty());
  EXPECT_EQ(model_from_json(to_json(tuned.model), "m").curves->features[0].rises,
            tuned.model.curves->features[0].rises);
}

TEST(Curves, OfStepsAreExportedAsTrees) {
  const Dataset data = bent(5, 20);
  for (const char* scale : {"none", "zscore", "minmax", "log-zscore"}) {
    TrainOptions options = with_curves("steps:6");
    options.scale = scale;
    const Model model = train(data, options).model;
    const std::vector<double> scores = score(model, data, 1);
    for (const ExportTarget& target : export_targets()) {
      if (!target.serving.trees || target.folder) continue;
      const Exported exported = export_model(model, target);
      const std::vector<double> served = served_scores(exported.served, model, data);
      for (std::size_t i = 0; i < scores.size(); ++i)
        EXPECT_NEAR(served[i] + exported.served.pruned, scores[i], 1e-5) << target.entry.name << " " << scale;
    }
  }
}

TEST(Curves, OfLinesAreExportedWhereThereIsArithmetic) {
  const Dataset data = bent(5, 20);
  for (const char* scale : {"none", "zscore", "minmax", "log-zscore"}) {
    TrainOptions options = with_curves("6");
    options.scale = scale;
    const Model model = train(data, options).model;
    const std::vector<double> scores = score(model, data, 1);
    std::size_t targets = 0;
    for (const ExportTarget& target : export_targets()) {
      if (!target.serving.curves || target.folder) continue;
      ++targets;
      ExportOptions names;
      for (const std::string& feature : model.features) names.names[feature] = "f" + feature;
      const Exported exported = export_model(model, target, names);
      const std::vector<double> served = served_scores(exported.served, model, data);
      for (std::size_t i = 0; i < scores.size(); ++i)
        EXPECT_NEAR(served[i] + exported.served.pruned, scores[i], 1e-9) << target.entry.name << " " << scale;
    }
    EXPECT_EQ(targets, 7U);
  }
}

TEST(Curves, AreRefusedByNameWhereNothingLearnsOrEvaluatesThem) {
  const Dataset data = bent(1);
  const auto message = [&](const TrainOptions& options) { return test::message_of([&] { train(data, options); }); };
  TrainOptions options = with_curves("4");
  options.kernel = "rbf:gamma=median";
  EXPECT_EQ(message(options), "curves \"4\" are not learnt beside a kernel; expected one of them");
  options = with_curves("4");
  options.solve.solver = parse_solver("shards");
  EXPECT_EQ(message(options), "curves \"4\" are not learnt by the solver shards; expected another");
  EXPECT_EQ(message(with_curves("1")),
            "curves \"1\": \"1\" is no number of pieces from 2 to 60; expected none, a number of pieces such as 8, or "
            "FEATURE=8,FEATURE=16; before either steps: for steps");
  EXPECT_NE(message(with_curves("price=4")).find("unknown feature \"price\""), std::string::npos);
  const Model lines = train(data, with_curves("4")).model;
  EXPECT_NE(test::message_of([&] { export_model(lines, find_export_target("solr")); }).find("curves of lines"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm
