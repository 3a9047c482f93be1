// SPDX-License-Identifier: Apache-2.0
// Numbers in full precision for other programs.
#include <algorithm>
#include <cmath>

#include "report/text.h"

namespace dorm::report {
namespace {

void append_quoted(std::string& out, std::string_view field) {
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) out.append(c == '"' ? 2 : 1, c);
  out += '"';
}

// A figure in full, whatever is shown on the page; words otherwise.
std::string value_field(const Cell& cell) {
  return std::isfinite(cell.value) ? exact_text(cell.value) : disarmed(cell.text);
}

std::string report_line(std::initializer_list<std::string> fields) {
  return csv_line(std::vector<std::string>(fields));
}

void add_cells(std::string& out, const std::string& section, const Table& table) {
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (std::size_t c = 0; c < std::min(table.columns.size(), table.rows[r].size()); ++c) {
      const Cell& cell = table.rows[r][c];
      out += report_line({disarmed(section), disarmed(table.caption), std::to_string(r + 1),
                          disarmed(table.columns[c].name), value_field(cell), exact_text(cell.low),
                          exact_text(cell.high), disarmed(note_text(cell))});
    }
}

void add_facts(std::string& out, const std::string& section, const std::vector<Fact>& facts) {
  for (std::size_t r = 0; r < facts.size(); ++r)
    out += report_line({disarmed(section), "", std::to_string(r + 1), disarmed(facts[r].name), disarmed(facts[r].value),
                        "", "", disarmed(facts[r].note)});
}

std::string notice_name(const Notice& notice) { return notice.kind == Notice::Kind::warning ? "warning" : "notice"; }

struct BlockWriter {
  std::string& out;
  const std::string& section;

  void operator()(const Table& block) const { add_cells(out, section, block); }
  void operator()(const Plot& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Bars& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Forest& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Queries& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Heatmap& block) const { add_cells(out, section, numbers_of(block)); }
  void operator()(const Facts& block) const { add_facts(out, section, block.facts); }
  void operator()(const Paragraph& block) const { add_facts(out, section, {{"text", block.text}}); }
  void operator()(const Code& block) const { add_facts(out, section, {{"command", block.text}}); }
  void operator()(const Notice& block) const { add_facts(out, section, {{notice_name(block), block.text}}); }
};

bool has_intervals(const Table& table, std::size_t column) {
  return std::any_of(table.rows.begin(), table.rows.end(), [column](const std::vector<Cell>& row) {
    return column < row.size() && row[column].has_interval();
  });
}

}  // namespace

std::string csv_line(std::span<const std::string> fields) {
  std::string line;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0) line += ',';
    append_quoted(line, fields[k]);
  }
  return line + '\n';
}

std::string to_csv(const Report& report) {
  std::string out = report_line({"section", "table", "row", "column", "value", "low", "high", "note"});
  if (report.verdict) add_facts(out, "", {{"verdict", report.verdict->text}});
  add_facts(out, "", report.highlights);
  for (const Section& section : report.sections)
    for (const Block& block : section.blocks) std::visit(BlockWriter{out, section.title}, block);
  return out;
}

std::string to_csv(const Table& table) {
  std::vector<std::string> fields;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].name;
    fields.push_back(disarmed(name));
    if (has_intervals(table, c)) fields.insert(fields.end(), {disarmed(name + " low"), disarmed(name + " high")});
  }
  std::string out = csv_line(fields);
  const Cell nothing;
  for (const std::vector<Cell>& row : table.rows) {
    fields.clear();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const Cell& cell = c < row.size() ? row[c] : nothing;
      fields.push_back(value_field(cell));
      if (has_intervals(table, c)) fields.insert(fields.end(), {exact_text(cell.low), exact_text(cell.high)});
    }
    out += csv_line(fields);
  }
  return out;
}

}  // namespace dorm::report
