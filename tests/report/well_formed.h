// SPDX-License-Identifier: Apache-2.0
// A strict little reader of XML, the judge of what the renderers write.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace dorm::test {

/// What is wrong with the text as XML; empty when nothing is. Elements are closed in order, attributes are quoted and
/// not repeated, & begins one of the five entities or a number. `tags` receives the names of all elements, `words` the
/// text between them.
inline std::string xml_fault(std::string_view text, std::vector<std::string>& tags, std::string& words) {
  std::vector<std::string> open;
  std::size_t i = 0;
  const auto name = [&] {
    const std::size_t begin = i;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '-')) ++i;
    return std::string(text.substr(begin, i - begin));
  };
  const auto at = [&](const char* what) { return std::string(what) + " at byte " + std::to_string(i); };
  const auto entity = [&] {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
      if (text.substr(i, known.size()) == known) return true;
    return false;
  };
  while (i < text.size()) {
    if (text[i] == '&' && !entity()) return at("a stray &");
    if (text[i] != '<') {
      words += text[i++];
      continue;
    }
    if (text.substr(i, 9) == "<![CDATA[") {
      i = text.find("]]>", i);
      if (i == std::string_view::npos) return "a part of text that does not end";
      i += 3;
      continue;
    }
    if (text.substr(i, 2) == "<!") {
      i = text.find('>', i) + 1;
      continue;
    }
    if (text.substr(i, 2) == "</") {
      i += 2;
      const std::string closed = name();
      if (open.empty() || open.back() != closed || text[i] != '>') return at("an element closed out of order");
      open.pop_back();
      ++i;
      continue;
    }
    ++i;
    const std::string tag = name();
    if (tag.empty()) return at("a stray <");
    tags.push_back(tag);
    std::vector<std::string> attributes;
    while (i < text.size() && text[i] == ' ') {
      ++i;
      const std::string attribute = name();
      for (const std::string& other : attributes)
        if (other == attribute) return at("an attribute given twice");
      attributes.push_back(attribute);
      if (attribute.empty() || text.substr(i, 2) != "=\"") return at("an attribute without quoted value");
      for (i += 2; i < text.size() && text[i] != '"'; ++i) {
        if (text[i] == '<') return at("< in an attribute");
        if (text[i] == '&' && !entity()) return at("a stray & in an attribute");
      }
      ++i;
    }
    if (text.substr(i, 2) == "/>") {
      i += 2;
    } else if (i < text.size() && text[i] == '>') {
      open.push_back(tag);
      ++i;
    } else {
      return at("a broken tag");
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> tags;
  std::string words;
  return xml_fault(text, tags, words);
}

}  // namespace dorm::test
