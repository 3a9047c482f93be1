// SPDX-License-Identifier: Apache-2.0
// Scores beside the definition of dorm/data/scale.h, written out in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "dorm/explain.h"
#include "model/align.h"
#include "model/scorer.h"
#include "support/message_of.h"

namespace dorm {
namespace {

constexpr std::size_t kFeatures = 70;

const std::vector<ScalingKind> kKinds = {ScalingKind::none,       ScalingKind::zscore,
                                         ScalingKind::minmax,     ScalingKind::query_minmax,
                                         ScalingKind::log_zscore, ScalingKind::log_query_zscore};

bool logarithmic(ScalingKind kind) { return kind == ScalingKind::log_zscore || kind == ScalingKind::log_query_zscore; }

using Matrix = std::vector<std::vector<float>>;

/// Far from 0 on either side, constant, never there, rare, of many magnitudes, negative; the others ordinary.
std::vector<float> awkward_row(std::size_t query, Rng& rng) {
  std::vector<double> x;
  for (std::size_t j = 0; j < kFeatures; ++j) x.push_back(rng.uniform() < 0.7 ? 3 * rng.normal() : 0.0);
  x[0] = 1e6 + rng.normal();
  x[1] = -1e6 + rng.normal();
  x[2] = 7;
  x[3] = 0;
  x[4] = rng.uniform() < 0.1 ? 40.0 : 0.0;
  x[5] = std::exp(30 * rng.normal());
  x[6] = -rng.uniform();
  x[7] = static_cast<double>(query);  // constant within a query
  x[8] = rng.uniform() < 0.9 ? 1e6 + rng.normal() : 0.0;
  x[9] = rng.uniform() < 0.3 ? -1e6 + rng.normal() : 0.0;
  std::vector<float> row;
  for (const double value : x) row.push_back(static_cast<float>(value));
  return row;
}

struct Case {
  std::vector<std::size_t> lengths = {40, 1, 17, 2, 80};
  Matrix rows;
  Dataset dense, sparse;  // the same values in features 1, 2, ...; in the other form also in a far one

  Case() {
    Rng rng(5);
    DatasetBuilder plain, compressed;
    for (std::size_t q = 0; q < lengths.size(); ++q)
      for (std::size_t i = 0; i < lengths[q]; ++i) {
        rows.push_back(awkward_row(q, rng));
        const std::string id = std::to_string(q);
        plain.add({.label = 0, .query_id = id}, rows.back());
        std::vector<std::uint32_t> columns;
        std::vector<float> values;
        for (std::uint32_t j = 0; j < kFeatures; ++j)
          if (rows.back()[j] != 0) columns.push_back(j), values.push_back(rows.back()[j]);
        columns.push_back(10000);
        values.push_back(3);
        compressed.add({.label = 0, .query_id = id}, SparseRow{columns, values});
      }
    dense = plain.finish();
    sparse = compressed.finish();
  }
};

/// Features of the data in another order, a tenth of them with weight 0, and one that the data never has.
Model model_of(const Dataset& dense, ScalingKind kind) {
  Model model;
  model.measure = "ndcg@10";
  const Scaling fitted = fit_scaling(kind, dense);
  model.scaling.kind = kind;
  Rng rng(8);
  for (std::size_t k = 0; k < kFeatures; ++k) {
    const std::size_t j = (k * 3 + 2) % kFeatures;
    model.features.push_back(dense.feature_name(j));
    model.weights.push_back(k % 10 == 9 ? 0.0 : rng.normal());
    if (fitted.shift.empty()) continue;
    model.scaling.shift.push_back(fitted.shift[j]);
    model.scaling.factor.push_back(fitted.factor[j]);
  }
  model.features.push_back("500");
  model.weights.push_back(1.5);
  if (!fitted.shift.empty()) {
    model.scaling.shift.push_back(3);
    model.scaling.factor.push_back(0.25);
  }
  return model;
}

struct Expected {
  long double score = 0, terms = 0, roundings = 0;
};

/// By the definition, one feature after the other. `roundings`: what the last place of logarithms may move.
std::vector<Expected> expected_scores(const Model& model, const Case& given) {
  std::vector<Expected> out(given.rows.size());
  for (std::size_t k = 0; k < model.features.size(); ++k) {
    const std::size_t column = std::stoul(model.features[k]) - 1;
    const auto value = [&](std::size_t d) -> long double {
      const long double x = column < kFeatures ? given.rows[d][column] : 0.0f;
      return logarithmic(model.scaling.kind) ? std::copysign(std::log1p(std::fabs(x)), x) : x;
    };
    std::size_t first = 0;
    for (const std::size_t length : given.lengths) {
      long double shift = 0, factor = 1;
      if (!model.scaling.shift.empty()) {
        shift = model.scaling.shift[k];
        factor = model.scaling.factor[k];
      } else if (model.scaling.per_query()) {
        long double low = value(first), high = low, sum = 0, squares = 0;
        for (std::size_t d = first; d < first + length; ++d) {
          low = std::min(low, value(d));
          high = std::max(high, value(d));
          sum += value(d);
        }
        const bool range = model.scaling.kind == ScalingKind::query_minmax;
        shift = range ? low : sum / static_cast<long double>(length);
        for (std::size_t d = first; d < first + length; ++d) squares += (value(d) - shift) * (value(d) - shift);
        factor = high == low ? 0 : 1 / (range ? high - low : std::sqrt(squares / static_cast<long double>(length)));
      }
      for (std::size_t d = first; d < first + length; ++d) {
        const long double term = model.weights[k] * ((value(d) - shift) * factor);
        out[d].score += term;
        out[d].terms += std::fabs(term);
        if (model.scaling.kind == ScalingKind::log_zscore)
          out[d].roundings += 2.3e-16L * std::fabs(model.weights[k] * factor * value(d));
      }
      first += length;
    }
  }
  return out;
}

TEST(LinearScorer, EveryScalingIsTheFormulaInDoubles) {
  const Case given;
  ASSERT_TRUE(given.dense.dense());
  ASSERT_FALSE(given.sparse.dense());
  for (const ScalingKind kind : kKinds) {
    const Model model = model_of(given.dense, kind);
    const std::vector<Expected> expected = expected_scores(model, given);
    for (const Dataset* data : {&given.dense, &given.sparse}) {
      const std::vector<double> scores = score(model, *data);
      for (std::size_t d = 0; d < scores.size(); ++d)
        EXPECT_LE(std::fabs(scores[d] - expected[d].score), 1e-12L * expected[d].terms + expected[d].roundings)
            << name_of(kind) << (data->dense() ? ", dense, " : ", compressed, ") << d << ": " << scores[d];
    }
  }
}

// A column that few documents have, under a scaling that was fitted where all had it.
TEST(LinearScorer, CompressedColumnsMayLieFarFromZero) {
  Model model;
  model.measure = "ndcg@10";
  model.features = {"1", "2"};
  model.weights = {1, 1};
  model.scaling = {ScalingKind::zscore, {1e9, 1e9}, {3, 1e-9}};
  DatasetBuilder builder;
  const std::vector<std::uint32_t> columns = {0, 4000};
  const std::vector<float> near = {1e9f + 64, 1};
  builder.add({.query_id = "q"}, SparseRow{columns, near});
  for (int i = 0; i < 9; ++i)
    builder.add({.query_id = "q"}, SparseRow{std::span(columns).last(1), std::span(near).last(1)});
  const Dataset data = builder.finish();
  ASSERT_FALSE(data.dense());
  const std::vector<double> scores = score(model, data);
  EXPECT_NEAR(scores[0], 64 * 3 - 1, 1e-12);
  EXPECT_NEAR(scores[1], -3e9 - 1, 1e-6);
}

TEST(LinearScorer, WhatIsKeptAndHowManyThreadsChangeNoBit) {
  const Case given;
  for (const ScalingKind kind : kKinds) {
    const Model model = model_of(given.dense, kind);
    for (const Dataset* data : {&given.dense, &given.sparse}) {
      const std::vector<double> scores = score(model, *data, 1);
      for (const std::uint64_t kept : {0u, 30'000u, 10'000'000u})
        EXPECT_EQ(LinearScorer(model, *data, 3, kept).scores(model.weights, 3), scores) << name_of(kind) << kept;
    }
  }
}

TEST(LinearScorer, ContributionsSumToTheScore) {
  const Case given;
  for (const ScalingKind kind : kKinds) {
    const Model model = model_of(given.dense, kind);
    for (const Dataset* data : {&given.dense, &given.sparse}) {
      const std::vector<double> scores = score(model, *data), scaled = scaled_features(model, *data, 2);
      for (std::size_t d = 0; d < scores.size(); ++d) {
        double sum = 0, terms = 0;
        for (std::size_t k = 0; k < model.weights.size(); ++k) {
          const double term = model.weights[k] * scaled[d * model.weights.size() + k];
          sum += term;
          terms += std::fabs(term);
        }
        EXPECT_NEAR(scores[d], sum, 1e-13 * terms) << name_of(kind) << d;
      }
      const DocumentExplanation first = explain(model, *data, 2).documents[0];
      double sum = 0, terms = 0;
      for (const FeaturePart& part : first.parts) sum += part.contribution, terms += std::fabs(part.contribution);
      EXPECT_NEAR(first.score, sum, 1e-13 * terms);
      EXPECT_EQ(first.score, scores[first.document]);
    }
  }
}

TEST(LinearScorer, CompressedDataThatIsScaledIsRefused) {
  const Case given;
  const Model model = model_of(given.dense, ScalingKind::zscore);
  const Dataset scaled = apply_scaling(fit_scaling(ScalingKind::zscore, given.sparse), given.sparse);
  EXPECT_NE(test::message_of([&] { score(model, scaled); }, ErrorCode::unsupported).find("scaled already"),
            std::string::npos);
}

}  // namespace
}  // namespace dorm
