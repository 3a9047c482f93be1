// SPDX-License-Identifier: Apache-2.0
#include "serve/rank_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/quote.h"
#include "dorm/error.h"
#include "serve/body_reader.h"

namespace dorm::serve {
namespace {

namespace od = simdjson::ondemand;

constexpr const char* kDocumentFields = "id, group, values, features";
constexpr const char* kQueryFields = "id, features, documents, columns, lists, query_features, top, one_per";
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

/// A request on its way from text.
struct RankReading {
  std::size_t most;
  bool texts;
  std::size_t read = 0;  // documents of queries before
  std::unordered_map<std::string, std::size_t> column_of = {};
  std::vector<std::pair<std::size_t, float>> named = {};  // column and value, document by document
  std::vector<std::size_t> named_end = {};
};

std::string_view token_of(od::value& value) {
  std::string_view token = value.raw_json_token();
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  return token;
}

/// A number, or what may stand in a cell of a table: then NaN, and a cell.
float read_cell(od::value value, const Place& place, bool texts, RankRequest& out, std::size_t document,
                std::size_t column) {
  float number = 0;
  if (!texts && take_plain_float(value, number)) return number;
  const std::string_view token = token_of(value);
  const char first = token.empty() ? '\0' : token.front();
  if (first == '"')
    out.cells.push_back({document, column, RequestCell::Kind::text, std::string(read_string(value, place, "text"))});
  else if (token == "null" || token == "true" || token == "false")
    out.cells.push_back({document, column, first == 'n' ? RequestCell::Kind::null : RequestCell::Kind::text,
                         first == 'n' ? std::string() : std::string(token)});
  else if (texts && (first == '-' || is_digit(first)))
    out.cells.push_back({document, column, RequestCell::Kind::text, std::string(token)});
  else
    return read_float(value, place);
  return kNoNumber;
}

template <class Take>
void each_element(od::array list, const Place& place, const Take& take) {
  each_value(list, place, [&](od::value value, std::size_t index) { take(value, index, Place{&place, {}, index}); });
}

/// One row behind the others. The first decides how long all are.
void read_values(od::value value, const Place& place, const RankReading& reading, RankRequest& out) {
  const std::size_t before = out.values.size(), width = out.width, number = out.documents;
  each_element(read_list(value, place, "a list of numbers"), place,
               [&](od::value cell, std::size_t j, const Place& at) {
                 if (number > 0 && j >= width)
                   refuse(place, fmt::format("more than {} numbers", width), "as many as before");
                 out.values.push_back(read_cell(cell, at, reading.texts, out, number, j));
               });
  const std::size_t count = out.values.size() - before;
  if (number == 0) out.width = count;
  if (count == 0) refuse(place, "an empty list", "at least one number");
  if (count < out.width) refuse(place, fmt::format("{} numbers", count), fmt::format("{} as before", width));
}

/// The features of a document by name, in any order.
void read_named(od::value value, const Place& place, RankReading& reading, RankRequest& out) {
  const std::size_t begin = reading.named.size();
  od::object object = read_object(value, place, "an object of numbers");
  for (auto each : object) {
    od::field field;
    if (const auto error = std::move(each).get(field)) refuse_text(error, place);
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place);
    const auto [known, added] = reading.column_of.try_emplace(std::string(name), reading.column_of.size());
    if (added) out.features.push_back(name);
    const Place at{&place, known->first};
    for (std::size_t k = begin; !added && k < reading.named.size(); ++k)
      if (reading.named[k].first == known->second) refuse(at, "it again", "each feature once");
    const float number = read_cell(field.value(), at, reading.texts, out, out.documents, known->second);
    reading.named.emplace_back(known->second, number);
  }
  reading.named_end.push_back(reading.named.size());
}

/// Rows of all names that any document has.
void place_named(RankReading& reading, RankRequest& out) {
  out.width = out.features.size();
  out.values.assign(out.documents * out.width, kNoNumber);
  std::vector<bool> there(out.values.size());
  std::size_t k = 0;
  for (std::size_t i = 0; i < out.documents; ++i)
    for (; k < reading.named_end[i]; ++k) {
      out.values[i * out.width + reading.named[k].first] = reading.named[k].second;
      there[i * out.width + reading.named[k].first] = true;
    }
  for (std::size_t at = 0; at < there.size(); ++at)
    if (!there[at]) out.cells.push_back({at / out.width, at % out.width, RequestCell::Kind::absent});
}

void read_document(od::value value, const Place& place, RankReading& reading, RankRequest& out) {
  bool valued = false;
  const std::size_t number = out.documents;
  FieldWalk(place, kDocumentFields)
      .over(read_object(value, place, "an object"), [&](std::string_view name, od::value field, const Place& at) {
        if (name == "values" || name == "features") {
          const auto form = name == "values" ? RankRequest::Form::values : RankRequest::Form::named;
          if (valued || (number > 0 && form != out.form))
            refuse(at, "it beside other documents", "values of all documents, or features of all by name");
          out.form = form;
          if (name == "values")
            read_values(field, at, reading, out);
          else
            read_named(field, at, reading, out);
          valued = true;
        } else {
          const std::string text = read_id(field, at);
          set_entry(name == "id" ? out.ids : out.groups, number, text);
        }
      });
  if (!valued) refuse(place, "no field values", "a list of numbers in it, or features by name");
  ++out.documents;
}

void read_documents(od::value value, const Place& place, RankReading& reading, RankRequest& out) {
  each_value(read_list(value, place, "a list of documents"), place, [&](od::value document, std::size_t i) {
    if (reading.read + i >= reading.most) refuse(place, fmt::format("more than {} documents", reading.most), "no more");
    read_document(document, {&place, {}, i}, reading, out);
  });
  if (out.documents == 0) refuse(place, "an empty list", "at least one document");
  if (out.form != RankRequest::Form::named) return;
  if (out.features.size() == 0) refuse(place, "no features", "at least one");
  place_named(reading, out);
}

/// Columns become rows.
void read_columns(od::value value, const Place& place, const RankReading& reading, RankRequest& out) {
  std::vector<float> columns;
  out.form = RankRequest::Form::columns;
  od::object object = read_object(value, place, "an object of lists");
  for (auto each : object) {
    od::field field;
    if (const auto error = std::move(each).get(field)) refuse_text(error, place);
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place);
    out.features.push_back(name);
    const Place at{&place, name};
    const std::size_t before = columns.size();
    each_element(read_list(field.value(), at, "a list of numbers"), at,
                 [&](od::value cell, std::size_t i, const Place& where) {
                   if (reading.read + i >= reading.most)
                     refuse(at, fmt::format("more than {} documents", reading.most), "no more");
                   columns.push_back(read_cell(cell, where, reading.texts, out, i, out.width));
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

void read_listed(od::value value, const Place& place, RetrieverList& out) {
  bool named = false, scored = false;
  FieldWalk(place, "id, score")
      .over(read_object(value, place, "an object"), [&](std::string_view name, od::value field, const Place& at) {
        if (name == "id") {
          out.ids.push_back(read_id(field, at));
          named = true;
        } else {
          out.scores.push_back(read_number(field, at));
          scored = true;
        }
      });
  if (!named || !scored) refuse(place, named ? "no field score" : "no field id", "an id and a score");
}

/// {"bm25": [{"id": "a", "score": 12.5}, ...], ...}
void read_lists(od::value value, const Place& place, const RankReading& reading, RankRequest& out) {
  od::object object = read_object(value, place, "an object of lists");
  for (auto each : object) {
    od::field field;
    if (const auto error = std::move(each).get(field)) refuse_text(error, place);
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place);
    RetrieverList& list = out.lists.emplace_back();
    list.run = name;
    const Place at{&place, list.run};
    each_value(read_list(field.value(), at, "a list of documents"), at, [&](od::value document, std::size_t i) {
      if (i >= reading.most) refuse(at, fmt::format("more than {} documents", reading.most), "no more");
      read_listed(document, {&at, {}, i}, list);
    });
  }
}

/// {"length": 3, "language": "de"}; a word is a column of its own, as in tables.
void read_query_features(od::value value, const Place& place, RankRequest& out) {
  od::object object = read_object(value, place, "an object of numbers and words");
  out.query_features.ids.add("");
  for (auto each : object) {
    od::field field;
    if (const auto error = std::move(each).get(field)) refuse_text(error, place);
    std::string_view name;
    if (const auto error = field.unescaped_key().get(name)) refuse_text(error, place);
    const std::string key(name);
    const Place at{&place, key};
    od::value given = field.value();
    const std::string_view token = token_of(given);
    const bool word = token.starts_with('"'), flag = token == "true" || token == "false";
    out.query_features.names.push_back(word ? fmt::format("{}: {}", key, read_string(given, at, "a word")) : key);
    out.query_features.values.push_back(word ? 1 : flag ? (token == "true" ? 1 : 0) : read_number(given, at));
  }
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

void read_queries(od::value value, const Place& place, RankReading& reading, RankRequest& out);

void read_field(std::string_view name, od::value value, const Place& at, RankReading& reading, RankRequest& out) {
  if (name == "documents") return read_documents(value, at, reading, out);
  if (name == "columns") return read_columns(value, at, reading, out);
  if (name == "features") return read_names(value, at, out);
  if (name == "lists") return read_lists(value, at, reading, out);
  if (name == "query_features") return read_query_features(value, at, out);
  if (name == "queries") return read_queries(value, at, reading, out);
  if (name == "id") {
    out.query = read_id(value, at);
    return;
  }
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

/// The fields of a request, or of one query among several.
void read_query(od::object object, const Place& place, std::string_view known, RankReading& reading, RankRequest& out) {
  bool by_row = false, by_column = false, named = false, several = false, listed = false, facts = false;
  FieldWalk(place, known).over(object, [&](std::string_view name, od::value value, const Place& at) {
    by_row = by_row || name == "documents";
    by_column = by_column || name == "columns";
    named = named || name == "features";
    several = several || name == "queries";
    listed = listed || name == "lists";
    facts = facts || name == "query_features";
    if (listed && (by_row || by_column || named || several))
      refuse(at, "it beside lists", "documents (with features), columns, or lists");
    if (by_column && (by_row || named))
      refuse(at, "it beside other documents", "documents (with features), or columns");
    if (several && (by_row || by_column)) refuse(at, "it beside documents", "documents, or queries that have them");
    read_field(name, value, at, reading, out);
  });
  if (!by_row && !by_column && !several && !listed) refuse(place, "neither documents nor columns", "one of them");
  if (facts && !listed) refuse({&place, "query_features"}, "them without lists", "lists, of a model of dorm fuse");
  if (named && out.form == RankRequest::Form::named)
    refuse({&place, "features"}, "them beside documents that name their own", "one of them");
}

void read_queries(od::value value, const Place& place, RankReading& reading, RankRequest& out) {
  each_value(read_list(value, place, "a list of queries"), place, [&](od::value query, std::size_t i) {
    const Place at{&place, {}, i};
    RankReading own{reading.most, reading.texts, reading.read};
    RankRequest& added = out.queries.emplace_back();
    read_query(read_object(query, at, "an object"), at, kQueryFields, own, added);
    reading.read += added.documents;
  });
  if (out.queries.empty()) refuse(place, "an empty list", "at least one query");
}

void check_names(const RankRequest& out, const Place& place) {
  if (out.form == RankRequest::Form::values && !out.features.empty() && out.features.size() != out.width)
    refuse({&place, "features"}, fmt::format("{} names", out.features.size()),
           fmt::format("{}, one for each value of a document", out.width));
}

/// What was said of all queries.
void take_common(const RankRequest& all, RankRequest& query) {
  if (query.features.empty() && query.form == RankRequest::Form::values) query.features = all.features;
  if (query.top == 0) query.top = all.top;
  if (!query.one_per) query.one_per = all.one_per;
  query.explain = all.explain;
  check_names(query, {});
}

std::uint32_t little_endian(const char* bytes) {
  std::uint32_t x;
  std::memcpy(&x, bytes, sizeof x);
  return std::endian::native == std::endian::little ? x : __builtin_bswap32(x);
}

}  // namespace

RankRequest read_rank_request(std::string& body, RankFields fields, std::size_t most, bool texts) {
  RankRequest out;
  const Place top{nullptr, "body"};
  const bool explains = fields == RankFields::explain;
  RankReading reading{most, texts};
  read_body(body, [&](od::object object) {
    read_query(object, top,
               explains ? "model, features, documents, columns, lists, query_features, top, pair"
                        : "model, features, documents, columns, lists, query_features, queries, top, explain, one_per",
               reading, out);
  });
  for (RankRequest& query : out.queries) take_common(out, query);
  if (out.queries.empty()) check_names(out, top);
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
