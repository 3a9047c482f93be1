// SPDX-License-Identifier: Apache-2.0
// Bodies of requests, whole requests to a service of three models, and connections to it. What is accepted has a row
// for every document; whatever is asked is answered, never by "the server failed".
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

#include "base/json.h"
#include "dorm/model.h"
#include "dorm/recommend/factorize.h"
#include "serve/inference_request.h"
#include "serve/rank_request.h"
#include "serve/service.h"
#include "target.h"
#include "tests/serve/in_memory_connection.h"
#include "worlds.h"

namespace dorm::fuzz {
namespace {

constexpr std::size_t kMost = 50;

void check(const serve::RankRequest& asked) {
  require(asked.documents > 0 && asked.documents <= kMost && asked.width > 0);
  require(asked.values.size() == asked.documents * asked.width);
  require(asked.features.empty() || asked.features.size() == asked.width);
  require(asked.ids.size() <= asked.documents && asked.groups.size() <= asked.documents);
  for (const float value : asked.values) require(std::isfinite(value));
}

void rank_request(Bytes input) {
  const auto fields = take_choice(input) % 2 == 0 ? serve::RankFields::rank : serve::RankFields::explain;
  std::string body(as_text(input));
  check(serve::read_rank_request(body, fields, kMost));
}

void inference_request(Bytes input) {
  const std::string length = take_choice(input) % 2 == 0 ? "" : std::to_string(input.size() / 2);
  std::string body(as_text(input));
  check(serve::read_inference_request(body, length, kMost).rows);
}

void binary_rows(Bytes input) {
  const std::string body(as_text(input));
  const DenseRows rows = serve::read_binary_rows(body, kMost);
  require(rows.rows > 0 && rows.rows <= kMost && rows.columns > 0);
  require(8 + rows.rows * rows.columns * sizeof(float) == body.size());
}

serve::Service& service() {
  static const auto made = [] {
    serve::Options options;
    const std::string linear = scratch_path("served.json"), kernel = scratch_path("served-kernel.json");
    save_model(train(small_data(), small_training()).model, linear);
    TrainOptions by_kernel = small_training();
    by_kernel.kernel = "rbf:gamma=0.5";
    save_model(train(small_data(), by_kernel).model, kernel);
    const std::string factors = scratch_path("served.factors");
    save_factors(factorize(small_ratings(), {.rank = 2, .threads = 1}).model, factors);
    options.models = {{"m", linear}, {"k", kernel}, {"f", factors}};
    options.limits.documents = kMost;
    options.limits.header_bytes = 1000;
    options.limits.body_bytes = 2000;
    options.limits.memory_bytes = 20'000;
    return std::make_unique<serve::Service>(options);
  }();
  return *made;
}

/// A choice of what is asked, and the body.
void request(Bytes input) {
  static constexpr std::array<const char*, 7> kTargets = {
      "/v1/rank",      "/v1/models/k/rank",  "/v1/explain", "/v1/models/k/explain",
      "/v1/recommend", "/v2/models/m/infer", "/v1/models/m"};
  const std::uint8_t choice = take_choice(input);
  serve::Request asked{.method = "POST", .target = kTargets[choice % kTargets.size()], .host = "localhost"};
  asked.content_type = choice < 128 ? serve::kJson : serve::kBinary;
  asked.body = as_text(input);
  const serve::Answer answer = service().answer(asked);
  require(answer.status != 500);
  if (answer.type == serve::kJson) parse_json(answer.body, "answer", "JSON");
}

/// The bytes of a connection, and before them the size of the pieces in which they come. What is sent are responses,
/// the same as for bytes that come at once.
void connection(Bytes input) {
  const std::size_t size = 1 + std::size_t{take_choice(input)};
  const std::string_view bytes = as_text(input);
  const auto sent = [&](std::size_t piece) {
    test::InMemoryConnection made(service());
    for (std::size_t at = 0; at < bytes.size(); at += piece) made.receive(bytes.substr(at, piece));
    made.wait_too_long();
    return test::without_dates(made.sent());
  };
  const std::string in_pieces = sent(size), at_once = sent(bytes.size() + 1);
  const std::vector<int> statuses = test::statuses_of(in_pieces);
  for (const int status : statuses) require(status != -1 && status != 500);
  require(statuses == test::statuses_of(at_once));
  // Metrics count the requests in between.
  require(in_pieces == at_once || bytes.find("metrics") != std::string_view::npos);
  require(service().budget().used() == 0);
}

std::vector<Seed> connection_seeds() {
  const std::string head = "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  const std::string body = R"({"documents":[{"values":[1,2,3]}]})";
  const std::string post = fmt::format("{}Content-Length: {}\r\n\r\n{}", head, body.size(), body);
  const std::string chunks =
      fmt::format("{}Transfer-Encoding: chunked\r\n\r\n5;a=b\r\n{}\r\n{:x}\r\n{}\r\n0\r\nA: b\r\n\r\n", head,
                  body.substr(0, 5), body.size() - 5, body.substr(5));
  const std::string get = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
  return {{"post", "\x07" + post},
          {"chunked", "\x03" + chunks},
          {"pipelined", "\x20" + post + chunks + get + "HEAD /v1/models HTTP/1.0\r\n\r\n"},
          {"expecting", "\x40" + head + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}"},
          {"ambiguous", "\x05" + head + "Transfer-Encoding: gzip\r\nHost: x\r\n y\r\n\r\n" + get},
          {"long", "\xff" + head + "A: " + std::string(1500, 'x') + "\r\n\r\n"}};
}

std::vector<Seed> rank_seeds() {
  const char* bodies[] = {
      R"({"features": ["1", "2", "3"], "documents": [{"id": "a", "values": [1, 2, 3]}, {"values": [0.5, -1, 1e3]}]})",
      R"({"columns": {"1": [1, 2], "2": [3, 4], "3": [0, 0]}, "top": 1, "explain": true})",
      R"({"documents": [{"id": 1, "group": "g", "values": [1, 2, 3]}], "one_per": "group", "model": "m"})",
      R"({"documents": [{"values": [1, 2, 3]}, {"id": "b", "values": [3, 2, 1]}], "pair": [0, "b"]})",
      R"({"inputs": [{"name": "f", "shape": [1, 3], "datatype": "FP32", "data": [1, 2, 3]}]})",
      R"({"inputs": [{"name": "1", "shape": [1], "datatype": "FP64", "data": [[1]]}], "outputs": [{"name": "scores"}]})",
      R"({"ratings": [{"item": "x", "rating": 5}], "top": 3})"};
  std::vector<Seed> seeds;
  for (char choice = 0; choice < 6; ++choice)
    for (const char* body : bodies)
      seeds.push_back({"json" + std::to_string(seeds.size()), choice + std::string(body)});
  const std::uint32_t size[] = {2, 3};
  const float values[] = {1, 2, 3, 4, 5, 6};
  std::string binary(sizeof size + sizeof values, '\0');
  std::memcpy(binary.data(), size, sizeof size);
  std::memcpy(binary.data() + sizeof size, values, sizeof values);
  seeds.push_back({"binary", binary});
  seeds.push_back({"binary-request", "\x85" + binary});
  return seeds;
}

constexpr std::array<Target, 5> kServeTargets = {{
    {"rank_request", rank_request, rank_seeds},
    {"inference_request", inference_request, rank_seeds},
    {"binary_rows", binary_rows, rank_seeds},
    {"served_request", request, rank_seeds},
    {"served_connection", connection, connection_seeds},
}};

}  // namespace

std::span<const Target> serve_targets() { return kServeTargets; }

}  // namespace dorm::fuzz
