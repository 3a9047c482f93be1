// SPDX-License-Identifier: Apache-2.0
// Every user is a query, and all items without those of the training part are its documents.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/parallel.h"
#include "dorm/error.h"
#include "dorm/recommend/catalogue.h"
#include "evaluation/summarise.h"

namespace dorm {
namespace {

constexpr std::string_view kCoverage = "coverage@", kNovelty = "novelty@";

std::size_t cutoff_of(const std::string& measure) {
  const std::size_t at = measure.find('@');
  std::size_t cutoff = 0;
  if (at != std::string::npos) std::from_chars(measure.data() + at + 1, measure.data() + measure.size(), cutoff);
  if (cutoff == 0)
    throw Error(ErrorCode::bad_option,
                fmt::format("measure {} over the whole catalogue; expected a cutoff, as in ndcg@10", measure));
  return cutoff;
}

/// The first items of a user; test items that are not among them follow without a score.
struct UserList {
  std::size_t user = 0, found = 0;  // number of relevant items among the first
  std::vector<std::uint32_t> items;
  std::vector<double> scores;
  std::vector<float> labels;
};

void select(const Ratings& train, const Ratings& test, std::size_t depth, const std::vector<double>& scores,
            UserList& list) {
  const auto seen = train.of_user(list.user).index, relevant = test.of_user(list.user).index;
  std::vector<std::uint32_t> candidates;
  candidates.reserve(scores.size());
  auto next = seen.begin();
  for (std::uint32_t item = 0; item < scores.size(); ++item) {
    if (next != seen.end() && *next == item)
      ++next;
    else
      candidates.push_back(item);
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(depth, candidates.size()));
  std::partial_sort(
      candidates.begin(), candidates.begin() + kept, candidates.end(),
      [&](std::uint32_t x, std::uint32_t y) { return scores[x] > scores[y] || (scores[x] == scores[y] && x < y); });
  list.items.assign(candidates.begin(), candidates.begin() + kept);
  for (const std::uint32_t item : list.items) {
    list.scores.push_back(scores[item]);
    list.labels.push_back(std::binary_search(relevant.begin(), relevant.end(), item) ? 1.0f : 0.0f);
    list.found += list.labels.back() > 0;
  }
  list.labels.resize(list.labels.size() + relevant.size() - list.found, 1.0f);
}

std::vector<UserList> top_lists(const Ratings& train, const Ratings& test, const CatalogueScores& item_scores,
                                std::size_t depth, std::size_t threads) {
  std::vector<UserList> lists;
  for (std::size_t u = 0; u < test.num_users(); ++u)
    if (test.of_user(u).size() > 0) lists.emplace_back().user = u;
  ThreadPool pool(thread_count(threads));
  std::vector<std::vector<double>> scores(pool.size(), std::vector<double>(test.num_items()));
  pool.run(lists.size(), [&](std::size_t l, std::size_t worker) {
    item_scores(lists[l].user, scores[worker]);
    select(train, test, depth, scores[worker], lists[l]);
  });
  return lists;
}

MeasureResult coverage(const std::string& name, const std::vector<UserList>& lists, std::size_t num_items) {
  std::vector<char> shown(num_items);
  for (const UserList& list : lists)
    for (std::size_t k = 0; k < std::min(cutoff_of(name), list.items.size()); ++k) shown[list.items[k]] = 1;
  MeasureResult result{.name = name, .low = kNaN, .high = kNaN, .queries = lists.size(), .per_query = {}};
  result.mean = real(static_cast<std::size_t>(std::count(shown.begin(), shown.end(), 1))) / real(num_items);
  result.per_query.assign(lists.size(), kNaN);
  return result;
}

std::vector<double> novelty(std::size_t cutoff, const std::vector<UserList>& lists, const Ratings& train) {
  std::size_t users = 0;
  for (std::size_t u = 0; u < train.num_users(); ++u) users += train.of_user(u).size() > 0;
  std::vector<double> values;
  for (const UserList& list : lists) {
    const std::size_t kept = std::min(cutoff, list.items.size());
    double sum = 0;
    for (std::size_t k = 0; k < kept; ++k)
      sum -= std::log2((real(train.of_item(list.items[k]).size()) + 1) / (real(users) + 1));
    values.push_back(kept > 0 ? sum / real(kept) : kNaN);
  }
  return values;
}

EvaluationTable of_novelty(const std::vector<std::string>& names, const std::vector<UserList>& lists,
                           const Ratings& train, const EvaluateOptions& options) {
  EvaluationTable table;
  for (const std::string& name : names)
    table.measures.push_back({.name = name, .per_query = novelty(cutoff_of(name), lists, train)});
  if (!names.empty()) summarise(table, std::vector<double>(lists.size(), 1.0), options);
  return table;
}

}  // namespace

EvaluationTable evaluate_catalogue(const Ratings& train, const Ratings& test, const CatalogueScores& scores,
                                   std::span<const std::string> measures, const EvaluateOptions& options) {
  std::vector<std::string> ranked, novelties;
  std::size_t depth = 0;
  for (const std::string& name : measures) {
    depth = std::max(depth, cutoff_of(name));
    if (name.starts_with(kNovelty)) novelties.push_back(name);
    if (!name.starts_with(kNovelty) && !name.starts_with(kCoverage)) ranked.push_back(name);
  }
  const std::vector<UserList> lists = top_lists(train, test, scores, depth, options.threads);
  if (lists.empty()) throw Error(ErrorCode::bad_input, "no test events");
  std::vector<ScoredQuery> queries;
  for (const UserList& list : lists) queries.push_back({test.users()[list.user], list.labels, list.scores});
  EvaluateOptions by_item = options;
  by_item.ties = "index";
  EvaluationTable table = evaluate(queries, ranked, by_item);
  const EvaluationTable surprise = of_novelty(novelties, lists, train, options);
  std::vector<MeasureResult> results;
  auto of_ranks = table.measures.begin();
  auto of_surprise = surprise.measures.begin();
  for (const std::string& name : measures) {
    if (name.starts_with(kCoverage))
      results.push_back(coverage(name, lists, test.num_items()));
    else
      results.push_back(name.starts_with(kNovelty) ? *of_surprise++ : *of_ranks++);
  }
  table.measures = std::move(results);
  return table;
}

}  // namespace dorm
