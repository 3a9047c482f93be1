// SPDX-License-Identifier: Apache-2.0
// Kernel models: scores by the definition, files that come back, files that are damaged.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dorm/model.h"
#include "dorm/train.h"
#include "model/kernel/kernel_data.h"
#include "support/message_of.h"

namespace dorm {
namespace {

using Json = nlohmann::ordered_json;

Model trained(const char* kernel, const char* approximation, const char* scale = "zscore") {
  TrainOptions options{.C = 10, .scale = scale, .solve = {.tolerance = 1e-2}, .compute = {.threads = 1}};
  options.kernel = kernel;
  options.approximation = approximation;
  return train(test::random_data({.lengths = {8, 7, 9, 6}, .features = 4, .seed = 2}), options).model;
}

Dataset unseen() { return test::random_data({.lengths = {5, 12}, .features = 4, .seed = 77}); }

TEST(KernelModel, ScoresAreSumsOfKernelValuesWithTheSupport) {
  const Model model = trained("rbf:gamma=0.3", "none", "none");
  const Dataset data = unseen();
  const Documents documents(data), support(model.kernel->support);
  const std::vector<double> scores = score(model, data, 2);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    double exact = 0;
    for (std::size_t j = 0; j < support.size(); ++j) {
      const std::vector<float> x = test::row_of(documents, i), y = test::row_of(support, j);
      double distance = 0;
      for (std::size_t k = 0; k < x.size(); ++k)
        distance += std::pow(static_cast<double>(x[k]) - static_cast<double>(y[k]), 2);
      exact += model.kernel->coefficients[j] * std::exp(-0.3 * distance);
    }
    EXPECT_NEAR(scores[i], exact, 1e-5);
  }
}

TEST(KernelModel, ComesBackFromItsFileBitForBit) {
  const std::pair<const char*, const char*> kinds[] = {{"rbf", "none"},
                                                       {"rbf:gamma=0.3", "nystroem:10"},
                                                       {"rbf:gamma=0.3", "fourier:20"},
                                                       {"poly * identity(query) + linear(1-2)", "none"},
                                                       {"poly", "cholesky:12"}};
  for (const auto& [kernel, approximation] : kinds) {
    const Model model = trained(kernel, approximation);
    const Model back = model_from_json(to_json(model), "m.json");
    EXPECT_EQ(score(back, unseen(), 1), score(model, unseen(), 2)) << kernel << " " << approximation;
    EXPECT_EQ(to_json(back), to_json(model));
  }
}

TEST(KernelModel, ColumnsAreMatchedByName) {
  TrainOptions options{.C = 10, .scale = "zscore", .solve = {.tolerance = 1e-2}, .compute = {.threads = 1}};
  options.kernel = "rbf:gamma=0.2 + linear(b)";
  const auto build = [](bool turned, bool more) {
    Rng rng(3);
    DatasetBuilder builder;
    for (int i = 0; i < 24; ++i) {
      const auto a = static_cast<float>(rng.normal()), b = static_cast<float>(rng.normal());
      std::vector<float> row = turned ? std::vector<float>{b, a} : std::vector<float>{a, b};
      if (more) row.push_back(5);
      builder.add({a + b > 0 ? 1.0f : 0.0f, i < 12 ? "1" : "2"}, row);
    }
    std::vector<std::string> names = turned ? std::vector<std::string>{"b", "a"} : std::vector<std::string>{"a", "b"};
    if (more) names.push_back("c");
    builder.set_feature_names(names);
    return builder.finish();
  };
  const Model model = train(build(false, false), options).model;
  EXPECT_EQ(score(model, build(true, true), 1), score(model, build(false, false), 1));
  DatasetBuilder lacking;
  lacking.add({0, "1"}, std::vector<float>{1});
  lacking.set_feature_names({"a"});
  const Dataset other = lacking.finish();
  EXPECT_NE(test::message_of([&] { score(model, other, 1); }).find("feature \"b\""), std::string::npos);
}

TEST(KernelModel, DamagedFilesAreRefusedWithTheReason) {
  const Json good = Json::parse(to_json(trained("rbf:gamma=0.3", "none")));
  const auto says = [&](const std::function<void(Json&)>& damage) {
    Json json = good;
    damage(json["kernel"]);
    return test::message_of([&] { model_from_json(json.dump(), "m.json"); });
  };
  const std::string values = good["kernel"]["values"];
  const std::size_t support = good["kernel"]["support"];
  EXPECT_NE(says([&](Json& k) {
              k["values"] = values.substr(0, values.size() / 8 * 4);
            }).find("m.json: not a usable model: kernel: support documents are missing"),
            std::string::npos);
  EXPECT_NE(says([&](Json& k) { k["values"] = ""; }).find("support documents are missing"), std::string::npos);
  EXPECT_NE(says([&](Json& k) {
              k["values"] = values.substr(0, 4) + "!" + values.substr(5);
            }).find("support documents are missing"),
            std::string::npos);
  EXPECT_NE(says([&](Json& k) {
              std::string other = values;
              other[0] = values[9] == 'A' ? 'B' : 'A';
              k["values"] = other;
            }).find("checksum"),
            std::string::npos);
  EXPECT_NE(says([&](Json& k) {
              k["coefficients"].erase(0);
            }).find(std::to_string(support - 1) + " coefficients for " + std::to_string(support)),
            std::string::npos);
  EXPECT_NE(says([](Json& k) { k.erase("support"); }).find("\"kernel.support\" should be"), std::string::npos);
  EXPECT_NE(says([](Json& k) { k["support"] = 0; }).find("no support documents"), std::string::npos);
  EXPECT_NE(says([](Json& k) { k["form"] = "trees"; }).find("expansion or fourier"), std::string::npos);
  EXPECT_NE(says([](Json& k) { k = Json(); }).find("should be an object"), std::string::npos);
  EXPECT_NE(says([](Json& k) { k["queries"] = {"1"}; }).find("names; expected"), std::string::npos);
}

TEST(KernelModel, PruningKeepsItsPromise) {
  TrainOptions options{.C = 100, .solve = {.tolerance = 1e-3}, .compute = {.threads = 1}};
  options.kernel = "rbf:gamma=1";
  const Model model = train(test::rings(3), options).model;
  EXPECT_LT(model.kernel->support.num_documents(), model.kernel->documents);
  EXPECT_GE(model.kernel->pruned, 0);
  EXPECT_LT(model.kernel->pruned, 1e-3);
}

}  // namespace
}  // namespace dorm
