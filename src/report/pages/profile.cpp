// SPDX-License-Identifier: Apache-2.0
#include "report/pages/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "dorm/data/prepare.h"
#include "report/pages/words.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kMostColumns = 20'000;  // whose values are looked at
constexpr std::size_t kMostNames = 8;         // in a list
constexpr std::size_t kMostGrades = 12;
constexpr std::size_t kLengthBins = 8;

/// What a column holds, to find those that hold the same.
struct ColumnSketch {
  float low = 0, high = 0;
  std::uint64_t hash = 14695981039346656037ull;
  bool operator<(const ColumnSketch& other) const {
    return std::tie(low, high, hash) < std::tie(other.low, other.high, other.hash);
  }
};

std::vector<ColumnSketch> sketch_columns(const Dataset& data) {
  std::vector<ColumnSketch> columns(data.num_features());
  std::vector<float> row(data.num_features());
  bool first = true;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    for (std::size_t i = 0; i < query.size(); ++i, first = false) {
      query.rows.load(i, row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        ColumnSketch& column = columns[j];
        column.low = first ? row[j] : std::min(column.low, row[j]);
        column.high = first ? row[j] : std::max(column.high, row[j]);
        column.hash = (column.hash ^ std::bit_cast<std::uint32_t>(row[j] + 0.0f)) * 1099511628211ull;
      }
    }
  }
  return columns;
}

std::string named(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), kMostNames); ++k) text += (k > 0 ? ", " : "") + names[k];
  return names.size() > kMostNames ? fmt::format("{} and {} more", text, names.size() - kMostNames) : text;
}

void add_features(const Dataset& data, report::Facts& facts) {
  if (data.num_features() == 0 || data.num_features() > kMostColumns) return;
  const std::vector<ColumnSketch> columns = sketch_columns(data);
  std::vector<std::string> constant, repeated;
  std::map<ColumnSketch, std::size_t> seen;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].low == columns[j].high) {
      constant.push_back(data.feature_name(j));
      continue;
    }
    const auto [before, inserted] = seen.emplace(columns[j], j);
    if (!inserted) repeated.push_back(fmt::format("{} = {}", data.feature_name(j), data.feature_name(before->second)));
  }
  facts.facts.push_back({"constant features", std::to_string(constant.size()), named(constant)});
  facts.facts.push_back({"duplicate features", std::to_string(repeated.size()), named(repeated)});
}

report::Bars labels_of(const Dataset& data) {
  std::map<float, double> counts;
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    for (const float label : data.query(q).labels) ++counts[label];
  report::Bars bars{.title = "Documents by label", .value = {.label = "documents", .whole = true}, .groups = {{}}};
  if (counts.size() <= kMostGrades) {
    for (const auto& [label, count] : counts) {
      bars.categories.push_back(fmt::format("{:g}", label));
      bars.groups[0].values.push_back(count);
    }
    return bars;
  }
  const double low = counts.begin()->first, high = counts.rbegin()->first, step = (high - low) / kMostGrades;
  std::vector<double> bins(kMostGrades, 0.0);
  for (const auto& [label, count] : counts)
    bins[std::min(kMostGrades - 1, static_cast<std::size_t>((label - low) / step))] += count;
  for (std::size_t k = 0; k < kMostGrades; ++k)
    bars.categories.push_back(
        fmt::format("{:.3g} to {:.3g}", low + step * static_cast<double>(k), low + step * static_cast<double>(k + 1)));
  bars.groups[0].values = std::move(bins);
  return bars;
}

std::vector<std::size_t> lengths_of(const Dataset& data) {
  std::vector<std::size_t> lengths;
  for (std::size_t q = 0; q < data.num_queries(); ++q) lengths.push_back(data.query(q).size());
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

/// Whole numbers in bins of equal width.
report::Bars lengths_bars(const std::vector<std::size_t>& lengths) {
  report::Bars bars{
      .title = "Queries by number of documents", .value = {.label = "queries", .whole = true}, .groups = {{}}};
  const std::size_t low = lengths.front(), range = lengths.back() - low + 1;
  const std::size_t width = (range + kLengthBins - 1) / kLengthBins;
  for (std::size_t begin = low; begin <= lengths.back(); begin += width) {
    const auto inside =
        std::count_if(lengths.begin(), lengths.end(), [&](std::size_t n) { return n >= begin && n < begin + width; });
    bars.categories.push_back(width == 1 ? std::to_string(begin) : fmt::format("{} to {}", begin, begin + width - 1));
    bars.groups[0].values.push_back(static_cast<double>(inside));
  }
  return bars;
}

std::size_t without_order(const Dataset& data) {
  std::size_t count = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const auto labels = data.query(q).labels;
    count += std::adjacent_find(labels.begin(), labels.end(), std::not_equal_to<>()) == labels.end() ? 1 : 0;
  }
  return count;
}

}  // namespace

std::vector<report::Notice> leak_notices(const Dataset& data) {
  std::vector<report::Notice> notices;
  for (const LabelLeak& leak : find_label_leaks(data)) {
    const std::string_view end =
        leak.kind == LabelLeak::Kind::name
            ? "if it is one, no figure here is worth anything"
            : "a ranker that learns from it is of no use where labels are not known, and no figure here is worth "
              "anything";
    notices.push_back({.text = fmt::format("feature \"{}\" {}: {}", leak.feature, leak_words(leak.kind), end)});
  }
  return notices;
}

report::Section profile_section(const Dataset& data) {
  report::Section section{"Training data"};
  const std::vector<std::size_t> lengths = lengths_of(data);
  if (lengths.empty()) return section;
  report::Facts facts;
  facts.facts = {
      {"queries", std::to_string(data.num_queries()),
       fmt::format("{} with one label only, from which nothing is learnt", without_order(data))},
      {"documents", std::to_string(data.num_documents()),
       fmt::format("{} to {} per query, median {}", lengths.front(), lengths.back(), lengths[lengths.size() / 2])},
      {"features", std::to_string(data.num_features()), data.dense() ? "" : "sparse"}};
  add_features(data, facts);
  section.blocks.emplace_back(std::move(facts));
  section.blocks.emplace_back(labels_of(data));
  section.blocks.emplace_back(lengths_bars(lengths));
  return section;
}

}  // namespace dorm::pages
