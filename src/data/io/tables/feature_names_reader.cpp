// SPDX-License-Identifier: Apache-2.0
// What other tools call the features of a model, and what features cost, from CSV files.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

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

double cost_of(const CsvRecords& record, std::string_view text) {
  double cost = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), cost);
  if (code != std::errc{} || end != text.data() + text.size() || !std::isfinite(cost) || !(cost > 0))
    throw record.error(1, fmt::format("the cost is {}; expected a number above 0", in_quotes(text)));
  return cost;
}

}  // namespace

FeatureCosts read_feature_costs(const std::string& path) {
  const auto source = open_text(path);
  LineReader lines(*source, path);
  CsvRecords record(lines, ',');
  if (read_header(record, path, "feature,cost") != std::vector<std::string>{"feature", "cost"})
    throw record.error("expected the header feature,cost");
  FeatureCosts costs;
  while (record.next()) {
    require_cells(record, 2);
    if (!costs.emplace(record[0], cost_of(record, record[1])).second)
      throw record.error(0, fmt::format("feature {} has a cost already", in_quotes(record[0])));
  }
  return costs;
}

FeatureNames read_feature_names(const std::string& path) { return feature_names_from(*open_text(path), path); }

FeatureNames parse_feature_names(std::string_view text, const std::string& name) {
  return feature_names_from(*text_in_memory(text), name);
}

}  // namespace dorm
