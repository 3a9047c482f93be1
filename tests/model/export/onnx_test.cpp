// SPDX-License-Identifier: Apache-2.0
// Files of ONNX, taken apart by a reader of their protobuf messages; what runtimes make of them is tried in
// tests/engines. The emulation of a kernel's graph has the model's scores.
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "dorm/export.h"
#include "model/export/onnx_graph.h"
#include "support/message_of.h"
#include "support/random_data.h"

namespace dorm {
namespace {

/// The fields of a message by number, in order.
struct Message {
  std::map<std::uint64_t, std::vector<std::string>> bytes;
  std::map<std::uint64_t, std::vector<std::uint64_t>> numbers;

  explicit Message(std::string_view text) {
    while (!text.empty()) {
      const std::uint64_t key = take_varint(text), value = take_varint(text);
      if (key % 8 == 0) {
        numbers[key / 8].push_back(value);
        continue;
      }
      EXPECT_EQ(key % 8, 2u) << "a length stands before everything that is no number";
      EXPECT_LE(value, text.size());
      bytes[key / 8].emplace_back(text.substr(0, value));
      text.remove_prefix(value);
    }
  }

  static std::uint64_t take_varint(std::string_view& text) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !text.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(text[0]);
      text.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }

  std::string text(std::uint64_t field) const { return bytes.contains(field) ? bytes.at(field)[0] : ""; }
  Message inner(std::uint64_t field) const { return Message(text(field)); }
};

Model random_model(ScalingKind kind, const Dataset& data) {
  Model model;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    model.features.push_back(data.feature_name(j));
    model.weights.push_back(static_cast<double>(j) - 1.5);
  }
  model.weights[1] = 0;
  model.scaling = fit_scaling(kind, data);
  model.measure = "ndcg@10";
  return model;
}

Model kernel_model(const std::string& kernel, bool fourier, ScalingKind kind, const Dataset& data) {
  Model model = random_model(kind, data);
  model.weights.clear();
  model.kernel.emplace();
  model.kernel->kernel = kernel;
  model.kernel->fourier = fourier;
  model.kernel->support = test::random_data({.lengths = {6}, .features = data.num_features(), .seed = 8});
  for (std::size_t j = 0; j < (fourier ? 12u : 6u); ++j)
    model.kernel->coefficients.push_back(0.3 * static_cast<double>(j) - 1);
  return model;
}

Exported onnx_of(const Model& model, const ExportOptions& options = {}) {
  return export_model(model, find_export_target("onnx"), options);
}

/// Values are made before they are used, constants are as long as they say, and the last node makes the scores.
void require_sound(const Message& graph) {
  std::set<std::string> known = {"X"};
  for (const std::string& bytes : graph.bytes.at(5)) {
    const Message tensor(bytes);
    std::uint64_t size = tensor.numbers.at(2)[0] == 1 ? 4 : 8;
    if (tensor.numbers.contains(1))
      for (const std::uint64_t dimension : tensor.numbers.at(1)) size *= dimension;
    EXPECT_EQ(tensor.text(9).size(), size);
    EXPECT_TRUE(known.insert(tensor.text(8)).second);
  }
  std::string last;
  for (const std::string& bytes : graph.bytes.at(1)) {
    const Message node(bytes);
    for (const std::string& input : node.bytes.at(1)) EXPECT_TRUE(known.contains(input)) << input;
    last = node.text(2);
    EXPECT_TRUE(known.insert(last).second) << last;
  }
  EXPECT_EQ(last, "scores");
}

TEST(Onnx, NumbersAreWrittenInGroupsOfSevenBits) {
  EXPECT_EQ(ProtoMessage().number(1, 0).written(), std::string("\x08\x00", 2));
  EXPECT_EQ(ProtoMessage().number(2, 300).written(), "\x10\xAC\x02");
  EXPECT_EQ(ProtoMessage().number(1, ~std::uint64_t{0}).written(), "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01");
  EXPECT_EQ(ProtoMessage().bytes(20, "ab").written(),
            "\xA2\x01\x02"
            "ab");
  const std::string longer(200, 'x');
  EXPECT_EQ(ProtoMessage().bytes(1, longer).written(), "\x0A\xC8\x01" + longer);
}

TEST(Onnx, FilesOfLinearModelsAreSound) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 5, .seed = 3});
  for (const CatalogEntry& entry : scaling_catalog()) {
    if (entry.name == "auto") continue;
    Model model = random_model(parse_scaling(entry.name), data);
    model.features[0] = "say \"\xE2\x82\xAC\"";
    const Message file(onnx_of(model, {.name = "ranker", .names = {}}).files[0].bytes);
    EXPECT_EQ(file.numbers.at(1)[0], 8u);
    EXPECT_EQ(file.inner(8).numbers.at(2)[0], 13u);
    const Message graph = file.inner(7);
    require_sound(graph);
    EXPECT_EQ(graph.text(2), "ranker");
    EXPECT_EQ(Message(graph.text(11)).text(1), "X");
    std::map<std::string, std::string> properties;
    for (const std::string& bytes : file.bytes.at(14)) properties[Message(bytes).text(1)] = Message(bytes).text(2);
    EXPECT_EQ(properties["features"], "[\"say \\\"\xE2\x82\xAC\\\"\",\"2\",\"3\",\"4\",\"5\"]");
    EXPECT_EQ(properties["scaling"], entry.name);
    EXPECT_EQ(properties["measure"], "ndcg@10");
  }
}

TEST(Onnx, ModelsWithoutAWeightHaveScores) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 3, .seed = 3});
  Model model = random_model(ScalingKind::zscore, data);
  model.weights.assign(3, 0.0);
  require_sound(Message(onnx_of(model).files[0].bytes).inner(7));
}

TEST(Onnx, KernelsAreEmulatedAsTheModelScores) {
  const Dataset data = test::random_data({.lengths = {7, 5, 1}, .features = 5, .seed = 3});
  const char* const kernels[] = {"rbf:gamma=0.3",
                                 "linear",
                                 "poly:degree=3,coef0=0.5,gamma=0.2",
                                 "attribute(1-3)",
                                 "correlation",
                                 "identity(2)",
                                 "0.5 * rbf(1-2):gamma=0.7 * linear(4 5) + 2 * poly:degree=2,coef0=1,gamma=0.5",
                                 "precomputed"};
  for (const CatalogEntry& entry : scaling_catalog()) {
    if (entry.name == "auto") continue;
    for (const std::string kernel : kernels) {
      Dataset own = data;
      if (kernel == "precomputed") own = test::random_data({.lengths = {7, 5, 1}, .features = 6, .seed = 3});
      const Model model = kernel_model(kernel, false, parse_scaling(entry.name), own);
      if (kernel == "identity(2)" && (model.scaling.per_query() || entry.name == "log-zscore")) {
        EXPECT_NE(test::message_of([&] { onnx_of(model); }, ErrorCode::unsupported).find("rounding"),
                  std::string::npos);
        continue;
      }
      const Exported exported = onnx_of(model);
      require_sound(Message(exported.files[0].bytes).inner(7));
      const ServedDifference off =
          served_difference(own, score(model, own), served_scores(exported.served, model, own), 0, 10);
      EXPECT_LT(off.largest, 2e-6 * (1 + off.scale)) << kernel << " " << entry.name;
    }
    const Model model = kernel_model("rbf:gamma=0.3", true, parse_scaling(entry.name), data);
    const ServedDifference off =
        served_difference(data, score(model, data), served_scores(onnx_of(model).served, model, data), 0, 10);
    EXPECT_LT(off.largest, 2e-6 * (1 + off.scale)) << "fourier " << entry.name;
  }
}

TEST(Onnx, KernelsOfNamesAreRefused) {
  const Dataset data = test::random_data({.lengths = {7, 5}, .features = 3, .seed = 3});
  const auto refusal = [&](const char* kernel) {
    return test::message_of([&] { onnx_of(kernel_model(kernel, false, ScalingKind::none, data)); },
                            ErrorCode::unsupported);
  };
  EXPECT_NE(refusal("linear + identity(query)").find("compares names"), std::string::npos);
  EXPECT_NE(refusal("function").find("unknown kernel"), std::string::npos);
  Model model = random_model(ScalingKind::none, data);
  model.features[2] = "\xC3";
  EXPECT_NE(test::message_of([&] { onnx_of(model); }, ErrorCode::unsupported).find("UTF-8"), std::string::npos);
}

}  // namespace
}  // namespace dorm
