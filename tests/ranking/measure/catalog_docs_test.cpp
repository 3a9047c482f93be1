// SPDX-License-Identifier: Apache-2.0
// The table of measures in the documentation is the catalog's; the message of a failure is the table to paste.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "dorm/base/catalog.h"
#include "dorm/measure.h"
#include "support/source_dir.h"

namespace dorm {
namespace {

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  const std::size_t begin = text.find(open) + open.size();
  return text.substr(begin, text.find(close) - begin);
}

TEST(CatalogDocs, TheTableOfMeasuresIsTheCatalog) {
  std::ostringstream page;
  page << std::ifstream(test::source_dir() + "/docs/measures.md").rdbuf();
  std::string table = "\n| name | usage | trainable | what |\n|---|---|---|---|\n";
  for (const CatalogEntry& entry : measure_catalog())
    table +=
        fmt::format("| `{}` | `{}` | {} | {} |\n", entry.name, entry.usage, entry.trainable ? "yes" : "no", entry.help);
  EXPECT_EQ(between(page.str(), "<!-- catalog:measures -->", "<!-- /catalog:measures -->"), table);
}

}  // namespace
}  // namespace dorm
