// SPDX-License-Identifier: Apache-2.0
#include "dorm/evaluation/query_groups.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dorm {
namespace {

using Groups = std::vector<std::pair<std::string, std::vector<std::size_t>>>;

Groups grouped(const std::vector<std::string>& texts, std::size_t most = 8) {
  Groups groups;
  for (const QueryGroup& group : group_queries(texts, most)) groups.emplace_back(group.name, group.queries);
  return groups;
}

TEST(QueryGroups, TextsAreGroups) {
  EXPECT_EQ(grouped({"shoes", "", "hats", "shoes"}), (Groups{{"hats", {2}}, {"shoes", {0, 3}}, {"none", {1}}}));
}

TEST(QueryGroups, FewNumbersAreGroupsBySize) {
  EXPECT_EQ(grouped({"10", "2", "10"}), (Groups{{"2", {1}}, {"10", {0, 2}}}));
  EXPECT_EQ(grouped({"10", "2", "x"}), (Groups{{"10", {0}}, {"2", {1}}, {"x", {2}}}));
}

TEST(QueryGroups, ManyNumbersMakeFourGroupsThatShareNoNumber) {
  EXPECT_EQ(grouped({"8", "1", "2", "7", "3", "6", "4", "5"}, 5),
            (Groups{{"1 to 2", {1, 2}}, {"3 to 4", {4, 6}}, {"5 to 6", {5, 7}}, {"7 to 8", {0, 3}}}));
  EXPECT_EQ(grouped({"1", "1", "1", "1", "1", "2", "3", "4"}, 3),
            (Groups{{"1", {0, 1, 2, 3, 4}}, {"2", {5}}, {"3", {6}}, {"4", {7}}}));
}

// Means of the parts by hand; NaN is no query of a mean.
TEST(QueryGroups, APartHasItsOwnMeans) {
  EvaluationTable table{"standard", "index", "", {"a", "b", "c", "d"}, 0, {}};
  table.weights = {1, 3, 1, 1};
  MeasureResult& measure = table.measures.emplace_back();
  measure.name = "map";
  measure.per_query = {1, 0.5, std::nan(""), 0};
  const std::vector<std::size_t> queries = {0, 1, 2};
  const EvaluationTable part = part_of(table, queries, {});
  EXPECT_EQ(part.query_ids, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_DOUBLE_EQ(part.measures[0].mean, (1 + 3 * 0.5) / 4);
  EXPECT_EQ(part.measures[0].queries, 2u);
  EXPECT_EQ(part.measures[0].skipped, 1u);
  EXPECT_LE(part.measures[0].low, part.measures[0].mean);
}

}  // namespace
}  // namespace dorm
