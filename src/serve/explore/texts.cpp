// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/utf8.h"
#include "data/io/files/line_reader.h"
#include "data/io/tables/json_cell.h"
#include "dorm/error.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kCutTitle = 200, kTextCharacters = 600, kUrlCharacters = 1000;
constexpr std::string_view kTextExpected =
    "one object per line, {\"id\", \"title\", \"text\", \"url\"} of a document or {\"query\", \"text\"} of a query";

/// Of a field that may be absent or null; whether it is there.
bool read_text(const Json& line, const char* key, std::size_t characters, const LineReader& lines, std::string& out) {
  const auto found = line.find(key);
  if (found == line.end() || found->is_null()) return false;
  if (!found->is_string()) throw lines.error(0, fmt::format("\"{}\" is no text; expected {}", key, kTextExpected));
  out = cut_text(found->get_ref<const std::string&>(), characters);
  return true;
}

}  // namespace

std::string_view cut_text(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (; characters > 0 && at < text.size(); --characters)
    at += std::max<std::size_t>(1, first_character(text.substr(at)).length);
  return text.substr(0, at);
}

Texts::Texts(const std::string& path, const Dataset& data, const std::function<void(double share)>& progress)
    : given_(true) {
  for (std::size_t d = 0; d < data.num_documents(); ++d) texts_.try_emplace(data.document_name(d));
  const std::unique_ptr<TextSource> source = open_text(path);
  LineReader lines(*source, path);
  for (std::string_view line; lines.next(line);) {
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) continue;
    if (lines.line_number() % 1024 == 0 && source->total_bytes() > 0)
      progress(static_cast<double>(lines.done_bytes()) / static_cast<double>(source->total_bytes()));
    const Json json = parse_json(line, fmt::format("{}:{}", path, lines.line_number()), kTextExpected);
    if (json.is_object() && json.contains("query") && !json.contains("id")) {
      std::string text;
      const std::string name = name_text(json["query"]);
      if (read_text(json, "text", kTextCharacters, lines, text) && !name.empty()) queries_[name] = std::move(text);
      continue;
    }
    const auto id = json.is_object() ? json.find("id") : json.end();
    if (!json.is_object() || id == json.end() || !(id->is_string() || id->is_number()))
      throw lines.error(0, fmt::format("found no \"id\"; expected {}", kTextExpected));
    const auto known = texts_.find(name_text(*id));
    if (known == texts_.end()) continue;
    DocumentText read;
    read.has_title = read_text(json, "title", kCutTitle, lines, read.title);
    read.has_text = read_text(json, "text", kTextCharacters, lines, read.text);
    read_text(json, "url", kUrlCharacters, lines, read.url);
    known->second = std::move(read);
  }
  std::erase_if(texts_, [](const auto& each) {
    return !each.second.has_title && !each.second.has_text && each.second.url.empty();
  });
}

const DocumentText* Texts::find(const std::string& id) const {
  const auto found = texts_.find(id);
  return found == texts_.end() ? nullptr : &found->second;
}

const std::string* Texts::query(const std::string& id) const {
  const auto found = queries_.find(id);
  return found == queries_.end() ? nullptr : &found->second;
}

}  // namespace dorm::explore
