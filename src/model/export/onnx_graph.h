// SPDX-License-Identifier: Apache-2.0
// Graphs of ONNX, operator set 13: nodes and constants, and the file around them. The few messages of protobuf that
// they take are written here, so that nobody needs its library.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dorm {

/// A message: its fields one after the other. A field is a whole number, or bytes behind their length: text, another
/// message, packed numbers.
class ProtoMessage {
 public:
  ProtoMessage& number(std::uint32_t field, std::uint64_t value);
  ProtoMessage& bytes(std::uint32_t field, std::string_view value);
  ProtoMessage& packed(std::uint32_t field, std::span<const std::uint64_t> values);
  ProtoMessage& message(std::uint32_t field, const ProtoMessage& value) { return bytes(field, value.bytes_); }

  const std::string& written() const& { return bytes_; }
  std::string written() && { return std::move(bytes_); }

 private:
  void varint(std::uint64_t value);

  std::string bytes_;
};

/// An attribute of an operator of machine learning: its name and its type, by number in onnx.proto.
inline constexpr std::uint64_t kOnnxInt = 2, kOnnxString = 3, kOnnxFloats = 6, kOnnxInts = 7, kOnnxStrings = 8;
ProtoMessage named_attribute(std::string_view name, std::uint64_t type);
ProtoMessage integers_attribute(std::string_view name, const std::vector<std::uint64_t>& values);

class OnnxGraph {
 public:
  /// A value of the graph: its name.
  using Value = std::string;
  struct Attribute {
    std::string_view name;
    std::int64_t number;
    bool list = false;  // of this one number
  };

  static constexpr std::int64_t kFloat = 1, kInt64 = 7, kText = 8, kBool = 9, kDouble = 11;  // data types of ONNX

  /// An input of the graph: a matrix with a row per document.
  Value input(std::string_view name, std::int64_t type, std::size_t columns);

  /// What a new node of this operator makes of its inputs.
  Value node(std::string_view op, std::span<const Value> inputs, std::span<const Attribute> attributes = {});
  Value node(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<Attribute> attributes = {}) {
    return node(op, std::span(inputs.begin(), inputs.size()), std::span(attributes.begin(), attributes.size()));
  }
  /// The same of an operator of machine learning (the domain ai.onnx.ml).
  Value learning_node(std::string_view op, const Value& input, std::span<const ProtoMessage> attributes);
  Value cast(const Value& value, std::int64_t type) { return node("Cast", {value}, {{"to", type}}); }

  Value doubles(std::span<const double> values);  // a vector
  Value number(double value);                     // a scalar
  Value integers(std::span<const std::int64_t> values);
  /// A matrix row by row, stored as float32.
  Value floats(std::span<const float> values, std::size_t columns);

  /// The file of the model: double scores[documents] out, which are `scores`. Throws Error(unsupported) for more bytes
  /// than such a file may have.
  std::string file(const std::string& name, const Value& scores,
                   std::span<const std::pair<std::string, std::string>> properties);

  static constexpr const char* kInput = "X";
  static constexpr const char* kOutput = "scores";

 private:
  Value constant(std::int64_t type, std::span<const std::int64_t> dimensions, std::string_view raw);

  ProtoMessage graph_;
  std::size_t values_ = 0;
  bool learning_ = false;  // has nodes of ai.onnx.ml
};

}  // namespace dorm
