// SPDX-License-Identifier: Apache-2.0
// Field numbers are those of onnx.proto.
#include "model/export/onnx_graph.h"

#include <fmt/format.h>

#include <bit>

#include "dorm/error.h"

namespace dorm {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

constexpr std::uint64_t kOpset = 13, kIrVersion = 8, kLearningOpset = 3;
constexpr std::string_view kLearningDomain = "ai.onnx.ml";
constexpr std::uint64_t kAttributeInt = 2, kAttributeInts = 7;
constexpr std::size_t kLargestFile = (std::size_t{1} << 31) - 1;  // of protobuf

template <class T>
std::string_view raw(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// A value of the graph's surface; a dimension is a name, or a number.
ProtoMessage surface(std::string_view name, std::int64_t type, std::size_t columns) {
  ProtoMessage shape;
  shape.message(1, ProtoMessage().bytes(2, "documents"));
  if (columns > 0) shape.message(1, ProtoMessage().number(1, columns));
  const ProtoMessage tensor = ProtoMessage().number(1, static_cast<std::uint64_t>(type)).message(2, shape);
  return ProtoMessage().bytes(1, name).message(2, ProtoMessage().message(1, tensor));
}

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>(value | 0x80U);
  bytes_ += static_cast<char>(value);
}

ProtoMessage& ProtoMessage::number(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3U);
  varint(value);
  return *this;
}

ProtoMessage& ProtoMessage::bytes(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3U | 2U);
  varint(value.size());
  bytes_ += value;
  return *this;
}

ProtoMessage& ProtoMessage::packed(std::uint32_t field, std::span<const std::uint64_t> values) {
  ProtoMessage numbers;
  for (const std::uint64_t value : values) numbers.varint(value);
  return bytes(field, numbers.bytes_);
}

ProtoMessage named_attribute(std::string_view name, std::uint64_t type) {
  return ProtoMessage().bytes(1, name).number(20, type);
}

ProtoMessage integers_attribute(std::string_view name, const std::vector<std::uint64_t>& values) {
  return named_attribute(name, kOnnxInts).packed(8, values);
}

OnnxGraph::Value OnnxGraph::input(std::string_view name, std::int64_t type, std::size_t columns) {
  graph_.message(11, surface(name, type, columns));
  return Value(name);
}

OnnxGraph::Value OnnxGraph::learning_node(std::string_view op, const Value& input,
                                          std::span<const ProtoMessage> attributes) {
  Value out = fmt::format("{}_{}", op, ++values_);
  ProtoMessage node;
  node.bytes(1, input).bytes(2, out).bytes(3, out).bytes(4, op).bytes(7, kLearningDomain);
  for (const ProtoMessage& attribute : attributes) node.message(5, attribute);
  graph_.message(1, node);
  learning_ = true;
  return out;
}

OnnxGraph::Value OnnxGraph::node(std::string_view op, std::span<const Value> inputs,
                                 std::span<const Attribute> attributes) {
  Value out = fmt::format("{}_{}", op, ++values_);
  ProtoMessage node;
  for (const Value& input : inputs) node.bytes(1, input);
  node.bytes(2, out).bytes(3, out).bytes(4, op);
  for (const Attribute& attribute : attributes)
    node.message(5, ProtoMessage()
                        .bytes(1, attribute.name)
                        .number(attribute.list ? 8 : 3, static_cast<std::uint64_t>(attribute.number))
                        .number(20, attribute.list ? kAttributeInts : kAttributeInt));
  graph_.message(1, node);
  return out;
}

OnnxGraph::Value OnnxGraph::constant(std::int64_t type, std::span<const std::int64_t> dimensions,
                                     std::string_view values) {
  if (values.size() > kLargestFile)
    throw Error(ErrorCode::unsupported, "the model is larger than the 2 GB that a file of onnx may have");
  Value out = fmt::format("constant_{}", ++values_);
  ProtoMessage tensor;
  for (const std::int64_t dimension : dimensions) tensor.number(1, static_cast<std::uint64_t>(dimension));
  tensor.number(2, static_cast<std::uint64_t>(type)).bytes(8, out).bytes(9, values);
  graph_.message(5, tensor);
  return out;
}

OnnxGraph::Value OnnxGraph::doubles(std::span<const double> values) {
  const std::int64_t size[] = {static_cast<std::int64_t>(values.size())};
  return constant(kDouble, size, raw(values));
}

OnnxGraph::Value OnnxGraph::number(double value) {
  return constant(kDouble, {}, raw(std::span<const double>(&value, 1)));
}

OnnxGraph::Value OnnxGraph::integers(std::span<const std::int64_t> values) {
  const std::int64_t size[] = {static_cast<std::int64_t>(values.size())};
  return constant(kInt64, size, raw(values));
}

OnnxGraph::Value OnnxGraph::floats(std::span<const float> values, std::size_t columns) {
  const std::int64_t size[] = {static_cast<std::int64_t>(values.size() / columns), static_cast<std::int64_t>(columns)};
  return constant(kFloat, size, raw(values));
}

std::string OnnxGraph::file(const std::string& name, const Value& scores,
                            std::span<const std::pair<std::string, std::string>> properties) {
  ProtoMessage last;
  last.bytes(1, scores).bytes(2, kOutput).bytes(3, kOutput).bytes(4, "Identity");
  graph_.message(1, last).bytes(2, name);
  graph_.message(12, surface(kOutput, kDouble, 0));
  ProtoMessage model;
  model.number(1, kIrVersion).bytes(2, "dorm").bytes(3, DORM_VERSION).message(7, graph_);
  model.message(8, ProtoMessage().bytes(1, "").number(2, kOpset));
  if (learning_) model.message(8, ProtoMessage().bytes(1, kLearningDomain).number(2, kLearningOpset));
  for (const auto& [key, value] : properties) model.message(14, ProtoMessage().bytes(1, key).bytes(2, value));
  if (model.written().size() > kLargestFile)
    throw Error(ErrorCode::unsupported, "the model is larger than the 2 GB that a file of onnx may have");
  return std::move(model).written();
}

}  // namespace dorm
