// SPDX-License-Identifier: Apache-2.0
// What other tools call the features of a model, from a CSV file.
#include <fmt/format.h>

#include "base/quote.h"
#include "data/io/tables/document_table.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm {
namespace {

FeatureNames feature_names_from(TextSource& source, const std::string& file) {
  constexpr std::string_view kHeader = "feature,name";
  LineReader lines(source, file);
  CsvRecords record(lines, ',');
  if (read_header(record, file, kHeader) != std::vector<std::string>{"feature", "name"})
    throw record.error(fmt::format("expected the header {}", kHeader));
  FeatureNames names;
  while (record.next()) {
    require_cells(record, 2);
    if (record[1].empty()) throw record.error(1, "expected a name");
    if (!names.emplace(record[0], record[1]).second)
      throw record.error(0, fmt::format("feature {} has a name already", in_quotes(record[0])));
  }
  return names;
}

}  // namespace

FeatureNames read_feature_names(const std::string& path) { return feature_names_from(*open_text(path), path); }

FeatureNames parse_feature_names(std::string_view text, const std::string& name) {
  return feature_names_from(*text_in_memory(text), name);
}

}  // namespace dorm
