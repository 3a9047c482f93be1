// SPDX-License-Identifier: Apache-2.0
#include "serve/rank_request.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "dorm/error.h"
#include "serve/body_reader.h"

namespace dorm::serve {
namespace {

namespace od = simdjson::ondemand;

constexpr const char* kDocumentFields = "id, group, values";

/// One row behind the others. The first decides how long all are.
void read_values(od::value value, const Place& place, RankRequest& out) {
  od::array list = read_list(value, place, "a list of numbers");
  if (out.documents == 0) {
    each_float(list, place, [&](float number, std::size_t) { out.values.push_back(number); });
    out.width = out.values.size();
    if (out.width == 0) refuse(place, "an empty list", "at least one number");
    return;
  }
  const std::size_t width = out.width;
  out.values.resize(out.values.size() + width);
  float* const row = out.values.data() + out.documents * width;
  std::size_t count = 0;
  each_float(list, place, [&](float number, std::size_t j) {
    if (j >= width) refuse(place, fmt::format("more than {} numbers", width), "as many as before");
    row[j] = number;
    count = j + 1;
  });
  if (count < width) refuse(place, fmt::format("{} numbers", count), fmt::format("{} as before", width));
}

void read_document(od::value value, const Place& place, RankRequest& out) {
  bool valued = false;
  const std::size_t number = out.documents;
  FieldWalk(place, kDocumentFields)
      .over(read_object(value, place, "an object"), [&](std::string_view name, od::value field, const Place& at) {
        if (name == "values") {
          read_values(field, at, out);
          valued = true;
        } else {
          const std::string text = read_id(field, at);
          set_entry(name == "id" ? out.ids : out.groups, number, text);
        }
      });
  if (!valued) refuse(place, "no field values", "a list of numbers in it");
  ++out.documents;
}

void read_documents(od::value value, const Place& place, std::size_t most, RankRequest& out) {
  each_value(read_list(value, place, "a list of documents"), place, [&](od::value document, std::size_t i) {
    if (i >= most) refuse(place, fmt::format("more than {} documents", most), "no more");
    read_document(document, {&place, {}, i}, out);
  });
  if (out.documents == 0) refuse(place, "an empty list", "at least one document");
}

/// Columns become rows.
void read_columns(od::value value, const Place& place, std::size_t most, RankRequest& out) {
  std::vector<float> columns;
  od::object object = read_object(value, place, "an object of lists");
  for (auto each : object) {
    od::field field;
    if (const auto error = std::move(each).get(field)) refuse_text(error, place);
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place);
    out.features.push_back(name);
    const Place at{&place, name};
    const std::size_t before = columns.size();
    each_float(read_list(field.value(), at, "a list of numbers"), at, [&](float number, std::size_t i) {
      if (i >= most) refuse(at, fmt::format("more than {} documents", most), "no more");
      columns.push_back(number);
    });
    const std::size_t count = columns.size() - before;
    if (out.width++ == 0) out.documents = count;
    if (count == 0) refuse(at, "an empty list", "at least one number");
    if (count != out.documents)
      refuse(at, fmt::format("{} numbers", count), fmt::format("{} as in the column before", out.documents));
  }
  if (out.width == 0) refuse(place, "no columns", "at least one");
  out.values.resize(columns.size());
  for (std::size_t j = 0; j < out.width; ++j)
    for (std::size_t i = 0; i < out.documents; ++i) out.values[i * out.width + j] = columns[j * out.documents + i];
}

void read_names(od::value value, const Place& place, RankRequest& out) {
  each_value(read_list(value, place, "a list of names"), place, [&](od::value name, std::size_t j) {
    const Place at{&place, {}, j};
    out.features.push_back(read_id(name, at));
  });
  if (out.features.empty()) refuse(place, "an empty list", "the names of the values");
}

void read_pair(od::value value, const Place& place, RankRequest& out) {
  constexpr const char* kTwo = "two documents, by id or by place";
  each_value(read_list(value, place, kTwo), place, [&](od::value document, std::size_t k) {
    const Place at{&place, {}, k};
    if (k >= 2) refuse(place, "more than two", kTwo);
    DocumentReference& reference = out.pair.emplace_back();
    const std::string_view token = document.raw_json_token();
    if (!token.empty() && token.front() == '"')
      reference.id = read_string(document, at, kTwo);
    else
      reference.index = read_whole(document, at, "an id, or a place counted from 0");
  });
  if (out.pair.size() != 2) refuse(place, fmt::format("{} documents", out.pair.size()), kTwo);
}

void read_field(std::string_view name, od::value value, const Place& at, std::size_t most, RankRequest& out) {
  if (name == "documents") return read_documents(value, at, most, out);
  if (name == "columns") return read_columns(value, at, most, out);
  if (name == "features") return read_names(value, at, out);
  if (name == "pair") return read_pair(value, at, out);
  if (name == "top") {
    out.top = read_whole(value, at, "a whole number");
  } else if (name == "explain") {
    out.explain = read_flag(value, at);
  } else if (name == "one_per") {
    out.one_per = read_string(value, at, "group, host, domain or none");
  } else {
    out.model = read_string(value, at, "the name of a model");
  }
}

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t x;
  std::memcpy(&x, bytes, sizeof x);
  return std::endian::native == std::endian::little ? x : __builtin_bswap32(x);
}

}  // namespace

RankRequest read_rank_request(std::string& body, RankFields fields, std::size_t most) {
  RankRequest out;
  const Place top{nullptr, "body"};
  bool by_row = false, by_column = false, named = false;
  const bool explains = fields == RankFields::explain;
  read_body(body, [&](od::object object) {
    FieldWalk(top, explains ? "model, features, documents, columns, top, pair"
                            : "model, features, documents, columns, top, explain, one_per")
        .over(object, [&](std::string_view name, od::value value, const Place& at) {
          by_row = by_row || name == "documents";
          by_column = by_column || name == "columns";
          named = named || name == "features";
          if (by_column && (by_row || named))
            refuse(at, "it beside other documents", "documents (with features), or columns");
          read_field(name, value, at, most, out);
        });
  });
  if (!by_row && !by_column) refuse(top, "neither documents nor columns", "one of them");
  if (named && out.features.size() != out.width)
    refuse({&top, "features"}, fmt::format("{} names", out.features.size()),
           fmt::format("{}, one for each value of a document", out.width));
  return out;
}

DenseRows read_binary_rows(std::string_view body, std::size_t most) {
  constexpr std::size_t kHead = 8;
  const auto fail = [](const std::string& message) { throw Error(ErrorCode::bad_input, "body: " + message); };
  if (body.size() < kHead) fail(fmt::format("found {} bytes; expected two numbers of 32 bits and rows", body.size()));
  const std::size_t rows = little_endian(body.data()), columns = little_endian(body.data() + 4);
  if (rows == 0 || columns == 0) fail(fmt::format("found {} rows of {} numbers; expected some", rows, columns));
  if (rows > most) fail(fmt::format("found {} documents; expected at most {}", rows, most));
  const std::size_t given = body.size() - kHead;
  if (given % sizeof(float) != 0 || given / sizeof(float) / columns != rows || given / sizeof(float) % columns != 0)
    fail(fmt::format("found {} bytes of rows; expected {} x {} numbers of 32 bits", given, rows, columns));
  const auto* const values = reinterpret_cast<const float*>(body.data() + kHead);
  std::uint32_t largest = 0;
  for (std::size_t k = 0; k < rows * columns; ++k)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[k]) << 1);
  if (largest >= 0xff000000u)  // an exponent of ones
    for (std::size_t k = 0; k < rows * columns; ++k)
      if (!std::isfinite(values[k]))
        fail(fmt::format("found {} at row {}, column {} (counted from 0); expected finite numbers", values[k],
                         k / columns, k % columns));
  return {values, rows, columns, columns};
}

}  // namespace dorm::serve
