// SPDX-License-Identifier: Apache-2.0
#include "learning/shards/message.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/byte_stream.h"
#include "base/json.h"
#include "dorm/base/catalog.h"

namespace dorm {
namespace {

constexpr std::uint64_t kQuestion = 0x545345554d524f44u, kAnswer = 0x52575341'4d524f44u;  // "DORMUEST", "DORMASWR"
constexpr std::uint32_t kFormat = 1;

// Header, content, checksum of both.
ByteWriter begin(std::uint64_t kind) {
  ByteWriter to;
  to.value(kind);
  to.value(kFormat);
  to.text(DORM_VERSION);
  return to;
}

std::string sealed(ByteWriter to) {
  to.value(checksum_of(to.bytes()));
  return to.take();
}

ByteReader opened(std::string_view bytes, std::uint64_t kind, const char* what) {
  ByteReader from(bytes, what);
  if (from.value<std::uint64_t>() != kind) from.refuse("bytes of another library or version");
  if (const auto format = from.value<std::uint32_t>(); format != kFormat)
    from.refuse(fmt::format("format {}; expected {}", format, kFormat));
  if (const std::string version = from.text(); version != DORM_VERSION)
    from.refuse(
        fmt::format("from version {} of this library; expected {}, the same everywhere", version, DORM_VERSION));
  if (bytes.size() < sizeof(std::uint64_t)) from.refuse("cut short");
  const std::string_view content = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  if (ByteReader(bytes.substr(content.size()), what).value<std::uint64_t>() != checksum_of(content))
    from.refuse("the checksum does not match: it is damaged");
  return from;
}

void finish(ByteReader& from) {
  from.value<std::uint64_t>();  // the checksum
  if (!from.at_end()) from.refuse("bytes are left over");
}

template <class E>
E checked_value(ByteReader& from, E last) {
  const auto number = from.value<std::uint8_t>();
  if (number > static_cast<std::uint8_t>(last)) from.refuse(fmt::format("unknown number {}", number));
  return static_cast<E>(number);
}

}  // namespace

std::string ShardSetup::text() const {
  return json_text(Json{{"measure", measure},
                        {"convention", convention},
                        {"decay", decay},
                        {"one_per", one_per},
                        {"given_ties", given_ties},
                        {"scaling", name_of(scaling.kind)},
                        {"shift", scaling.shift},
                        {"factor", scaling.factor}});
}

ShardSetup ShardSetup::parse(std::string_view text) {
  const Json json = parse_json(text, "request", "a set-up");
  const JsonFields fields(json, "request", "a set-up");
  ShardSetup setup;
  fields.read("measure", setup.measure);
  fields.read("convention", setup.convention);
  fields.read("decay", setup.decay);
  fields.read("one_per", setup.one_per);
  fields.read("given_ties", setup.given_ties);
  setup.scaling.kind = parse_scaling(fields.required<std::string>("scaling", "the name of a scaling"));
  fields.read("shift", setup.scaling.shift);
  fields.read("factor", setup.scaling.factor);
  return setup;
}

std::string ShardRequest::bytes() const {
  ByteWriter to = begin(kQuestion);
  to.value(topic);
  to.value(static_cast<std::uint8_t>(bound));
  to.value(static_cast<std::uint8_t>(gains));
  to.value(static_cast<std::uint8_t>(logarithm));
  to.value(step);
  to.value(first);
  to.text(setup);
  to.vector(reference);
  to.vector(w);
  return sealed(std::move(to));
}

ShardRequest ShardRequest::parse(std::string_view bytes) {
  ByteReader from = opened(bytes, kQuestion, "request to a shard");
  ShardRequest request;
  request.topic = checked_value(from, Topic::judge);
  request.bound = checked_value(from, Bound::predicted);
  request.gains = checked_value(from, std::uint8_t{1}) != 0;
  request.logarithm = checked_value(from, std::uint8_t{1}) != 0;
  request.step = std::max<std::uint64_t>(1, from.value<std::uint64_t>());
  request.first = from.value<std::uint64_t>();
  request.setup = from.text();
  request.reference = from.vector<double>();
  request.w = from.vector<double>();
  finish(from);
  return request;
}

std::string ShardResponse::bytes() const {
  ByteWriter to = begin(kAnswer);
  to.reserve(100 + plane.direction.size() * sizeof(float) + plane.columns.size() * sizeof(std::uint32_t) +
             numbers.size() * sizeof(double) + text.size());
  to.value(shard);
  to.value(request);
  to.value(static_cast<std::uint8_t>(failed));
  to.value(static_cast<std::uint8_t>(code));
  to.value(value);
  to.value(plane.offset);
  to.vector(plane.direction);
  to.vector(plane.columns);
  to.vector(numbers);
  to.text(text);
  return sealed(std::move(to));
}

ShardResponse ShardResponse::parse(std::string_view bytes) {
  ByteReader from = opened(bytes, kAnswer, "response of a shard");
  ShardResponse response;
  response.shard = from.value<std::uint32_t>();
  response.request = from.value<std::uint64_t>();
  response.failed = checked_value(from, std::uint8_t{1}) != 0;
  response.code = checked_value(from, ErrorCode::internal);
  response.value = from.value<double>();
  response.plane.offset = from.value<double>();
  response.plane.direction = from.vector<float>();
  response.plane.columns = from.vector<std::uint32_t>();
  response.numbers = from.vector<double>();
  response.text = from.text();
  finish(from);
  return response;
}

std::uint64_t question_number(std::string_view bytes) { return checksum_of(bytes); }

}  // namespace dorm
