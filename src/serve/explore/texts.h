// SPDX-License-Identifier: Apache-2.0
// What documents say, for people: titles and texts by id, cut to what a page shows.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "dorm/dataset.h"

namespace dorm::explore {

struct DocumentText {
  std::string title, text, url;
  bool has_title = false, has_text = false;
};

class Texts {
 public:
  Texts() = default;
  /// Lines {"id", "title", "text", "url"}, those of documents of the data, and lines {"query", "text"} of queries; of
  /// an id that occurs twice the last. Throws Error(bad_input) with file and line.
  Texts(const std::string& path, const Dataset& data, const std::function<void(double share)>& progress);

  bool given() const { return given_; }
  const DocumentText* find(const std::string& id) const;  // null: none
  const std::string* query(const std::string& id) const;  // likewise

 private:
  bool given_ = false;
  std::unordered_map<std::string, DocumentText> texts_;
  std::unordered_map<std::string, std::string> queries_;
};

/// The first so many characters; what is no UTF-8 counts by byte.
std::string_view cut_text(std::string_view text, std::size_t characters);

}  // namespace dorm::explore
