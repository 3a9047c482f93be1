// SPDX-License-Identifier: Apache-2.0
#include "text/experiment_text.h"

#include <fmt/format.h>

#include "run/output.h"

namespace dorm::cli {
namespace {

std::vector<std::string> names_of(const report::Table& table) {
  std::vector<std::string> names;
  for (const report::Column& column : table.columns) names.push_back(column.name);
  return names;
}

std::vector<std::string> texts_of(const std::vector<report::Cell>& row) {
  std::vector<std::string> texts;
  for (const report::Cell& cell : row) texts.push_back(cell.text);
  return texts;
}

}  // namespace

std::string experiment_text(const ExperimentResult& result) {
  std::string text = fmt::format("{}: {}\n", result.name, result.title);
  for (const report::Table& table : result.tables) {
    std::vector<std::vector<std::string>> lines = {names_of(table)};
    for (const auto& row : table.rows) lines.push_back(texts_of(row));
    text += fmt::format("\n{}\n{}", table.caption, aligned(lines));
  }
  return text;
}

Json experiment_json(const ExperimentResult& result) {
  Json tables = Json::array();
  for (const report::Table& table : result.tables) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : table.rows) rows.push_back(texts_of(row));
    tables.push_back({{"caption", table.caption}, {"columns", names_of(table)}, {"rows", rows}});
  }
  return {{"name", result.name},
          {"title", result.title},
          {"build", build_identity()},
          {"remarks", result.remarks},
          {"tables", tables}};
}

}  // namespace dorm::cli
