// SPDX-License-Identifier: Apache-2.0
// The report as GitHub's Markdown; pictures become the tables of their numbers.
#include <fmt/format.h>

#include <algorithm>

#include "report/text.h"

namespace dorm::report {
namespace {

constexpr std::size_t kMostRows = 40;  // of a picture's numbers; the rest is in the CSV

std::string cell_markdown(const Cell& cell, const Column& column) {
  std::string out = escape_markdown(shown_text(cell, column));
  if (cell.best && !out.empty()) out = fmt::format("**{}**", out);
  if (cell.has_interval()) out += fmt::format(" {}", escape_markdown(interval_text(cell, column)));
  if (const std::string note = note_text(cell); !note.empty()) out += fmt::format(" ({})", escape_markdown(note));
  return out;
}

std::string table_markdown(const Table& table) {
  std::string out = table.caption.empty() ? "" : fmt::format("**{}**\n\n", escape_markdown(table.caption));
  out += to_markdown(table) + '\n';
  for (const std::string& footnote : table.footnotes) out += escape_markdown(footnote) + "\n\n";
  return out;
}

// Every k-th row and the last, where there are too many to read.
Table thinned(Table table) {
  if (table.rows.size() <= kMostRows) return table;
  const std::size_t all = table.rows.size(), stride = (all + kMostRows - 1) / kMostRows;
  std::vector<std::vector<Cell>> kept;
  for (std::size_t i = 0; i < all; i += stride) kept.push_back(table.rows[i]);
  if ((all - 1) % stride != 0) kept.push_back(table.rows.back());
  table.rows = std::move(kept);
  table.footnotes.push_back(fmt::format("{} of {} points; the HTML and CSV forms have all.", table.rows.size(), all));
  return table;
}

template <class Picture>
std::string picture_markdown(const Picture& picture) {
  Table table = thinned(numbers_of(picture));
  if (!picture.caption.empty()) table.footnotes.push_back(picture.caption);
  return table_markdown(table);
}

std::string code_markdown(const std::string& text) {
  // A fence longer than any run of backticks inside.
  std::size_t longest = 2, run = 0;
  for (const char c : text) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  return fmt::format("{0}\n{1}\n{0}\n\n", fence, clean(text));
}

std::string facts_markdown(const std::vector<Fact>& facts) {
  std::string out;
  for (const Fact& fact : facts)
    out += fmt::format("- {}: {}{}\n", escape_markdown(fact.name), escape_markdown(fact.value),
                       fact.note.empty() ? "" : fmt::format(" ({})", escape_markdown(fact.note)));
  return out + "\n";
}

struct MarkdownBlockWriter {
  std::string operator()(const Paragraph& block) const { return escape_markdown(block.text) + "\n\n"; }
  std::string operator()(const Code& block) const { return code_markdown(block.text); }
  std::string operator()(const Notice& block) const {
    return fmt::format("> {}{}\n\n", block.kind == Notice::Kind::warning ? "**Warning:** " : "",
                       escape_markdown(block.text));
  }
  std::string operator()(const Facts& block) const { return facts_markdown(block.facts); }
  std::string operator()(const Table& block) const { return table_markdown(block); }
  std::string operator()(const Plot& block) const { return picture_markdown(block); }
  std::string operator()(const Bars& block) const { return picture_markdown(block); }
  std::string operator()(const Forest& block) const { return picture_markdown(block); }
  std::string operator()(const Queries& block) const { return picture_markdown(block); }
  std::string operator()(const Heatmap& block) const { return picture_markdown(block); }
};

}  // namespace

std::string to_markdown(const Table& table) {
  std::string out, rule;
  for (const Column& column : table.columns) {
    out += fmt::format("| {} ", escape_markdown(column.name));
    rule += column.kind == Column::Kind::text ? "|---" : "|--:";
  }
  out += fmt::format("|\n{}|\n", rule);
  for (const std::vector<Cell>& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      out += fmt::format("| {} ", c < row.size() ? cell_markdown(row[c], table.columns[c]) : "");
    out += "|\n";
  }
  return out;
}

std::string to_markdown(const Report& report) {
  std::string out = fmt::format("# {}\n\n", escape_markdown(report.title));
  if (!report.summary.empty()) out += escape_markdown(report.summary) + "\n\n";
  if (report.verdict) out += fmt::format("**{}**\n\n", escape_markdown(report.verdict->text));
  if (!report.highlights.empty()) out += facts_markdown(report.highlights);
  for (const Section& section : report.sections) {
    out += fmt::format("## {}\n\n", escape_markdown(section.title));
    for (const Block& block : section.blocks) out += std::visit(MarkdownBlockWriter{}, block);
  }
  if (!report.footer.empty()) out += escape_markdown(report.footer) + "\n";
  return out;
}

}  // namespace dorm::report
