// SPDX-License-Identifier: Apache-2.0
// Kernels and features on a device against those of the CPU, which sums in 32 bits. On the device `host`, and on the
// one that DORM_TEST_DEVICE names (make test-gpu).
#include "model/kernel/device_kernel.h"

#include <gtest/gtest.h>

#include "model/features/kernel_features.h"
#include "model/kernel/feature_map.h"
#include "model/kernel/kernel_data.h"
#include "support/message_of.h"
#include "support/tested_device.h"

namespace dorm {
namespace {

ComputeOptions there(std::uint64_t bytes = 0) {
  return {.threads = 2, .device = test::tested_device(), .memory = bytes};
}

/// Documents with names, groups and columns of few values.
Documents named_documents(std::uint64_t seed, std::size_t queries = 6, std::size_t documents = 9) {
  Rng rng(seed);
  DatasetBuilder builder;
  for (std::size_t q = 0; q < queries; ++q)
    for (std::size_t i = 0; i < documents; ++i) {
      std::vector<float> row;
      for (std::size_t j = 0; j < 4; ++j) row.push_back(static_cast<float>(rng.normal()));
      row.push_back(static_cast<float>(rng.below(2)));
      row.push_back(rng.below(2) == 0 ? 0.0f : -0.0f);  // equal, though their bits differ
      builder.add({static_cast<float>(rng.below(3)), "q" + std::to_string(q), "d" + std::to_string(rng.below(12)),
                   "g" + std::to_string(rng.below(4))},
                  row);
    }
  return Documents(builder.finish());
}

constexpr const char* kEveryPart[] = {
    "linear",
    "linear(1-3)",
    "poly:degree=3,coef0=0.5,gamma=0.2",
    "rbf:gamma=0.3",
    "attribute(1-4)",
    "correlation(1-5)",
    "identity(query)",
    "identity(document)",
    "identity(group)",
    "identity(5 6)",
    "2 * rbf(1-2):gamma=0.7 * identity(document) + 0.5 * attribute * correlation(2-6) + "
    "identity(5) * poly:degree=2 + linear"};

TEST(DeviceKernel, EveryPartIsThatOfTheCpu) {
  const Documents right = named_documents(1, 8, 11), left = named_documents(2);
  std::vector<std::uint32_t> all(left.size());
  std::iota(all.begin(), all.end(), 0u);
  for (const char* text : kEveryPart) {
    const auto kernel = make_kernel(text, right);
    const std::vector<float> truth = test::gram_of(*kernel, left, right);
    std::vector<float> values(truth.size());
    const auto columns = columns_at(there(), *kernel, right);
    ASSERT_EQ(columns->size(), right.size());
    columns->compute(left, all, 0, right.size(), values.data(), right.size());
    for (std::size_t k = 0; k < truth.size(); ++k)
      ASSERT_NEAR(values[k], truth[k], 2e-6 * (1 + std::fabs(truth[k]))) << text << " " << k;
  }
}

TEST(DeviceKernel, PiecesOfRowsHaveTheBitsOfWholeOnes) {
  const Documents documents = named_documents(3);
  const auto kernel = make_kernel("rbf:gamma=0.3 + linear(2-4)", documents);
  const auto columns = columns_at(there(), *kernel, documents);
  const std::size_t n = documents.size();
  const std::vector<std::uint32_t> rows = {7, 3, 50, 3};
  std::vector<float> whole(rows.size() * n), piece(rows.size() * 10);
  std::vector<float*> out;
  for (std::size_t i = 0; i < rows.size(); ++i) out.push_back(whole.data() + i * n);
  ASSERT_TRUE(columns->compute_rows(documents, rows, out));
  columns->compute(documents, rows, 16, 26, piece.data(), 10);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < 10; ++j) EXPECT_EQ(piece[i * 10 + j], whole[i * n + 16 + j]);
  EXPECT_TRUE(std::equal(out[1], out[1] + n, out[3]));
}

TEST(DeviceKernel, RowsAreThoseOfTheirTransposes) {
  const Documents documents = named_documents(4, 20, 10);
  const auto kernel = make_kernel("rbf:gamma=0.3", documents);
  const std::size_t n = documents.size();
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0u);
  std::vector<float> gram(n * n);
  columns_at(there(), *kernel, documents)->compute(documents, all, 0, n, gram.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_EQ(gram[i * n + i], 1.0f);
    for (std::size_t j = 0; j < i; ++j) EXPECT_FLOAT_EQ(gram[i * n + j], gram[j * n + i]);
  }
}

TEST(DeviceKernel, FeaturesOfApproximationsAreThoseOfTheCpu) {
  const Documents documents(test::random_data({.lengths = {30, 1, 70, 55}, .features = 6, .seed = 8}));
  const auto kernel = make_kernel("rbf:gamma=0.1", documents);
  for (const char* text : {"nystroem:40", "nystroem:40,landmarks=uniform", "cholesky:30", "fourier:64"}) {
    const auto map = fit_feature_map(parse_approximation(text), *kernel, documents, 1, 1);
    const Documents here(apply_feature_map(*map, documents, {.threads = 1}));
    const Documents made(apply_feature_map(*map, documents, there()));
    ASSERT_EQ(made.num_features(), here.num_features());
    for (std::size_t i = 0; i < documents.size(); ++i) {
      const std::vector<float> x = test::row_of(here, i), y = test::row_of(made, i);
      for (std::size_t j = 0; j < x.size(); ++j) ASSERT_NEAR(y[j], x[j], 2e-4) << text << " " << i << " " << j;
    }
  }
}

// Enough of them that threads share what is packed and copied.
TEST(DeviceKernel, ManyFeaturesAreThoseOfTheCpuWhateverTheThreads) {
  const Documents documents(test::random_data({.lengths = {400, 1, 600, 199}, .features = 70, .seed = 9}));
  const auto kernel = make_kernel("rbf:gamma=0.01", documents);
  const auto map = fit_feature_map(parse_approximation("fourier:2100"), *kernel, documents, 1, 1);
  const Documents here(apply_feature_map(*map, documents, {.threads = 2}));
  ComputeOptions place = there();
  const Documents two(apply_feature_map(*map, documents, place));
  place.threads = 1;
  const Documents one(apply_feature_map(*map, documents, place));
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::vector<float> x = test::row_of(here, i), y = test::row_of(one, i);
    ASSERT_EQ(test::row_of(two, i), y);
    for (std::size_t j = 0; j < x.size(); ++j) ASSERT_NEAR(y[j], x[j], 2e-4) << i << " " << j;
  }
}

TEST(DeviceKernel, ScoresOfExpansionsAreThoseOfTheCpu) {
  const Documents support = named_documents(5, 30, 10), documents = named_documents(6);
  Rng rng(7);
  KernelExpansion expansion;
  expansion.support = support.data();
  for (std::size_t j = 0; j < support.size(); ++j) expansion.coefficients.push_back(rng.normal());
  for (const char* text : kEveryPart) {
    expansion.kernel = make_kernel(text, support)->spec();
    const std::vector<double> here = score_expansion(expansion, documents.data(), 1);
    const std::vector<double> made = score_expansion(expansion, documents.data(), there());
    ASSERT_EQ(made.size(), here.size());
    for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(made[i], here[i], 1e-3) << text;
  }
  expansion.fourier = true;
  expansion.coefficients.resize(2 * support.size(), 0.5);
  const std::vector<double> here = score_expansion(expansion, documents.data(), 1);
  const std::vector<double> made = score_expansion(expansion, documents.data(), there());
  for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(made[i], here[i], 1e-3);
}

// Whatever the cache holds, as on the CPU.
TEST(DeviceKernel, TheGeometryIsThatOfTheCpu) {
  const Dataset data = test::random_data({.lengths = {40, 70, 25}, .features = 5, .seed = 4});
  const auto kernel = make_kernel("rbf:gamma=0.2", Documents(data));
  const KernelFeatures here(*kernel, data, 1 << 20, 1), made(*kernel, data, 1 << 20, there()),
      small(*kernel, data, 70000, there());
  EXPECT_NEAR(made.centred_norm(1), here.centred_norm(1), 1e-6);
  Rng rng(9);
  PullBackWorkspace workspace;
  std::vector<Plane> planes(4);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    std::vector<double> coefficients(data.query(k % 3).size());
    for (double& c : coefficients) c = rng.normal();
    here.pull_back(k % 3, coefficients, planes[k], workspace);
  }
  const std::vector<double> scales = {1, -0.5, 2, 0.25};
  std::vector<double> w(here.dimension(), 0.0), v = w, u = w;
  for (std::size_t k = 0; k < planes.size(); ++k) {
    here.add(scales[k], planes[k], w);
    made.add(scales[k], planes[k], v);
    small.add(scales[k], planes[k], u);
  }
  EXPECT_EQ(u, v);
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(v[i], w[i], 1e-4);
  for (const Plane& x : planes)
    for (const Plane& y : planes) {
      EXPECT_NEAR(made.inner(x, y), here.inner(x, y), 1e-4);
      EXPECT_EQ(made.inner(x, y), made.inner(y, x));
    }
}

TEST(DeviceKernel, AFunctionIsRefused) {
  const Documents documents = named_documents(10);
  const auto kernel = function_kernel([](const DenseBlock&, const DenseBlock&, float*) {}, "mine");
  EXPECT_EQ(test::message_of([&] { columns_at(there(), *kernel, documents); }, ErrorCode::unsupported),
            "the kernel \"mine\" is not computed on the device " + there().device +
                "; expected one that is written in parts, such as rbf, or the device cpu");
}

}  // namespace
}  // namespace dorm
