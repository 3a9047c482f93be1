// SPDX-License-Identifier: Apache-2.0
#include "dorm/apps/rankers_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dorm::pages {

std::string mark_of(std::size_t row, std::size_t rows) {
  return rows <= 26 ? std::string(1, static_cast<char>('a' + row)) : std::to_string(row + 1);
}

namespace {

constexpr double kLevel = 0.05;

std::string in_latex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
      out.append("\\").append(1, c);
    else if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      out.append("\\").append(1, c).append("{}");
    else if (c == '<' || c == '>' || c == '|')  // other characters in the text fonts of old
      out.append("$").append(1, c).append("$");
    else
      out += c;
  }
  return out;
}

std::string in_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    constexpr std::array<std::pair<char, std::string_view>, 4> kEntities = {
        {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}}};
    std::string_view entity;
    for (const auto& [plain, name] : kEntities)
      if (plain == c) entity = name;
    entity.empty() ? out += c : out += entity;
  }
  return out;
}

/// Whether it is to be bold: where all are alike, none is.
bool stands_out(const TestedRankers& tested, std::size_t row, std::size_t m) {
  return tested.table.best(row, m) &&
         std::any_of(tested.table.rows.begin(), tested.table.rows.end(), [&](const RankerRow& other) {
           return other.table.measures[m].mean < tested.table.rows[row].table.measures[m].mean;
         });
}

/// The marks of the rankers that this one is significantly better than.
std::string better_than(const TestedRankers& tested, std::size_t row, std::size_t m) {
  const std::size_t count = tested.table.rows.size();
  std::string marks;
  for (std::size_t other = 0; other < count; ++other) {
    if (!(tested.pairs[m][row * count + other] < kLevel)) continue;
    if (tested.table.rows[row].table.measures[m].mean <= tested.table.rows[other].table.measures[m].mean) continue;
    marks += (marks.empty() || count <= 26 ? "" : ",") + mark_of(other, count);
  }
  return marks;
}

std::string caption_of(const TestedRankers& tested) {
  const std::size_t queries = tested.table.rows.front().table.query_ids.size();
  std::string text = fmt::format("Means over {} queries.", queries);
  if (tested.table.rows.size() > 1)
    text += fmt::format(
        " The best of each column is bold. Superscripts: significantly better than that ranker, p < {} ({}).", kLevel,
        test_note(tested));
  return text;
}

std::string test_words(const TestOptions& how) {
  if (how.test == "t") return "paired t test";
  if (how.test == "wilcoxon") return "Wilcoxon signed-rank test";
  if (how.test == "tukey") return "randomised Tukey HSD test";
  return how.test + " test";
}

}  // namespace

namespace {

// `what` was tested `of_measure` times for each measure.
std::string note_of(const TestedRankers& tested, std::size_t of_measure, const std::string& what) {
  const TestOptions& how = tested.how;
  const std::size_t measures = tested.table.rows.front().table.measures.size();
  const std::size_t tests = how.over_measures ? of_measure * measures : of_measure;
  const std::string name = test_words(how) + what, per = how.over_measures ? "" : " per measure";
  if (how.test == "tukey" && !how.over_measures) return fmt::format("{} over all pairs", name);
  if (tests == 1) return fmt::format("{}, one test{}", name, per);
  if (how.correction == "none") return fmt::format("{}, not corrected for {} tests{}", name, tests, per);
  const char* correction = how.correction == "bh" ? "Benjamini and Hochberg's" : "Holm's";
  return fmt::format("{}, {} correction for {} tests{}", name, correction, tests, per);
}

}  // namespace

std::string test_note(const TestedRankers& tested) {
  return note_of(tested, tested.table.rows.size() * (tested.table.rows.size() - 1) / 2, "");
}

std::string difference_note(const TestedRankers& tested) {
  return note_of(tested, tested.table.rows.size() - 1,
                 fmt::format(" of the difference to {}", tested.table.rows[tested.table.reference].name));
}

std::string rankers_latex(const TestedRankers& tested, const std::string& caption) {
  const std::vector<MeasureResult>& measures = tested.table.rows.front().table.measures;
  const bool several = tested.table.rows.size() > 1;
  std::string text = fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\medskip\n"
      "\\begin{{tabular}}{{{}l{}}}\n\\toprule\n{}ranker",
      in_latex(caption.empty() ? caption_of(tested) : caption), several ? "l" : "", std::string(measures.size(), 'l'),
      several ? " & " : "");
  for (const MeasureResult& measure : measures) text += " & " + in_latex(measure.name);
  text += " \\\\\n\\midrule\n";
  for (std::size_t r = 0; r < tested.table.rows.size(); ++r) {
    if (several) text += mark_of(r, tested.table.rows.size()) + " & ";
    text += in_latex(tested.table.rows[r].name);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const double mean = tested.table.rows[r].table.measures[m].mean;
      if (std::isnan(mean)) {
        text += " & --";
        continue;
      }
      const std::string figure = fmt::format("{:.4f}", mean);
      text += stands_out(tested, r, m) ? fmt::format(" & \\textbf{{{}}}", figure) : " & " + figure;
      const std::string marks = several ? better_than(tested, r, m) : "";
      if (!marks.empty()) text += fmt::format("\\textsuperscript{{{}}}", marks);
    }
    text += " \\\\\n";
  }
  return text + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

std::string rankers_html(const TestedRankers& tested, const std::string& caption) {
  const std::vector<MeasureResult>& measures = tested.table.rows.front().table.measures;
  const bool several = tested.table.rows.size() > 1;
  std::string text = fmt::format("<table>\n<caption>{}</caption>\n<thead><tr>{}<th>ranker</th>",
                                 in_html(caption.empty() ? caption_of(tested) : caption), several ? "<th></th>" : "");
  for (const MeasureResult& measure : measures) text += fmt::format("<th>{}</th>", in_html(measure.name));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < tested.table.rows.size(); ++r) {
    text += "<tr>";
    if (several) text += fmt::format("<td>{}</td>", mark_of(r, tested.table.rows.size()));
    text += fmt::format("<td>{}</td>", in_html(tested.table.rows[r].name));
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const double mean = tested.table.rows[r].table.measures[m].mean;
      const std::string figure = std::isnan(mean) ? "-" : fmt::format("{:.4f}", mean);
      const std::string marks = several ? better_than(tested, r, m) : "";
      text += fmt::format("<td>{}{}</td>", stands_out(tested, r, m) ? fmt::format("<b>{}</b>", figure) : figure,
                          marks.empty() ? "" : fmt::format("<sup>{}</sup>", marks));
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

}  // namespace dorm::pages
