// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "dorm/lab/pages.h"
#include "lab/pages/comparison_blocks.h"
#include "report/pages/provenance.h"
#include "report/pages/words.h"

namespace dorm {
namespace {

/// What a page calls the lists that are compared on.
struct Words {
  const char *title, *judged_on, *lists, *training_lists, *chosen;
};
constexpr Words kQueries{"Linear rankers compared", "Test queries", "test queries", "training queries",
                         "Chosen by the validation queries"};
constexpr Words kUsers{"Recommenders compared", "Test ratings", "users", "users",
                       "Chosen by held-out training ratings"};

std::string size_text(std::size_t size, const Words& words) {
  return size == 0 ? fmt::format("all {}", words.training_lists) : fmt::format("{} {}", size, words.training_lists);
}

/// Of the methods that were tested against another, those that no test tells apart from it at 0.05.
std::size_t not_told_apart(const ComparisonRows& methods, std::size_t measure) {
  std::size_t count = 0;
  for (const ComparisonRow* row : methods) count += row->figures[measure].p_holm >= 0.05 ? 1 : 0;
  return count;
}

std::string others_text(const ComparisonRows& methods, std::size_t measure) {
  if (methods.size() < 2 || !methods[0]->figures[measure].reference) return "";
  const std::size_t close = not_told_apart(methods, measure), others = methods.size() - 1;
  if (close == 0) return fmt::format("all {} others are significantly different from it", others);
  return fmt::format("{} of {} others are not significantly different from it", close, others);
}

std::string summary_text(const ComparisonRows& methods) {
  if (methods.empty()) return "No method could learn from the data.";
  const MeasureResult& best = methods[0]->figures[0].result;
  const std::string others = others_text(methods, 0);
  return fmt::format("{} is the best by {}: {:.4f}{}{}.", methods[0]->method, best.name, best.mean,
                     others.empty() ? "" : "; ", others);
}

report::Facts winners(const ComparisonRows& rows) {
  report::Facts facts;
  for (std::size_t m = 0; m < rows.back()->figures.size(); ++m) {
    const ComparisonRows methods = ranked_methods(rows, m);
    if (methods.empty()) continue;
    const MeasureResult& best = methods[0]->figures[m].result;
    facts.facts.push_back({fmt::format("best by {}", best.name),
                           fmt::format("{}, {:.4f}", methods[0]->method, best.mean), others_text(methods, m)});
  }
  return facts;
}

/// What it costs to serve each model.
report::Table serving_table(const ComparisonRows& rows) {
  report::Table table{
      .caption = "Serving, on one thread",
      .columns = {report::text_column("method"), report::significant_column("ms", 2, "of the scores of 100 documents"),
                  report::count_column("bytes", "of the file of the model"), report::text_column("exports to")},
      .folded = true};
  for (const ComparisonRow* row : rows)
    if (row->serving)
      table.rows.push_back({row->method, row->serving->milliseconds, row->serving->bytes,
                            fmt::format("{}", fmt::join(row->serving->targets, ", "))});
  return table;
}

report::Section result_section(const std::vector<ComparisonRows>& sizes, const std::vector<ComparedTrees>& trees,
                               const Words& words) {
  const ComparisonRows& largest = sizes.back();
  report::Section section{"Result"};
  section.blocks.emplace_back(winners(largest));
  for (const ComparedTrees& each : trees)
    if (each.size == largest.front()->size)
      section.blocks.emplace_back(report::Notice{report::Notice::Kind::plain, "Linear or trees? " + each.text + "."});
  section.blocks.emplace_back(comparison_table(
      largest, fmt::format("{}, {}, the best first by {}", words.judged_on, size_text(largest.front()->size, words),
                           largest.back()->figures[0].measure)));
  report::Table serving = serving_table(largest);
  serving.folded = trees.empty();
  if (!serving.rows.empty()) section.blocks.emplace_back(std::move(serving));
  for (std::size_t k = 0; k + 1 < sizes.size(); ++k) {
    report::Table table =
        comparison_table(sizes[k], fmt::format("The same with {}", size_text(sizes[k].front()->size, words)));
    table.folded = true;
    section.blocks.emplace_back(std::move(table));
  }
  return section;
}

report::Section tests_section(const ComparisonRows& rows, const Words& words) {
  report::Section section{"Paired tests"};
  section.blocks.emplace_back(
      report::Paragraph{"Every method against the reference of the measure, query by query. Holm's correction "
                        "is over the methods of a measure."});
  for (std::size_t m = 0; m < rows.back()->figures.size(); ++m) {
    std::string reference = "-";
    for (const ComparisonRow* row : rows)
      if (!row->figures.empty() && row->figures[m].reference) reference = row->method;
    report::Table table =
        tests_table(rows, m, fmt::format("{}: difference to {}", rows.back()->figures[m].measure, reference));
    table.folded = m > 0;
    section.blocks.emplace_back(std::move(table));
  }
  section.blocks.emplace_back(chosen_table(rows, words.chosen));
  return section;
}

std::string grid_text(const std::vector<double>& grid) {
  std::string text;
  for (double C : grid) text += fmt::format("{}{:g}", text.empty() ? "" : ", ", C);
  return text;
}

std::string files_text(const std::vector<std::string>& data) {
  std::string files;
  for (const std::string& path : data) files += (files.empty() ? "" : ", ") + path;
  return files;
}

std::vector<report::Fact> facts_of(const ComparisonResult& result, const ComparisonOptions& options,
                                   const std::vector<std::string>& data) {
  return {{"data", files_text(data)},
          {"splits", std::to_string(result.splits), fmt::format("{} test queries in all", result.test_queries)},
          {"grid of C", grid_text(options.C),
           options.equal_candidates ? "every method with a C has the same number of candidates"
                                    : "DORM at three bounds and starts each"},
          {"chosen by", std::string(pages::choice_name(options.choice))},
          {"convention", options.convention},
          {"scaling", options.scale},
          {"tolerance", fmt::format("{:g}", options.tolerance), "relative duality gap"}};
}

std::vector<report::Fact> facts_of(const ComparisonResult& result, const RecommenderComparison& options,
                                   const std::vector<std::string>& data) {
  const std::string split =
      options.given > 0 ? fmt::format("{} random ratings of each user to train on, the others test", options.given)
                        : fmt::format("a share of {:g} of all ratings tests", options.share);
  return {{"data", files_text(data)},
          {"splits", std::to_string(result.splits), fmt::format("seeds from {} on; {}", options.split_seed, split)},
          {"parameters", options.choose ? "chosen by held-out training ratings" : "defaults"},
          {"rank of factorizations", std::to_string(options.train.rank)},
          {"convention", options.convention}};
}

report::Report page_of(const ComparisonResult& result, const std::vector<std::string>& data, const Words& words,
                       std::vector<report::Section> rest) {
  const std::vector<ComparisonRows> sizes = rows_by_size(result);
  const ComparisonRows& largest = sizes.back();
  report::Report page{.title = words.title, .summary = "On " + files_text(data) + ".", .footer = pages::footer_text()};
  const ComparisonRows ranked = ranked_methods(largest, 0);
  page.verdict = report::Notice{report::Notice::Kind::plain, summary_text(ranked)};
  if (!ranked.empty()) {
    const MeasureResult& best = ranked[0]->figures[0].result;
    page.highlights.push_back({fmt::format("best {}", best.name), fmt::format("{:.4f}", best.mean),
                               fmt::format("{}, {:.4f} to {:.4f}", ranked[0]->method, best.low, best.high)});
  }
  const auto trees = std::find_if(result.trees.begin(), result.trees.end(),
                                  [&](const ComparedTrees& each) { return each.size == largest.front()->size; });
  if (trees != result.trees.end())
    page.highlights.push_back({"trees are worth", fmt::format("{:+.4f}", trees->worth.difference),
                               fmt::format("{:+.4f} to {:+.4f}", trees->worth.low, trees->worth.high)});
  page.highlights.push_back({"methods", std::to_string(ranked.size())});
  page.highlights.push_back({words.lists, std::to_string(result.test_queries),
                             fmt::format("{} split{}", result.splits, result.splits == 1 ? "" : "s")});
  page.sections = {result_section(sizes, result.trees, words),
                   {"Plots", comparison_plots(result, "")},
                   tests_section(largest, words)};
  for (report::Section& section : rest) page.sections.push_back(std::move(section));
  return page;
}

}  // namespace

report::Report comparison_page(const ComparisonResult& result, const ComparisonOptions& options,
                               const report::Queries& queries, const std::vector<std::string>& data,
                               const pages::Origin& origin) {
  return page_of(
      result, data, kQueries,
      {{"Every query", {queries}}, pages::provenance_section(origin, options.seed, facts_of(result, options, data))});
}

report::Report comparison_page(const ComparisonResult& result, const RecommenderComparison& options,
                               const std::vector<std::string>& data, const pages::Origin& origin) {
  return page_of(result, data, kUsers,
                 {pages::provenance_section(origin, options.train.seed, facts_of(result, options, data))});
}

}  // namespace dorm
