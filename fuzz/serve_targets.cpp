// SPDX-License-Identifier: Apache-2.0
// Bodies of requests, and whole requests to a service of three models. What is accepted has a row for every document;
// whatever is asked is answered, never by "the server failed".
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

constexpr std::array<Target, 4> kServeTargets = {{
    {"rank_request", rank_request, rank_seeds},
    {"inference_request", inference_request, rank_seeds},
    {"binary_rows", binary_rows, rank_seeds},
    {"served_request", request, rank_seeds},
}};

}  // namespace

std::span<const Target> serve_targets() { return kServeTargets; }

}  // namespace dorm::fuzz
