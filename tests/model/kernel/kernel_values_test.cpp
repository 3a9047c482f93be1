// SPDX-License-Identifier: Apache-2.0
// Kernel values against their definitions in double; symmetry; diagonals; eigenvalues.
#include <gtest/gtest.h>

#include "model/kernel/kernel_data.h"

namespace dorm {
namespace {

using Row = std::vector<float>;

double product(const Row& x, const Row& y) {
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) sum += static_cast<double>(x[j]) * static_cast<double>(y[j]);
  return sum;
}

double distance(const Row& x, const Row& y, std::size_t first, std::size_t last) {
  double sum = 0;
  for (std::size_t j = first; j < last; ++j) sum += std::pow(static_cast<double>(x[j]) - static_cast<double>(y[j]), 2);
  return sum;
}

double correlation(const Row& x, const Row& y) {
  const auto n = static_cast<double>(x.size());
  double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (const float v : x) mx += static_cast<double>(v) / n;
  for (const float v : y) my += static_cast<double>(v) / n;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double a = static_cast<double>(x[j]) - mx, b = static_cast<double>(y[j]) - my;
    xx += a * a, yy += b * b, xy += a * b;
  }
  return xy / std::sqrt(xx * yy);
}

struct Definition {
  const char* text;
  std::function<double(const Row&, const Row&, bool same_query)> value;
};

const Definition kDefinitions[] = {
    {"linear", [](const Row& x, const Row& y, bool) { return product(x, y); }},
    {"poly:degree=3,coef0=2,gamma=0.1",
     [](const Row& x, const Row& y, bool) { return std::pow(0.1 * product(x, y) + 2, 3); }},
    {"poly", [](const Row& x, const Row& y, bool) { return std::pow(product(x, y) / 6 + 1, 2); }},
    {"rbf:gamma=0.2", [](const Row& x, const Row& y, bool) { return std::exp(-0.2 * distance(x, y, 0, 6)); }},
    {"rbf(2-4):gamma=0.2", [](const Row& x, const Row& y, bool) { return std::exp(-0.2 * distance(x, y, 1, 4)); }},
    {"attribute",
     [](const Row& x, const Row& y, bool) { return product(x, y) / std::sqrt(product(x, x) * product(y, y)); }},
    {"correlation", [](const Row& x, const Row& y, bool) { return correlation(x, y); }},
    {"identity(query)", [](const Row&, const Row&, bool same) { return same ? 1.0 : 0.0; }},
    {"identity(1)", [](const Row& x, const Row& y, bool) { return x[0] == y[0] ? 1.0 : 0.0; }},
    {"2 * rbf(1):gamma=0.5 * identity(query) + 0.5 * linear",
     [](const Row& x, const Row& y, bool same) {
       return (same ? 2 * std::exp(-0.5 * distance(x, y, 0, 1)) : 0.0) + 0.5 * product(x, y);
     }},
};

class KernelValues : public testing::TestWithParam<bool> {
 protected:
  // The first column repeats, so that identity(1) has something to find.
  const Documents documents_{
      test::random_data({.lengths = {7, 19, 4, 11}, .features = 6, .density = 0.6, .seed = 3, .sparse = GetParam()})};
};

TEST_P(KernelValues, AreSymmetricToTheLastBitAndHaveTheirDiagonal) {
  for (const Definition& c : kDefinitions) {
    const auto kernel = make_kernel(c.text, documents_);
    const std::vector<float> gram = test::gram_of(*kernel, documents_, documents_);
    std::vector<float> diagonal(documents_.size());
    kernel->diagonal(documents_, diagonal);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_EQ(gram[i * documents_.size() + j], gram[j * documents_.size() + i]) << c.text;
      EXPECT_NEAR(gram[i * documents_.size() + i], diagonal[i], 1e-5 * (1 + std::fabs(diagonal[i]))) << c.text;
    }
  }
}

TEST_P(KernelValues, DoNotDependOnHowTheCallIsCut) {
  const auto kernel = make_kernel("rbf:gamma=0.2 + poly:degree=2", documents_);
  const auto columns = kernel->against(documents_);
  const std::vector<float> whole = test::gram_of(*kernel, documents_, documents_);
  for (std::uint32_t i = 0; i < documents_.size(); ++i)
    for (std::size_t first = 0; first < documents_.size(); first += KernelColumns::kTile) {
      const std::size_t last = std::min(documents_.size(), first + 9);
      std::vector<float> part(last - first);
      columns->compute(documents_, std::span(&i, 1), first, last, part.data(), part.size());
      for (std::size_t j = first; j < last; ++j) EXPECT_EQ(part[j - first], whole[i * documents_.size() + j]);
    }
}

TEST_P(KernelValues, HaveNoNegativeEigenvalues) {
  for (const Definition& c : kDefinitions)
    EXPECT_NO_THROW(check_positive(*make_kernel(c.text, documents_), documents_)) << c.text;
}

INSTANTIATE_TEST_SUITE_P(Storage, KernelValues, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "Compressed" : "Dense"; });

TEST(Kernel, ValuesAreThoseOfTheDefinition) {
  const Documents documents(test::random_data({.lengths = {7, 19, 4, 11}, .features = 6, .density = 0.6, .seed = 3}));
  for (const Definition& c : kDefinitions) {
    const auto kernel = make_kernel(c.text, documents);
    const std::vector<float> gram = test::gram_of(*kernel, documents, documents);
    for (std::size_t i = 0; i < documents.size(); ++i)
      for (std::size_t j = 0; j < documents.size(); ++j) {
        const bool same = documents.query_of(i) == documents.query_of(j);
        const double exact = c.value(test::row_of(documents, i), test::row_of(documents, j), same);
        EXPECT_NEAR(gram[i * documents.size() + j], exact, 1e-5 * (1 + std::fabs(exact))) << c.text;
      }
  }
}

TEST(Kernel, CompressedAndDenseRowsGiveTheSameValues) {
  const test::RandomData options{.lengths = {7, 9}, .features = 6, .density = 0.5, .seed = 5};
  test::RandomData compressed = options;
  compressed.sparse = true;
  const Documents dense(test::random_data(options)), sparse(test::random_data(compressed));
  const char* const text = "rbf(1-6):gamma=0.3 + linear(2 4)";
  EXPECT_EQ(test::gram_of(*make_kernel(text, dense), dense, dense),
            test::gram_of(*make_kernel(text, sparse), sparse, sparse));
}

TEST(Kernel, IdentityComparesNamesAcrossDataSets) {
  const auto build = [](std::vector<std::pair<const char*, const char*>> pairs) {
    DatasetBuilder builder;
    for (const auto& [user, item] : pairs) builder.add({0, user, item}, std::vector<float>{1});
    return Documents(builder.finish());
  };
  const Documents known = build({{"ann", "dune"}, {"ann", "emma"}, {"bob", "dune"}});
  const Documents met = build({{"bob", "emma"}, {"cleo", "dune"}});
  const auto kernel = make_kernel("identity(query) + 2 * identity(document)", known);
  EXPECT_EQ(test::gram_of(*kernel, met, known), (std::vector<float>{0, 2, 1, 2, 0, 2}));
}

TEST(Kernel, TheMedianHeuristicMakesHalfOfAllPairsNearerThanOneWidth) {
  const Documents documents(test::random_data({.lengths = {60, 60}, .features = 4, .seed = 9}));
  const auto kernel = make_kernel("rbf:gamma=median", documents);
  const std::vector<float> gram = test::gram_of(*kernel, documents, documents);
  std::size_t near = 0, pairs = 0;
  for (std::size_t i = 0; i < documents.size(); ++i)
    for (std::size_t j = 0; j < i; ++j, ++pairs) near += gram[i * documents.size() + j] > std::exp(-1.0f);
  EXPECT_NEAR(static_cast<double>(near) / static_cast<double>(pairs), 0.5, 0.05);
}

}  // namespace
}  // namespace dorm
