// SPDX-License-Identifier: Apache-2.0
// Trainings under signs of the weights: every measure, bound and solver, many random ones, and what is refused.
#include "dorm/learning/signs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "dorm/error.h"
#include "dorm/measure.h"
#include "dorm/stream.h"
#include "dorm/train.h"
#include "dorm/tune.h"
#include "learning/kinds.h"
#include "learning/risk/ridge.h"
#include "learning/risk/targets.h"
#include "model/features/linear_features.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

constexpr const char* kSolversOfSigns[] = {"bcda", "nslack", "oneslack", "lbfgs", "shards"};

Dataset small(std::uint64_t seed, bool sparse = false) {
  return test::random_data({.lengths = {6, 4, 7, 5, 6, 3},
                            .features = 4,
                            .density = sparse ? 0.6 : 1,
                            .signal = 1,
                            .seed = seed,
                            .sparse = sparse});
}

SignOptions against(const Dataset& data, std::uint64_t seed) {
  Rng rng(seed);
  SignOptions signs;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    std::string& list = rng.below(2) == 0 ? signs.increasing : signs.decreasing;
    if (rng.below(3) == 0) continue;
    list += (list.empty() ? "" : ",") + data.feature_name(j);
  }
  if (!signs.used()) signs.non_negative = true;
  return signs;
}

void expect_signs(const Model& model, const SignOptions& options, const std::string& where) {
  const std::vector<std::int8_t> signs = signs_of(options, model.features);
  EXPECT_EQ(model.signs, signs) << where;
  for (std::size_t j = 0; j < signs.size(); ++j) EXPECT_GE(model.weights[j] * signs[j], 0) << where << " feature " << j;
}

TrainOptions options_of(const std::string& measure, Bound bound, const char* solver, const SignOptions& signs) {
  TrainOptions options{.measure = measure, .bound = bound, .signs = signs};
  options.solve.solver = parse_solver(solver);
  options.solve.tolerance = 1e-3;
  options.compute.threads = 1;
  options.C = 30;
  return options;
}

// Convex problems have one optimum: solvers that share nothing but the cone agree within their gaps.
TEST(Signs, EveryMeasureBoundAndSolverKeepsThem) {
  const Dataset data = small(3);
  const SignOptions signs = against(data, 2);
  for (const CatalogEntry& entry : measure_catalog()) {
    if (!entry.trainable) continue;
    const std::string measure(entry.example.empty() ? entry.name : entry.example);
    for (const Bound bound : test::kBounds) {
      double lowest = INFINITY, highest_dual = 0;
      for (const char* solver : kSolversOfSigns) {
        const std::string where = measure + " " + std::string(name_of(bound)) + " " + solver;
        const Model model = train(data, options_of(measure, bound, solver, signs)).model;
        expect_signs(model, signs, where);
        EXPECT_EQ(model.certificate.status, "converged") << where;
        // Shards have an order of documents of their own, by which `given` breaks ties.
        if (bound == Bound::given && std::string_view(solver) == "shards") continue;
        lowest = std::min(lowest, model.certificate.primal);
        highest_dual = std::max(highest_dual, model.certificate.dual);
      }
      if (!depends_on_scores(bound)) {
        EXPECT_LE(highest_dual, lowest * (1 + 1e-6)) << measure << " " << name_of(bound);
      }
    }
  }
}

TEST(Signs, AreNeverViolatedInRandomTrainings) {
  const char* const asked = std::getenv("DORM_MATRIX");
  const std::uint64_t trainings = asked && std::string_view(asked) == "whole" ? 10000 : 1500;
  for (std::uint64_t seed = 1; seed <= trainings; ++seed) {
    const Dataset data = small(seed, seed % 3 == 0);
    const SignOptions signs = against(data, seed);
    TrainOptions options =
        options_of(seed % 2 == 0 ? "ndcg@5" : "mrr", test::kBounds[seed % 4], kSolversOfSigns[seed % 5], signs);
    options.scale = scaling_catalog()[seed % scaling_catalog().size()].name;
    options.C = std::pow(10.0, static_cast<double>(seed % 5));
    options.solve.max_passes = 1 + seed % 30;  // cut short, too
    expect_signs(train(data, options).model, signs, "seed " + std::to_string(seed));
  }
}

TEST(Signs, ThatTheFreeOptimumHasChangeNothing) {
  const Dataset data = small(5);
  TrainOptions options = options_of("ndcg@10", Bound::best, "bcda", {});
  options.solve.tolerance = 1e-6;
  const Model free = train(data, options).model;
  for (std::size_t j = 0; j < free.weights.size(); ++j)
    (free.weights[j] >= 0 ? options.signs.increasing : options.signs.decreasing) +=
        ((free.weights[j] >= 0 ? options.signs.increasing : options.signs.decreasing).empty() ? "" : ",") +
        free.features[j];
  const Model held = train(data, options).model;
  EXPECT_NEAR(held.certificate.primal, free.certificate.primal, 2e-6 * free.certificate.primal);
}

TEST(Signs, TuneKeepsThem) {
  const Dataset data = test::random_data({.lengths = std::vector<std::size_t>(30, 8), .features = 4, .signal = 1});
  TuneOptions options;
  options.curves = {"none"};
  options.train.signs = against(data, 4);
  options.train.compute.threads = 1;
  options.C = {10, 100};
  options.folds = 3;
  expect_signs(tune(data, options).model, options.train.signs, "tune");
}

TEST(Signs, ModelsKeepThemInTheirFile) {
  const Dataset data = small(2);
  const SignOptions signs = against(data, 9);
  const Model model = train(data, options_of("ndcg@10", Bound::best, "bcda", signs)).model;
  EXPECT_EQ(model_from_json(to_json(model), "m").signs, model.signs);
}

// All sets of weights that are 0 are tried; the normal equations of the others are solved without pivots.
double ridge_value(const CentredProducts& products, double penalty, const std::vector<double>& w) {
  double value = 0;
  for (std::size_t k = 0; k < w.size(); ++k) {
    for (std::size_t j = 0; j < w.size(); ++j)
      value += 0.5 * w[k] * w[j] * (k < j ? products.at(k, j) : products.at(j, k));
    value += 0.5 * penalty * w[k] * w[k] - w[k] * products.at(k, w.size());
  }
  return value;
}

std::vector<double> solve_among(const CentredProducts& products, double penalty, unsigned kept) {
  const std::size_t n = products.size;
  std::vector<double> w(n, 0.0);
  for (int sweep = 0; sweep < 20000; ++sweep)  // Gauss-Seidel
    for (std::size_t k = 0; k < n; ++k) {
      if ((kept >> k & 1U) == 0) continue;
      double rest = products.at(k, n);
      for (std::size_t j = 0; j < n; ++j)
        if (j != k) rest -= w[j] * (k < j ? products.at(k, j) : products.at(j, k));
      w[k] = rest / (products.at(k, k) + penalty);
    }
  return w;
}

TEST(Signs, RidgeIsTheConstrainedMinimum) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const LinearFeatures features(small(seed));
    const CentredProducts products = *features.centred_products(labels_of(features.data()), 1);
    const std::vector<std::int8_t> signs = {1, -1, static_cast<std::int8_t>(seed % 2 == 0 ? 1 : -1), 0};
    const double lambda = 1e-2;
    double squares = 0, best = INFINITY;
    for (std::size_t k = 0; k < 4; ++k) squares += products.at(k, k);
    for (unsigned kept = 0; kept < 16; ++kept) {
      const std::vector<double> w = solve_among(products, lambda * squares, kept);
      bool allowed = true;
      for (std::size_t k = 0; k < 4; ++k) allowed = allowed && w[k] * signs[k] >= 0;
      if (allowed) best = std::min(best, ridge_value(products, lambda * squares, w));
    }
    const std::vector<double> w = ridge_path(products, std::span(&lambda, 1), signs).front();
    EXPECT_NEAR(ridge_value(products, lambda * squares, w), best, 1e-9 * std::abs(best)) << seed;
    for (std::size_t k = 0; k < 4; ++k) EXPECT_GE(w[k] * signs[k], 0) << seed;
  }
}

TEST(Signs, NamesAreChecked) {
  const std::vector<std::string> features = {"bm25", "price", "clicks"};
  EXPECT_EQ(signs_of({"clicks,bm25", "price"}, features), (std::vector<std::int8_t>{1, -1, 1}));
  EXPECT_EQ(signs_of({"", "price", true}, features), (std::vector<std::int8_t>{1, -1, 1}));
  EXPECT_TRUE(signs_of({}, features).empty());
  const auto message = [&](const SignOptions& options) {
    return test::message_of([&] { signs_of(options, features); });
  };
  EXPECT_EQ(message({"prize", ""}), "unknown feature \"prize\"; did you mean \"price\"? known: bm25, price, clicks");
  EXPECT_EQ(message({"price", "price"}), "feature \"price\" is both increasing and decreasing; expected one of them");
  EXPECT_EQ(message({"price,", ""}),
            "increasing \"price,\": a name is empty; expected names of features, separated by commas");
}

TEST(Signs, AreRefusedWhereNothingKeepsThem) {
  const Dataset data = small(1);
  TrainOptions options = options_of("ndcg@10", Bound::best, "bcda", {"", "", true});
  options.kernel = "rbf:gamma=median";
  EXPECT_EQ(test::message_of([&] { train(data, options); }),
            "signs are those of the weights of features, which the kernel \"rbf:gamma=median\" does not have; expected "
            "no kernel");
  options.kernel = "none";
  for (const char* solver : {"bcfw", "fw", "online"}) {
    options.solve.solver = parse_solver(solver);
    EXPECT_EQ(test::message_of([&] { train(data, options); }),
              std::string("the solver ") + solver +
                  " does not learn weights of a given sign; expected one of bcda, nslack, oneslack, shards, lbfgs");
  }
}

}  // namespace
}  // namespace dorm
