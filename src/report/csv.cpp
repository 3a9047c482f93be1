// SPDX-License-Identifier: Apache-2.0
// Numbers in full precision for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/text.h"

namespace dorm::report {
namespace {

// A figure in full, whatever is shown on the page; words otherwise.
std::string value_field(const Cell& cell) {
  return std::isfinite(cell.value) ? exact_text(cell.value) : csv_field(cell.text);
}

void add_cells(std::string& out, const std::string& section, const Table& table) {
  const std::string where = csv_field(section) + ',' + csv_field(table.caption);
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (std::size_t c = 0; c < std::min(table.columns.size(), table.rows[r].size()); ++c) {
      const Cell& cell = table.rows[r][c];
      out += fmt::format("{},{},{},{},{},{},{}\n", where, r + 1, csv_field(table.columns[c].name), value_field(cell),
                         exact_text(cell.low), exact_text(cell.high), csv_field(cell.note));
    }
}

void add_facts(std::string& out, const std::string& section, const std::vector<Fact>& facts) {
  for (std::size_t r = 0; r < facts.size(); ++r)
    out += fmt::format("{},,{},{},{},,,{}\n", csv_field(section), r + 1, csv_field(facts[r].name),
                       csv_field(facts[r].value), csv_field(facts[r].note));
}

struct BlockWriter {
  std::string& out;
  const std::string& section;

  void operator()(const Table& block) const { add_cells(out, section, block); }
  void operator()(const Plot& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Bars& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Heatmap& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Facts& block) const { add_facts(out, section, block.facts); }
  void operator()(const Paragraph& block) const { add_facts(out, section, {{"text", block.text}}); }
  void operator()(const Code& block) const { add_facts(out, section, {{"command", block.text}}); }
  void operator()(const Notice& block) const {
    add_facts(out, section, {{block.kind == Notice::Kind::warning ? "warning" : "notice", block.text}});
  }
};

bool has_intervals(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [column](const std::vector<Cell>& row) {
    return column < row.size() && row[column].has_interval();
  });
}

}  // namespace

std::string to_csv(const Report& report) {
  std::string out = "section,table,row,column,value,low,high,note\n";
  add_facts(out, "", report.highlights);
  for (const Section& section : report.sections)
    for (const Block& block : section.blocks) std::visit(BlockWriter{out, section.title}, block);
  return out;
}

std::string to_csv(const Table& table) {
  std::string out;
  const auto field = [&out](const std::string& text, bool first) { out += (first ? "" : ",") + text; };
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    field(csv_field(table.columns[c].name), c == 0);
    if (!has_intervals(table, c)) continue;
    field(csv_field(table.columns[c].name + " low"), false);
    field(csv_field(table.columns[c].name + " high"), false);
  }
  out += '\n';
  const Cell nothing;
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = c < row.size() ? row[c] : nothing;
      field(value_field(cell), c == 0);
      if (!has_intervals(table, c)) continue;
      field(exact_text(cell.low), false);
      field(exact_text(cell.high), false);
    }
    out += '\n';
  }
  return out;
}

}  // namespace dorm::report
