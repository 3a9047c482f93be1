// SPDX-License-Identifier: Apache-2.0
// Models of RankLib, read as its CoorAscent reads them: the first line that is no comment, numbers of features and
// weights in doubles.
#include <gtest/gtest.h>

#include <sstream>

#include "export_case.h"
#include "support/message_of.h"

namespace dorm {
namespace {

Exported to_ranklib(const Model& model, const ExportOptions& options = {}) {
  return export_model(model, find_export_target("ranklib"), options);
}

std::vector<std::pair<std::string, double>> ranklib_weights(const std::string& text) {
  std::istringstream in(text);
  std::string line;
  EXPECT_TRUE(std::getline(in, line) && line == "## Coordinate Ascent");
  while (std::getline(in, line) && line.starts_with("##")) continue;
  std::vector<std::pair<std::string, double>> weights;
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const std::size_t colon = word.find(':');
    weights.emplace_back(word.substr(0, colon), std::stod(word.substr(colon + 1)));
  }
  EXPECT_FALSE(weights.empty());
  EXPECT_FALSE(std::getline(in, line));
  return weights;
}

TEST(RankLib, ScoresAsTheModelDoes) {
  for (const ScalingKind kind : {ScalingKind::none, ScalingKind::zscore, ScalingKind::minmax}) {
    const test::ExportCase one(kind, {"1", "2", "3", "12", "x"});
    const Exported exported = to_ranklib(one.model, {.names = {{"x", "5"}}});
    one.expect_served(
        exported,
        [&](const test::ExportRow& row) {
          double sum = 0;
          for (const auto& [number, weight] : ranklib_weights(exported.files[0].bytes))
            sum += weight * static_cast<double>(row.at(number == "5" ? "x" : number));
          return sum;
        },
        test::kDoubleUnit);
    EXPECT_EQ(exported.served.pruned == 0, kind == ScalingKind::none);
  }
}

TEST(RankLib, FeaturesAreNumbers) {
  for (const char* name : {"title", "0", "-1", "01", "+1", "1.5", "", "3000000000", "1 2", "1:2"})
    EXPECT_NE(test::message_of(
                  [&] {
                    to_ranklib(test::ExportCase(ScalingKind::none, {"1"}).model, {.names = {{"1", name}}});
                  },
                  ErrorCode::unsupported)
                  .find("numbers features from 1"),
              std::string::npos)
        << name;
}

TEST(RankLib, AModelWithoutWeightsIsOneOfWeightZero) {
  Model model = test::ExportCase(ScalingKind::none, {"4"}).model;
  model.weights = {0};
  EXPECT_EQ(ranklib_weights(to_ranklib(model).files[0].bytes),
            (std::vector<std::pair<std::string, double>>{{"1", 0.0}}));
}

}  // namespace
}  // namespace dorm
