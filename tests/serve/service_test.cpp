// SPDX-License-Identifier: Apache-2.0
// What is asked and answered, without sockets.
#include "serve/service.h"

#include <gtest/gtest.h>

#include <cstring>
#include <future>

#include "base/json.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "serve/gate.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm::serve {
namespace {

Model served_model(std::vector<double> weights = {1, 10}) {
  Model model;
  model.features = {"x", "y"};
  model.weights = std::move(weights);
  model.measure = "ndcg@10";
  model.data.statistics = {.minimum = {0, 0}, .maximum = {3, 3}, .mean = {1, 1}};
  return model;
}

class ServiceTest : public testing::Test {
 protected:
  ServiceTest() {
    save_model(served_model(), folder_.path("m.json"));
    Model other = served_model({-1, 0});
    other.scaling.kind = ScalingKind::query_minmax;
    save_model(other, folder_.path("other.json"));
    options_.models = {{"m", folder_.path("m.json")}, {"other", folder_.path("other.json")}};
  }

  Service& service() {
    if (!service_) service_ = std::make_unique<Service>(options_);
    return *service_;
  }

  Answer ask(std::string_view method, std::string_view target, std::string body = "", std::string_view type = kJson) {
    Request request{.method = method, .target = target, .host = "localhost:8080", .content_type = type};
    request.authorization = authorization_;
    request.host = host_;
    request.body = std::move(body);
    return service().answer(request);
  }

  Json asked(std::string_view target, const std::string& body) {
    const Answer answer = ask("POST", target, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return parse_json(answer.body, "answer", "JSON");
  }

  std::string error_of(const Answer& answer) {
    return parse_json(answer.body, "answer", "JSON").at("error").get<std::string>();
  }

  test::TemporaryDirectory folder_;
  Options options_;
  std::string authorization_, host_ = "localhost:8080";
  std::unique_ptr<Service> service_;
};

TEST_F(ServiceTest, NeedsModelsOrRoutesOfItsOwn) {
  options_.models.clear();
  EXPECT_NE(test::message_of([&] { service(); }, ErrorCode::bad_option).find("no model is given"), std::string::npos);
  options_.routes = [](Router& router) {
    router.add("GET", "/mine", [](Request&, const std::vector<std::string_view>&) { return Answer{.body = "{}"}; });
  };
  EXPECT_EQ(ask("GET", "/mine").body, "{}");
  EXPECT_EQ(ask("GET", "/v1/models").status, 404);
  EXPECT_EQ(ask("GET", "/mine").type, kJson);
}

TEST_F(ServiceTest, RanksByTheModelAndSaysWhich) {
  const Json out = asked("/v1/rank", R"({"documents": [{"id": "a", "values": [1, 2]}, {"id": "b", "values": [3, 4]},
                                        {"values": [5, 0]}], "top": 2})");
  EXPECT_EQ(out["model"], "m");
  EXPECT_EQ(out["ranking"].dump(),
            R"([{"id":"b","index":1,"score":43,"rank":1},{"id":"a","index":0,"score":21,"rank":2}])");
  EXPECT_EQ(ask("POST", "/v1/rank", R"({"documents":[{"values":[1,2]}]})").version, out["version"]);
}

TEST_F(ServiceTest, ColumnsMayComeInAnyOrderButAreNamed) {
  EXPECT_EQ(asked("/v1/rank", R"({"features": ["y", "x"], "documents": [{"values": [2, 1]}]})")["ranking"][0]["score"],
            21);
  EXPECT_EQ(asked("/v1/rank", R"({"columns": {"y": [2], "x": [1]}})")["ranking"][0]["score"], 21);
  const auto why = [&](const std::string& body) {
    const Answer answer = ask("POST", "/v1/rank", body);
    EXPECT_EQ(answer.status, 400);
    return error_of(answer);
  };
  EXPECT_EQ(why(R"({"features": ["x", "yy"], "documents": [{"values": [2, 1]}]})"),
            "features[1]: found 'yy'; expected a feature of the model m");
  EXPECT_EQ(why(R"({"features": ["x", "x"], "documents": [{"values": [2, 1]}]})"),
            "features[1]: found 'x' again; expected each name once");
  EXPECT_EQ(why(R"({"features": ["x"], "documents": [{"values": [2]}]})"),
            "features: found none called 'y', which the model m uses; expected all that it uses");
  EXPECT_EQ(why(R"({"documents": [{"values": [2]}]})"),
            "found 1 values for each document; expected 2, one for each feature of the model m");
}

TEST_F(ServiceTest, OneRequestIsOneQuery) {
  const Json out = asked("/v1/models/other/rank",
                         R"({"documents": [{"values": [5, 0]}, {"values": [15, 0]}, {"values": [10, 0]}]})");
  EXPECT_EQ(out["ranking"].dump(),
            R"([{"index":0,"score":0,"rank":1},{"index":2,"score":-0.5,"rank":2},{"index":1,"score":-1,"rank":3}])");
  EXPECT_EQ(asked("/v1/rank", R"({"model": "other", "documents": [{"values": [5, 0]}]})")["model"], "other");
  EXPECT_EQ(ask("POST", "/v1/models/none/rank", R"({"documents": [{"values": [5, 0]}]})").status, 404);
  EXPECT_EQ(ask("POST", "/v1/models/m/rank", R"({"model": "other", "documents": [{"values": [5, 0]}]})").status, 400);
}

TEST_F(ServiceTest, BytesGiveTheScoresOfTheirRows) {
  std::string body(8 + 4 * sizeof(float), '\0');
  const std::uint32_t size[] = {2, 2};
  const float values[] = {1, 2, 3, 4};
  std::memcpy(body.data(), size, 8);
  std::memcpy(body.data() + 8, values, sizeof values);
  const Answer answer = ask("POST", "/v1/rank", body, kBinary);
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.type, kBinary);
  double scores[2];
  ASSERT_EQ(answer.body.size(), sizeof scores);
  std::memcpy(scores, answer.body.data(), sizeof scores);
  EXPECT_EQ(scores[0], 21);
  EXPECT_EQ(scores[1], 43);
}

TEST_F(ServiceTest, ContributionsSumToTheScore) {
  const Json first =
      asked("/v1/rank", R"({"documents": [{"values": [1, 2]}, {"values": [3, 4]}], "explain": true})")["ranking"][0];
  EXPECT_EQ(first["contributions"]["x"], 3);
  EXPECT_EQ(first["contributions"]["y"], 40);
}

TEST_F(ServiceTest, TwoDocumentsAreTakenApart) {
  const Json out = asked("/v1/explain", R"({"documents": [{"id": "a", "values": [1, 2]}, {"id": "b", "values": [3, 4]},
                                           {"id": "c", "values": [9, 9]}], "pair": ["a", 1]})");
  EXPECT_EQ(out["documents"].size(), 2u);
  EXPECT_EQ(out["documents"][0]["id"], "b");
  EXPECT_EQ(out["documents"][0]["rank"], 2);
  const Json& difference = out["difference"];
  EXPECT_EQ(difference["score"], 21 - 43);
  EXPECT_EQ(difference["lower"], 0);
  EXPECT_EQ(difference["features"][0]["feature"], "y");
  EXPECT_EQ(difference["features"][0]["difference"], -20);
  EXPECT_DOUBLE_EQ(difference["features"][0]["level_at"].get<double>(), 2 + 22.0 / 10);
  EXPECT_DOUBLE_EQ(difference["features"][1]["level_at"].get<double>(), 1 + 22.0);
  EXPECT_TRUE(
      asked("/v1/explain", R"({"documents": [{"values": [1, 2]}, {"values": [3, 4]}]})").contains("difference"));
  EXPECT_EQ(ask("POST", "/v1/explain", R"({"documents": [{"values": [1, 2]}], "pair": ["a", 0]})").status, 400);
  EXPECT_EQ(ask("POST", "/v1/explain", R"({"documents": [{"values": [1, 2]}], "pair": [0, 1]})").status, 400);
  EXPECT_EQ(ask("POST", "/v1/explain", R"({"documents": [{"values": [1, 2]}], "pair": [0, 0]})").status, 400);
}

TEST_F(ServiceTest, LimitsOnGroupsAreThoseOfTheRequest) {
  const std::string documents = R"("documents": [{"id": "http://a.org/1", "values": [1, 2]},
      {"id": "http://a.org/2", "values": [3, 4]}, {"id": "http://b.org/1", "group": "g", "values": [0, 0]}])";
  const Json out = asked("/v1/rank", "{" + documents + R"(, "one_per": "host"})")["ranking"];
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0]["index"], 1);
  EXPECT_EQ(out[1]["index"], 2);
  EXPECT_EQ(ask("POST", "/v1/rank", "{" + documents + R"(, "one_per": "hosst"})").status, 400);
}

TEST_F(ServiceTest, TheInferenceProtocolGivesScores) {
  const Json meta = parse_json(ask("GET", "/v2/models/m").body, "answer", "JSON");
  EXPECT_EQ(meta["inputs"].dump(), R"([{"name":"features","datatype":"FP32","shape":[-1,2]}])");
  const std::string tensor =
      R"({"inputs": [{"name": "features", "shape": [2, 2], "datatype": "FP32", "data": [1, 2, 3, 4]}]})";
  const Json out = asked("/v2/models/m/infer", tensor);
  EXPECT_EQ(out["outputs"].dump(), R"([{"name":"scores","datatype":"FP64","shape":[2],"data":[21,43]}])");
  EXPECT_EQ(out["model_version"], meta["versions"][0]);
  const std::string version = meta["versions"][0];
  EXPECT_EQ(asked("/v2/models/m/versions/" + version + "/infer", tensor)["outputs"], out["outputs"]);
  EXPECT_EQ(ask("POST", "/v2/models/m/versions/1/infer", tensor).status, 404);
  EXPECT_EQ(ask("POST", "/v2/models/m/infer", tensor, "").status, 200) << "as the client of Triton has it";
  EXPECT_EQ(ask("POST", "/v2/models/m/infer", tensor, "text/plain").status, 415);
  EXPECT_EQ(ask("GET", "/v2/health/ready").status, 200);
}

TEST_F(ServiceTest, PathsAndMethodsThatAreNotThereAreSaid) {
  EXPECT_EQ(ask("GET", "/nowhere").status, 404);
  EXPECT_EQ(ask("GET", "/v1/rank/").status, 404);
  EXPECT_EQ(ask("GET", "v1/rank").status, 404);
  EXPECT_EQ(ask("GET", "").status, 404);
  const Answer wrong = ask("GET", "/v1/rank");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.front().second, "POST");
  EXPECT_EQ(ask("HEAD", "/v1/models").status, 200);
  EXPECT_EQ(ask("DELETE", "/v1/models").headers.front().second, "GET, HEAD");
  EXPECT_EQ(ask("GET", "/v1/models?x=1").status, 200);
}

TEST_F(ServiceTest, ABodyMustSayWhatItIs) {
  const std::string body = R"({"documents": [{"values": [1, 2]}]})";
  EXPECT_EQ(ask("POST", "/v1/rank", body, "text/plain").status, 415);
  EXPECT_EQ(ask("POST", "/v1/rank", body, "").status, 415);
  EXPECT_EQ(ask("POST", "/v1/rank", body, "application/jsonx").status, 415);
  EXPECT_EQ(ask("POST", "/v1/rank", body, "Application/JSON; charset=utf-8").status, 200);
  EXPECT_EQ(ask("POST", "/v1/explain", body, kBinary).status, 415);
}

TEST_F(ServiceTest, OnThisMachineOnlyItsOwnNamesAreHosts) {
  for (const char* host : {"localhost", "LocalHost:1", "127.0.0.1:8080", "[::1]:8080", "127.9.9.9"}) {
    host_ = host;
    EXPECT_EQ(ask("GET", "/v1/models").status, 200) << host;
  }
  for (const char* host :
       {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "[::2]", "[::1", "", "1127.0.0.1"}) {
    host_ = host;
    EXPECT_EQ(ask("GET", "/v1/models").status, 421) << host;
  }
}

TEST_F(ServiceTest, OthersNeedATokenAndMustBearIt) {
  options_.address = "0.0.0.0";
  EXPECT_NE(test::message_of([&] { service(); }, ErrorCode::bad_option).find("expected a token"), std::string::npos);
  options_.token = "0123456789abcdef";
  host_ = "ranker.example";
  for (const char* bad : {"", "Bearer", "Bearer ", "Bearer 0123456789abcdeg", "Bearer 0123456789abcde",
                          "Bearer 0123456789abcdef0123456789abcdef", "Basic 0123456789abcdef", "0123456789abcdef"}) {
    authorization_ = bad;
    EXPECT_EQ(ask("GET", "/v1/models").status, 401) << bad;
    EXPECT_EQ(ask("GET", "/nowhere").status, 401) << bad;
    EXPECT_EQ(ask("GET", "/metrics").status, 401) << bad;
    EXPECT_EQ(ask("GET", "/v2/health/live").status, 200) << bad;
  }
  authorization_ = "bearer 0123456789abcdef";
  EXPECT_EQ(ask("GET", "/v1/models").status, 200);
}

TEST_F(ServiceTest, SecretsAreTheSameOnlyWhenAllOfThemIs) {
  EXPECT_TRUE(same_secret("abc", "abc"));
  for (const char* other : {"", "ab", "abd", "abcabc", "abca", "xbc"}) EXPECT_FALSE(same_secret(other, "abc")) << other;
  EXPECT_FALSE(same_secret("", ""));
}

TEST_F(ServiceTest, TokensAreTheFirstLineOfAFile) {
  EXPECT_EQ(read_token(folder_.write("t", "0123456789abcdef\r\nmore\n")), "0123456789abcdef");
  for (const char* text : {"", "short\n", "0123456789 abcdef\n", "0123456789\tabcdef"})
    EXPECT_NE(test::message_of([&] { read_token(folder_.write("t", text)); }).find("no usable token"),
              std::string::npos);
}

TEST_F(ServiceTest, MetricsCountWhatHappened) {
  ask("POST", "/v1/rank", R"({"documents": [{"values": [1, 4]}, {"values": [-1, 5]}, {"values": [0, 3]}]})");
  ask("POST", "/v1/rank", "{");
  const std::string text = ask("GET", "/metrics").body;
  for (const char* line :
       {"dorm_requests_total{model=\"m\",code=\"200\"} 1\n", "dorm_requests_total{model=\"\",code=\"400\"} 1\n",
        "dorm_documents_total{model=\"m\"} 3\n", "dorm_request_seconds_count 2\n",
        "dorm_feature_out_of_range_total{model=\"m\",feature=\"x\"} 1\n",
        "dorm_feature_out_of_range_total{model=\"m\",feature=\"y\"} 2\n", "dorm_reload_failures_total 0\n",
        "dorm_score_seconds_bucket{le=\"+Inf\"} 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
}

TEST_F(ServiceTest, TheLogIsJsonWhateverIsAsked) {
  std::vector<std::string> lines;
  options_.log = [&](std::string_view line) { lines.emplace_back(line); };
  ask("GET", "/\"\n\xff");
  ask("POST", "/v1/rank", R"({"documents": [{"values": [1, 4]}]})");
  service_.reset();  // which waits for the log
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(parse_json(lines[0], "log", "JSON")["status"], 404);
  const Json second = parse_json(lines[1], "log", "JSON");
  EXPECT_EQ(second["model"], "m");
  EXPECT_EQ(second["documents"], 1);
  EXPECT_EQ(second["path"], "/v1/rank");
}

TEST_F(ServiceTest, ALogThatIsStuckKeepsNobodyWaiting) {
  const auto release = std::make_shared<std::promise<void>>();
  const std::shared_future<void> released = release->get_future().share();
  options_.log = [released](std::string_view) { released.wait(); };
  const std::string target = "/" + std::string(250, 'x');
  for (int k = 0; k < 5000; ++k) ask("GET", target);
  const std::string text = ask("GET", "/metrics").body;
  EXPECT_EQ(text.find("dorm_log_dropped_total 0\n"), std::string::npos);
  service_.reset();
  release->set_value();
}

TEST_F(ServiceTest, PagesOfOtherSitesAreRefused) {
  const auto status = [&](std::string_view method, std::string_view origin, std::string_view site) {
    Request request{.method = method, .target = "/v1/models", .host = "localhost"};
    request.origin = origin;
    request.fetch_site = site;
    return service().answer(request).status;
  };
  EXPECT_EQ(status("GET", "", ""), 200);
  EXPECT_EQ(status("GET", "http://localhost:8080", "same-origin"), 200);
  EXPECT_EQ(status("GET", "http://[::1]:8080", ""), 200);
  EXPECT_EQ(status("GET", "", "cross-site"), 200) << "a link";
  EXPECT_EQ(status("GET", "http://evil.com", ""), 403);
  EXPECT_EQ(status("GET", "http://localhost.evil.com", ""), 403);
  EXPECT_EQ(status("GET", "null", ""), 403);
  EXPECT_EQ(status("POST", "", "cross-site"), 403);
  EXPECT_EQ(status("POST", "", "none"), 405);
}

TEST_F(ServiceTest, ATokenThatCanBeGuessedIsRefusedWhereverItComesFrom) {
  for (const std::string token : {"x", "0123456789abcde", "0123456789abcdef\r\nX: y", "0123456789 abcdef"}) {
    options_.token = token;
    const std::string message = test::message_of([&] { Service made(options_); }, ErrorCode::bad_option);
    EXPECT_NE(message.find("no usable token"), std::string::npos) << message;
  }
}

TEST_F(ServiceTest, TheMemoryForAllBodiesHoldsTheLargest) {
  options_.limits.memory_bytes = options_.limits.body_bytes;
  EXPECT_NE(test::message_of([&] { service(); }, ErrorCode::bad_option).find("memory"), std::string::npos);
}

TEST_F(ServiceTest, OtherRoutesCanBeAdded) {
  service().router().add("GET", "/", [](Request&, const auto&) { return Answer{.type = "text/html", .body = "page"}; });
  EXPECT_EQ(ask("GET", "/").body, "page");
}

TEST_F(ServiceTest, TheDescriptionNamesTheModels) {
  const Json api = parse_json(ask("GET", "/openapi.json").body, "answer", "JSON");
  EXPECT_EQ(api["components"]["parameters"]["Ranker"]["schema"]["enum"].dump(), R"(["m","other"])");
  EXPECT_EQ(api["components"]["parameters"]["Recommender"]["schema"]["enum"].dump(), R"(["none"])");
}

TEST_F(ServiceTest, ScoresThatOverflowAreRefused) {
  save_model(served_model({1e308, 1e308}), folder_.path("m.json"));
  EXPECT_EQ(ask("POST", "/v1/rank", R"({"documents": [{"values": [1e30, 1e30]}]})").status, 400);
}

}  // namespace
}  // namespace dorm::serve
