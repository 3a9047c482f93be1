// SPDX-License-Identifier: Apache-2.0
// Explicit features against the kernel they stand for.
#include "model/kernel/feature_map.h"

#include <gtest/gtest.h>

#include <set>

#include "base/vector/vector_ops.h"
#include "model/kernel/kernel_data.h"
#include "model/kernel/landmarks.h"
#include "support/message_of.h"

namespace dorm {
namespace {

const Documents& documents() {
  static const Documents made(
      test::random_data({.lengths = std::vector<std::size_t>(20, 20), .features = 6, .seed = 8}));
  return made;
}

std::unique_ptr<const FeatureMap> fit(const char* approximation, const Kernel& kernel) {
  return fit_feature_map(parse_approximation(approximation), kernel, documents(), 1, 2);
}

TEST(FeatureMap, WithEveryDocumentAsALandmarkTheKernelIsExact) {
  for (const char* text : {"rbf:gamma=0.1", "poly:degree=2 + rbf:gamma=1"}) {
    const auto kernel = make_kernel(text, documents());
    for (const char* approximation : {"nystroem:400", "nystroem:400,landmarks=uniform", "cholesky:400"}) {
      const MapError error = map_error(*fit(approximation, *kernel), *kernel, documents(), 1);
      EXPECT_LT(error.pairs, 1e-4) << text << " " << approximation;
      EXPECT_LT(error.diagonal, 1e-4) << text << " " << approximation;
    }
  }
}

TEST(FeatureMap, ErrorsFallAsFeaturesGrow) {
  const auto kernel = make_kernel("rbf:gamma=0.05", documents());
  for (const std::string family : {"nystroem:{},landmarks=uniform", "nystroem:{},landmarks=kmeans",
                                   "nystroem:{},landmarks=greedy", "cholesky:{}", "fourier:{}"}) {
    double before = 1;
    for (const char* size : {"20", "80", "320"}) {
      std::string text = family;
      text.replace(text.find("{}"), 2, size);
      const double error = map_error(*fit(text.c_str(), *kernel), *kernel, documents(), 1).pairs;
      EXPECT_LT(error, 0.7 * before) << text;
      before = error;
    }
  }
}

TEST(FeatureMap, ItsErrorIsThatOfTheProductsOfItsFeatures) {
  const auto kernel = make_kernel("rbf:gamma=0.05", documents());
  const auto map = fit("nystroem:30", *kernel);
  const std::size_t n = documents().size();  // 400: more than the sample, so compare loosely
  const Dataset mapped = apply_feature_map(*map, documents(), {.threads = 2});
  const Documents features(mapped);
  const std::vector<float> gram = test::gram_of(*kernel, documents(), documents());
  double squares = 0, pairs = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs) {
      const std::vector<float> x = test::row_of(features, i), y = test::row_of(features, j);
      squares +=
          std::pow(static_cast<double>(gram[i * n + j]) - dot(std::span<const float>(x), std::span<const float>(y)), 2);
    }
  const double exact = std::sqrt(squares / pairs);
  EXPECT_NEAR(map_error(*map, *kernel, documents(), 1).pairs, exact, 0.2 * exact);
}

TEST(FeatureMap, WeightsAndTheExpansionTheyBecomeScoreAlike) {
  const auto kernel = make_kernel("rbf:gamma=0.05", documents());
  for (const char* approximation : {"nystroem:100", "nystroem:400", "cholesky:60", "fourier:64"}) {
    const auto map = fit(approximation, *kernel);
    Rng rng(5);
    std::vector<double> w(map->size());
    double norm = 0;
    for (double& x : w) x = rng.normal(), norm += x * x;
    KernelExpansion expansion = map->expansion(w);
    expansion.kernel = kernel->spec();
    const std::vector<double> scores = score_expansion(expansion, documents().data(), 2);
    const Documents features(apply_feature_map(*map, documents(), {.threads = 1}));
    for (std::size_t i = 0; i < documents().size(); ++i)
      EXPECT_NEAR(scores[i], dot(std::span<const float>(test::row_of(features, i)), std::span<const double>(w)),
                  2e-4 * std::sqrt(norm))
          << approximation;
  }
}

TEST(FeatureMap, LandmarksAreDistinctAndRepeatable) {
  const auto kernel = make_kernel("rbf:gamma=0.05", documents());
  for (const char* text :
       {"nystroem:50,landmarks=uniform", "nystroem:50", "nystroem:15,landmarks=greedy", "cholesky:50"}) {
    const Approximation approximation = parse_approximation(text);
    const auto chosen = choose_landmarks(approximation, *kernel, documents(), 7, 1);
    EXPECT_EQ(chosen.size(), approximation.size) << text;
    EXPECT_EQ(std::set<std::uint32_t>(chosen.begin(), chosen.end()).size(), chosen.size()) << text;
    EXPECT_EQ(chosen, choose_landmarks(approximation, *kernel, documents(), 7, 3)) << text;
  }
}

TEST(FeatureMap, ACholeskyFactorStopsWhenNothingIsLeftToExplain) {
  const auto kernel = make_kernel("linear", documents());  // six features: rank six
  EXPECT_EQ(fit("cholesky:100", *kernel)->size(), 6u);
}

TEST(Approximation, WhatIsWrongIsNamed) {
  const test::Misspelt cases[] = {
      {"nystrom:100", "did you mean \"nystroem\"?"},
      {"nystroem", "of what size?"},
      {"nystroem:", "expected a whole number from 2"},
      {"nystroem:1", "expected a whole number from 2"},
      {"nystroem:-5", "expected a whole number from 2"},
      {"fourier:99999999999999999999", "expected a whole number from 2"},
      {"nystroem:10,landmarks=best", "expected landmarks=kmeans, uniform or greedy"},
      {"fourier:10,landmarks=kmeans", "takes nothing but a size"},
  };
  for (const test::Misspelt& c : cases)
    EXPECT_NE(test::message_of([&] { parse_approximation(c.text); }).find(c.expected), std::string::npos) << c.text;
  const auto kernel = make_kernel("poly", documents());
  EXPECT_NE(test::message_of([&] { fit("fourier:10", *kernel); }).find("needs a single rbf"), std::string::npos);
}

}  // namespace
}  // namespace dorm
