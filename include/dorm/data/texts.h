// SPDX-License-Identifier: Apache-2.0
// What people read beside the numbers: texts of queries, titles and addresses of documents. Never features, and never
// in a model. Guide: docs/data.md.
#pragma once

#include <string>
#include <vector>

namespace dorm {

/// Columns of a table, or fields of JSON lines; empty: none.
struct TextColumns {
  std::string query_text, title, url;

  bool any() const { return !query_text.empty() || !title.empty() || !url.empty(); }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const std::string* name : {&query_text, &title, &url})
      if (!name->empty()) out.push_back(*name);
    return out;
  }
};

struct ReadableTexts {
  std::vector<std::string> queries;       // by query of the data; none: not known
  std::vector<std::string> titles, urls;  // by document
};

}  // namespace dorm
