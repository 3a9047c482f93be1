// SPDX-License-Identifier: Apache-2.0
#include "input/document_scores.h"

#include <fmt/format.h>

#include "dorm/base/catalog.h"
#include "dorm/error.h"
#include "dorm/read.h"

namespace dorm::cli {
namespace {

std::size_t feature_column(const Dataset& data, const std::string& name) {
  constexpr std::size_t kListed = 1000;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    std::string candidate = data.feature_name(j);
    if (candidate == name) return j;
    if (names.size() < kListed) names.push_back(std::move(candidate));
  }
  if (!data.has_feature_names() || data.num_features() > kListed)
    throw Error(ErrorCode::unknown_name, fmt::format("unknown feature \"{}\"; expected one of {} to {}", name,
                                                     data.feature_name(0), data.feature_name(data.num_features() - 1)));
  std::vector<CatalogEntry> known;
  for (const std::string& candidate : names) known.push_back({.name = candidate, .usage = {}, .help = {}});
  throw_unknown_name("feature", name, known);
}

}  // namespace

std::vector<double> scores_of_file(const Dataset& data, const std::string& path) {
  const std::vector<double> by_row = read_scores(path);
  if (by_row.size() != data.num_documents())
    throw Error(ErrorCode::bad_input, SourcePosition{.file = path},
                fmt::format("{} scores for {} documents; expected one score per row of the data", by_row.size(),
                            data.num_documents()));
  std::vector<double> scores(by_row.size());
  for (std::size_t d = 0; d < scores.size(); ++d) scores[d] = by_row[data.source_row(d)];
  return scores;
}

std::vector<double> scores_of_feature(const Dataset& data, const std::string& name) {
  const std::size_t column = feature_column(data, name);
  std::vector<double> scores;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i) scores.push_back(query.rows.at(i, column));
  }
  data.require_intact();
  return scores;
}

}  // namespace dorm::cli
