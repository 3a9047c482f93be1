// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "dorm/error.h"
#include "dorm/synth.h"
#include "support/message_of.h"

namespace dorm {
namespace {

SynthOptions small() {
  SynthOptions options;
  options.queries = 200;
  options.features = 20;
  options.seed = 3;
  return options;
}

/// Mean over queries of the correlation between feature k and the label; queries with one label count 0.
double label_correlation(const Dataset& data, std::size_t k) {
  double total = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    double x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    const auto n = static_cast<double>(query.size());
    for (std::size_t i = 0; i < query.size(); ++i) {
      const double f = query.rows.at(i, k), l = query.labels[i];
      x += f, y += l, xx += f * f, yy += l * l, xy += f * l;
    }
    const double spread = (xx - x * x / n) * (yy - y * y / n);
    if (spread > 1e-9) total += (xy - x * y / n) / std::sqrt(spread);
  }
  return total / static_cast<double>(data.num_queries());
}

TEST(Synthesize, ThreadsDoNotMatterAndSeedsDo) {
  SynthOptions options = small();
  options.groups = 7;
  std::vector<std::uint64_t> seen;
  for (const std::size_t threads : {1u, 2u, 5u}) {
    options.threads = threads;
    seen.push_back(synthesize(options).fingerprint());
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
  options.seed = 4;
  EXPECT_NE(synthesize(options).fingerprint(), seen[0]);
}

// Pins the bytes: a change here is a change of everybody's generated data, on purpose or not.
TEST(Synthesize, TheSameSeedGivesTheNumbersItAlwaysGave) {
  SynthOptions options = small();
  const Dataset data = synthesize(options);
  const Query query = data.query(0);
  EXPECT_EQ(data.num_documents(), 12161u);
  std::vector<float> row;
  for (std::size_t k = 0; k < 6; ++k) row.push_back(query.rows.at(0, k));
  EXPECT_EQ(row, (std::vector<float>{16.63f, 0.5369f, 0.1328f, 0.1256f, 0.8118f, 0.4883f}));
}

TEST(Synthesize, GradesHaveTheMixOverallAndVaryByQuery) {
  const Dataset data = synthesize(small());
  std::map<float, double> share;
  double least = 1, most = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    double zeros = 0;
    for (const float label : query.labels) {
      share[label] += 1.0 / static_cast<double>(data.num_documents());
      zeros += label == 0;
    }
    least = std::min(least, zeros / static_cast<double>(query.size()));
    most = std::max(most, zeros / static_cast<double>(query.size()));
  }
  const std::array<double, 5> want = {0.52, 0.32, 0.13, 0.02, 0.01};
  ASSERT_EQ(share.size(), want.size());
  for (std::size_t g = 0; g < want.size(); ++g) EXPECT_NEAR(share[static_cast<float>(g)], want[g], 1e-3) << g;
  EXPECT_LT(least, 0.3);
  EXPECT_GT(most, 0.7);
}

TEST(Synthesize, ListLengthsHaveTheMedianAndSpreadAsked) {
  SynthOptions options = small();
  options.queries = 4000;
  options.features = 1;
  std::vector<double> length;
  const Dataset data = synthesize(options);
  for (std::size_t q = 0; q < data.num_queries(); ++q) length.push_back(static_cast<double>(data.query(q).size()));
  std::sort(length.begin(), length.end());
  EXPECT_NEAR(length[2000], 50, 2);
  EXPECT_NEAR(std::log(length[3365] / length[2000]), 0.5, 0.05);  // 84.1 %: one standard deviation
  EXPECT_NEAR(std::log(length[634] / length[2000]), -0.5, 0.05);
  options.documents_spread = 0;
  options.queries = 3;
  EXPECT_EQ(synthesize(options).num_documents(), 150u);
}

TEST(Synthesize, TheFirstFeatureIsAGoodRankerAndSomeAreUseless) {
  SynthOptions options = small();
  options.features = 60;
  const Dataset data = synthesize(options);
  std::vector<double> others;
  for (std::size_t k = 1; k < 60; ++k) others.push_back(std::fabs(label_correlation(data, k)));
  EXPECT_GT(label_correlation(data, 0), 0.35);
  EXPECT_GT(label_correlation(data, 0), *std::max_element(others.begin(), others.end()));
  EXPECT_GT(*std::max_element(others.begin(), others.end()), 0.1);
  EXPECT_GT(std::count_if(others.begin(), others.end(), [](double c) { return c < 0.02; }), 9);
}

TEST(Synthesize, NoiseDrownsTheSignal) {
  SynthOptions options = small();
  options.noise = 0;
  const double clean = label_correlation(synthesize(options), 0);
  options.noise = 100;
  const double noisy = label_correlation(synthesize(options), 0);
  EXPECT_GT(clean, 0.4);
  EXPECT_LT(std::fabs(noisy), 0.05);
}

TEST(Synthesize, DensityDecidesTheFormAndTheFill) {
  SynthOptions options = small();
  options.features = 400;
  options.density = 0.05;
  const Dataset sparse = synthesize(options);
  EXPECT_FALSE(sparse.dense());
  EXPECT_EQ(sparse.num_nonzeros(), sparse.num_documents() * 20);
  for (std::size_t d = 0; d < 50; ++d) {
    const SparseRow row = sparse.query(0).rows.sparse_row(d % sparse.query(0).size());
    EXPECT_EQ(row.columns[0], 0u);
    EXPECT_TRUE(std::is_sorted(row.columns.begin(), row.columns.end(), std::less_equal<>()));
    EXPECT_LT(row.columns.back(), 400u);
    EXPECT_EQ(std::count(row.values.begin(), row.values.end(), 0.0f), 0);
  }
  options.density = 0.5;
  const Dataset half = synthesize(options);
  ASSERT_TRUE(half.dense());
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < half.query(0).size(); ++i)
    for (std::size_t k = 0; k < 400; ++k) zeros += half.query(0).rows.at(i, k) == 0;
  EXPECT_NEAR(static_cast<double>(zeros) / static_cast<double>(half.query(0).size() * 400), 0.52, 0.05);
}

TEST(Synthesize, NamesAndSitesAreReadable) {
  SynthOptions options = small();
  options.groups = 5;
  const Dataset data = synthesize(options);
  EXPECT_EQ(data.query(11).id, "12");
  EXPECT_EQ(data.document_id(data.first_document(11) + 3), "d000012-004");
  std::map<std::string_view, std::size_t> sites;
  for (std::size_t d = 0; d < data.num_documents(); ++d) ++sites[data.group(d)];
  EXPECT_EQ(sites.size(), 5u);
  std::map<std::string_view, double> first;
  for (std::size_t d = 0; d < data.query(0).size(); ++d) ++first[data.group(d)];
  double most = 0;
  for (const auto& [site, count] : first) most = std::max(most, count);
  EXPECT_GT(most / static_cast<double>(data.query(0).size()),
            0.3);  // 1 / (1 + 1/2 + ... + 1/5) = .44 expected
}

TEST(Synthesize, OptionsOutOfRangeAreNamed) {
  const std::map<std::string, void (*)(SynthOptions&)> cases = {
      {"queries", [](SynthOptions& o) { o.queries = 0; }},
      {"features", [](SynthOptions& o) { o.features = 0; }},
      {"documents_median", [](SynthOptions& o) { o.documents_median = std::nan(""); }},
      {"documents_spread", [](SynthOptions& o) { o.documents_spread = -1; }},
      {"documents_min", [](SynthOptions& o) { o.documents_min = 0; }},
      {"documents_max", [](SynthOptions& o) { o.documents_min = 10, o.documents_max = 9; }},
      {"density", [](SynthOptions& o) { o.density = 0; }},
      {"noise", [](SynthOptions& o) { o.noise = -0.1; }},
      {"query_effect", [](SynthOptions& o) { o.query_effect = INFINITY; }},
      {"groups", [](SynthOptions& o) { o.groups = 1'000'001; }},
      {"more than memory",
       [](SynthOptions& o) { o.queries = 1'000'000, o.documents_median = 1e6, o.features = 10'000; }},
  };
  for (const auto& [field, spoil] : cases) {
    SynthOptions options = small();
    spoil(options);
    SCOPED_TRACE(field);
    const std::string message = test::message_of([&] { synthesize(options); }, ErrorCode::bad_option);
    EXPECT_NE(message.find(field), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace dorm
