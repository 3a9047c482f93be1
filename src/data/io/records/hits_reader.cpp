// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/hits_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kExpected = "answers of Elasticsearch or OpenSearch with hits";

bool is_answer(const Json& json) {
  return json.is_object() && json.contains("hits") && json["hits"].is_object() && json["hits"].contains("hits") &&
         json["hits"]["hits"].is_array();
}

/// What an engine says of a search that failed.
bool is_failure(const Json& json) { return json.is_object() && json.contains("error") && !is_answer(json["error"]); }

class Answers {
 public:
  explicit Answers(const std::string& name) : name_(name) {}

  /// An answer, or several.
  void take(const Json& json) {
    if (is_answer(json)) return add(json, query_of(json));
    if (json.is_object() && json.contains("responses")) return take(json["responses"]);
    if (json.is_array()) {
      for (const Json& each : json) take(each);
      return;
    }
    if (!json.is_object()) fail(fmt::format("found {}; expected {}", json.type_name(), kExpected));
    if (is_failure(json)) refuse(json, query_of(json));
    for (const auto& [key, answer] : json.items()) {
      if (!is_answer(answer)) refuse(answer, key);
      add(answer, key);
    }
  }

  std::vector<RunEntry> entries;

 private:
  std::string query_of(const Json& answer) {
    ++number_;
    for (const char* key : {"qid", "query_id"})
      if (answer.contains(key))
        return answer[key].is_string() ? answer[key].get<std::string>() : json_text(answer[key]);
    return std::to_string(number_);
  }

  [[noreturn]] void refuse(const Json& answer, const std::string& query) const {
    if (!is_failure(answer)) fail(fmt::format("found no hits of {}; expected {}", in_quotes(query), kExpected));
    const Json& error = answer["error"];
    const Json& type = error.is_object() && error.contains("type") ? error["type"] : error;
    fail(fmt::format("query {}: found the error {}; expected {}", in_quotes(query),
                     in_quotes(type.is_string() ? type.get<std::string>() : json_text(type)), kExpected));
  }

  void add(const Json& answer, const std::string& query) {
    for (const Json& hit : answer["hits"]["hits"]) {
      const std::string where = fmt::format("query {}, hit {}", in_quotes(query), ++hits_);
      if (!hit.is_object() || !hit.contains("_id") || !hit["_id"].is_string())
        fail(where + ": found no _id; expected an id in quotes");
      if (!hit.contains("_score") || !hit["_score"].is_number() || !std::isfinite(hit["_score"].get<double>()))
        fail(where + ": found no finite number as _score; expected hits that are sorted by score");
      entries.push_back({query, hit["_id"].get<std::string>(), hit["_score"].get<double>()});
    }
    hits_ = 0;
  }

  [[noreturn]] void fail(const std::string& message) const { throw Error(ErrorCode::bad_input, {name_}, message); }

  const std::string& name_;
  std::size_t number_ = 0, hits_ = 0;
};

/// Whether there is a second value behind the first line.
bool has_lines(std::string_view text) {
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && text.find_first_not_of(" \t\r\n", end) != std::string_view::npos &&
         Json::accept(text.substr(0, end));
}

}  // namespace

bool begins_as_hits(std::string_view text) {
  const auto next = [&text](std::size_t at) { return std::min(text.find_first_not_of(" \t\r\n", at), text.size()); };
  const auto is = [&text](std::size_t at, char c) { return at < text.size() && text[at] == c; };
  constexpr std::string_view kKey = "\"hits\"";
  if (!is(next(0), '{') && !is(next(0), '[')) return false;
  for (std::size_t at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    const std::size_t colon = next(at + kKey.size());
    if (is(colon, ':') && is(next(colon + 1), '{')) return true;
  }
  return false;
}

bool is_hits_file(const std::string& path) {
  constexpr std::size_t kLookedAt = 4096;
  const std::string head = first_bytes(path, kLookedAt);
  if (head.empty()) return false;
  if (compression_of_content(head) == Compression::none) return begins_as_hits(head);
  std::string text(kLookedAt, '\0');
  text.resize(open_stream(InputFile(path))->read(text.data(), text.size()));
  return begins_as_hits(text);
}

std::vector<RunEntry> run_from_hits(std::string_view text, const std::string& name) {
  constexpr std::size_t kDeepestAnswer = 200;  // hits may carry documents
  Answers answers(name);
  if (!has_lines(text)) {
    answers.take(parse_json(text, name, kExpected, kDeepestAnswer));
  } else {
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      if (line.find_first_not_of(" \t\r") != std::string_view::npos)
        answers.take(parse_json(line, name, kExpected, kDeepestAnswer));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
    }
  }
  if (answers.entries.empty()) throw Error(ErrorCode::bad_input, {name}, "no ranked documents");
  return std::move(answers.entries);
}

}  // namespace dorm
