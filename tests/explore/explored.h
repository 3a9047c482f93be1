// SPDX-License-Identifier: Apache-2.0
// An explorer of generated data behind a service without sockets.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/rng.h"
#include "dorm/apps/explore.h"
#include "serve/service.h"
#include "support/temporary_directory.h"

namespace dorm::explore {

inline constexpr const char* kHostile = "<img src=x onerror=alert(1)>";
inline constexpr std::size_t kQueries = 40, kFeatures = 5;

inline Dataset explored_data() {
  Rng rng(4);
  DatasetBuilder builder;
  std::vector<float> row(kFeatures);
  for (std::size_t q = 0; q < kQueries; ++q)
    for (std::size_t i = 0; i < 15; ++i) {
      for (float& x : row) x = static_cast<float>(rng.below(1000)) / 100;
      row[4] = 7;  // constant
      const std::string query = q == 3 ? kHostile : fmt::format("q{}", q);
      builder.add({.label = q == 5 ? 0 : static_cast<float>(rng.below(4)),
                   .query_id = query,
                   .document_id = i == 2 ? fmt::format("{}{}", kHostile, q) : fmt::format("d{}-{}", q, i)},
                  row);
    }
  builder.set_feature_names({"bm25", "age", "<b>links</b>", "length", "same"});
  return builder.finish();
}

inline Model explored_model(std::vector<double> weights) {
  Model model;
  model.features = {"bm25", "age", "<b>links</b>", "length", "same"};
  model.weights = std::move(weights);
  model.measure = "ndcg@5";
  model.convention = "standard";
  model.decay = "measure";
  model.bound = "best";
  model.data.statistics = {.minimum = {0, 0, 0, 0, 7}, .maximum = {8, 10, 10, 10, 7}, .mean = {5, 5, 5, 5, 7}};
  return model;
}

class ExploreRoutes : public testing::Test {
 protected:
  ExploreRoutes() : data_(explored_data()) {
    options_.models = {{"first", explored_model({1, -0.5, 0.25, 0, 0.1}), data_, "00000000000000aa"},
                       {"second", explored_model({0.9, 0.5, 0.25, 0, 0}), data_, "00000000000000bb"}};
    options_.data_name = "test.txt";
    if (can_judge()) options_.judgments = folder_.path("judgments.sqlite");
  }

  serve::Service& service() {
    if (!service_) {
      explorer_ = std::make_unique<Explorer>(options_);
      serve::Options options;
      options.routes = [this](serve::Router& router) { explorer_->add_routes(router); };
      service_ = std::make_unique<serve::Service>(options);
    }
    return *service_;
  }

  serve::Answer ask(std::string_view method, std::string_view target, std::string body = "",
                    std::string_view type = serve::kJson) {
    serve::Request request{.method = method, .target = target, .host = "localhost:1", .content_type = type};
    request.body = std::move(body);
    return service().answer(request);
  }

  Json get(const std::string& target, int status = 200) {
    const serve::Answer answer = ask("GET", "/api/" + target);
    EXPECT_EQ(answer.status, status) << target << answer.body;
    return parse_json(answer.body, "answer", "JSON");
  }
  Json post(const std::string& target, const Json& body, int status = 200) {
    const serve::Answer answer = ask("POST", "/api/" + target, body.dump());
    EXPECT_EQ(answer.status, status) << target << answer.body;
    return parse_json(answer.body, "answer", "JSON");
  }

  const Model& model(std::size_t k) const { return options_.models[k].model; }

  test::TemporaryDirectory folder_;
  Dataset data_;
  Options options_;
  std::unique_ptr<Explorer> explorer_;
  std::unique_ptr<serve::Service> service_;
};

}  // namespace dorm::explore
