// SPDX-License-Identifier: Apache-2.0
#include "serve/inference_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/number.h"
#include "base/quote.h"
#include "serve/body_reader.h"
#include "serve/exchange.h"

namespace dorm::serve {
namespace {

namespace od = simdjson::ondemand;

constexpr std::string_view kNumbers[] = {"FP32",  "FP64",  "INT8",   "INT16",  "INT32",
                                         "INT64", "UINT8", "UINT16", "UINT32", "UINT64"};

struct Tensor {
  std::string name, datatype;
  std::vector<std::size_t> shape;
  std::vector<float> values;
  bool has_values = false;
  std::optional<std::size_t> bytes;  // of its values, behind the JSON
};

/// Numbers, or lists of lists of them; what the shape says of them is checked later.
void read_data(od::value value, const Place& place, std::vector<float>& out, int depth = 0) {
  each_value(read_list(value, place, "a list of numbers"), place, [&](od::value each, std::size_t i) {
    float number = 0;
    const Place at{&place, {}, i};
    if (depth < 2 && each.raw_json_token().starts_with('[')) return read_data(each, at, out, depth + 1);
    out.push_back(take_plain_float(each, number) ? number : read_float(each, at));
  });
}

/// Calls body(name, value, place) for the fields of an object of which any may be there: parameters of the protocol.
template <class Body>
void each_parameter(od::value value, const Place& place, const Body& body) {
  od::object object = read_object(value, place, "an object");
  for (auto each : object) {
    od::field field;
    if (const auto error = std::move(each).get(field)) refuse_text(error, place);
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place);
    body(name, field.value(), Place{&place, name});
  }
}

Tensor read_tensor(od::value value, const Place& place) {
  Tensor out;
  FieldWalk(place, "name, shape, datatype, parameters, data")
      .over(read_object(value, place, "a tensor"), [&](std::string_view name, od::value field, const Place& at) {
        if (name == "name") {
          out.name = read_string(field, at, "a name");
        } else if (name == "datatype") {
          out.datatype = read_string(field, at, "a datatype");
          if (std::find(std::begin(kNumbers), std::end(kNumbers), out.datatype) == std::end(kNumbers))
            refuse(at, in_quotes(out.datatype), "FP32 or another of numbers");
        } else if (name == "shape") {
          each_value(read_list(field, at, "a list of whole numbers"), at, [&](od::value size, std::size_t i) {
            out.shape.push_back(read_whole(size, {&at, {}, i}, "a whole number"));
          });
        } else if (name == "data") {
          read_data(field, at, out.values);
          out.has_values = true;
        } else {
          each_parameter(field, at, [&](std::string_view parameter, od::value given, const Place& there) {
            if (parameter == "binary_data_size") out.bytes = read_whole(given, there, "a number of bytes");
          });
        }
      });
  if (out.name.empty() || out.datatype.empty() || out.shape.empty())
    refuse(place, "no name, datatype or shape", "all of them");
  if (out.has_values == out.bytes.has_value()) refuse(place, "no data, or twice", "data, or bytes behind the JSON");
  return out;
}

template <class Number>
void take_numbers(std::string_view bytes, std::vector<float>& out, const Place& place) {
  for (std::size_t k = 0; k < bytes.size() / sizeof(Number); ++k) {
    Number x;
    std::memcpy(&x, bytes.data() + k * sizeof x, sizeof x);
    if (!fits_float(static_cast<double>(x)))
      refuse({&place, {}, k}, fmt::format("{}", x), "a number that a float can hold");
    out.push_back(static_cast<float>(x) + 0.0f);
  }
}

/// The values of tensors that lie behind the JSON, one after another.
void take_bytes(std::string_view bytes, std::vector<Tensor>& tensors) {
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    Tensor& tensor = tensors[k];
    if (!tensor.bytes) continue;
    const Place inputs{nullptr, "inputs"}, place{&inputs, {}, k};
    const std::size_t size = tensor.datatype == "FP32" ? 4 : 8;
    if (tensor.datatype != "FP32" && tensor.datatype != "FP64")
      refuse(place, fmt::format("bytes of {}", tensor.datatype), "FP32 or FP64");
    if (*tensor.bytes > bytes.size() || *tensor.bytes % size != 0)
      refuse(place, fmt::format("{} bytes of values", *tensor.bytes),
             fmt::format("whole numbers of the {} bytes that are left", bytes.size()));
    const std::string_view own = bytes.substr(0, *tensor.bytes);
    if (size == 4)
      take_numbers<float>(own, tensor.values, place);
    else
      take_numbers<double>(own, tensor.values, place);
    bytes.remove_prefix(own.size());
  }
  if (!bytes.empty()) refuse({nullptr, "body"}, fmt::format("{} bytes behind the tensors", bytes.size()), "its end");
}

void check_size(const Tensor& tensor, const Place& place, std::size_t rows, std::size_t columns) {
  if (tensor.values.size() / columns == rows && tensor.values.size() % columns == 0) return;
  refuse(place, fmt::format("{} values", tensor.values.size()), fmt::format("{} x {} by its shape", rows, columns));
}

void take_rows(Tensor& tensor, const Place& place, std::size_t most, RankRequest& out) {
  out.documents = tensor.shape[0];
  out.width = tensor.shape[1];
  if (out.documents == 0 || out.width == 0) refuse(place, "an empty shape", "some documents of some features");
  if (out.documents > most) refuse(place, fmt::format("{} documents", out.documents), fmt::format("at most {}", most));
  check_size(tensor, place, out.documents, out.width);
  out.values = std::move(tensor.values);
}

void take_columns(const std::vector<Tensor>& tensors, const Place& inputs, std::size_t most, RankRequest& out) {
  out.documents = tensors.front().shape[0];
  out.width = tensors.size();
  if (out.documents == 0) refuse(inputs, "an empty shape", "some documents");
  if (out.documents > most) refuse(inputs, fmt::format("{} documents", out.documents), fmt::format("at most {}", most));
  for (std::size_t j = 0; j < tensors.size(); ++j) {
    const Place place{&inputs, {}, j};
    const Tensor& tensor = tensors[j];
    const bool column = tensor.shape.size() == 1 || (tensor.shape.size() == 2 && tensor.shape[1] == 1);
    if (!column || tensor.shape[0] != out.documents)
      refuse(place, "another shape",
             fmt::format("[{}], a value of each document, as the tensor before", out.documents));
    check_size(tensor, place, out.documents, 1);
    out.features.push_back(tensor.name);
  }
  out.values.resize(out.documents * out.width);
  for (std::size_t j = 0; j < out.width; ++j)
    for (std::size_t i = 0; i < out.documents; ++i) out.values[i * out.width + j] = tensors[j].values[i];
}

void read_output(od::value value, const Place& place, InferenceRequest& out) {
  FieldWalk(place, "name, parameters")
      .over(read_object(value, place, "an object"), [&](std::string_view name, od::value field, const Place& at) {
        if (name == "name") {
          const std::string_view asked = read_string(field, at, "scores");
          if (asked != "scores") refuse(at, in_quotes(asked), "scores");
        } else {
          each_parameter(field, at, [&](std::string_view parameter, od::value given, const Place& there) {
            if (parameter == "binary_data") out.binary_scores = read_flag(given, there);
          });
        }
      });
}

std::vector<Tensor> read_envelope(std::string& json, InferenceRequest& out) {
  std::vector<Tensor> tensors;
  const Place top{nullptr, "body"};
  read_body(json, [&](od::object object) {
    FieldWalk(top, "id, parameters, inputs, outputs")
        .over(object, [&](std::string_view name, od::value value, const Place& at) {
          if (name == "id") {
            out.id = read_string(value, at, "a string");
          } else if (name == "inputs") {
            each_value(read_list(value, at, "a list of tensors"), at, [&](od::value each, std::size_t i) {
              tensors.push_back(read_tensor(each, {&at, {}, i}));
            });
          } else if (name == "outputs") {
            each_value(read_list(value, at, "a list of outputs"), at, [&](od::value each, std::size_t i) {
              read_output(each, {&at, {}, i}, out);
            });
          } else {
            each_parameter(value, at, [&](std::string_view parameter, od::value given, const Place& there) {
              if (parameter == "binary_data_output") out.binary_scores = read_flag(given, there);
            });
          }
        });
  });
  if (tensors.empty()) refuse({&top, "inputs"}, "none", "at least one tensor");
  return tensors;
}

}  // namespace

InferenceRequest read_inference_request(std::string& body, std::string_view json_bytes, std::size_t most) {
  InferenceRequest out;
  std::vector<Tensor> tensors;
  if (json_bytes.empty()) {
    tensors = read_envelope(body, out);
    take_bytes({}, tensors);
  } else {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(json_bytes.data(), json_bytes.data() + json_bytes.size(), length);
    if (error != std::errc() || end != json_bytes.data() + json_bytes.size() || length > body.size())
      throw Refusal(400, fmt::format("Inference-Header-Content-Length: found {}; expected a number up to {}",
                                     in_quotes(json_bytes), body.size()));
    std::string json;
    make_room(json, length);
    json.assign(body, 0, length);
    tensors = read_envelope(json, out);
    take_bytes(std::string_view(body).substr(length), tensors);
  }
  const Place inputs{nullptr, "inputs"};
  if (tensors.size() == 1 && tensors.front().shape.size() == 2)
    take_rows(tensors.front(), {&inputs, {}, 0}, most, out.rows);
  else
    take_columns(tensors, inputs, most, out.rows);
  return out;
}

}  // namespace dorm::serve
