// SPDX-License-Identifier: Apache-2.0
// TREC runs: joining what was retrieved with what was judged, one query at a time.
#include "dorm/evaluation/run_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "base/text_hash.h"
#include "dorm/data/one_per.h"
#include "dorm/error.h"
#include "evaluation/query_values.h"
#include "evaluation/repeated_document.h"
#include "evaluation/summarise.h"

namespace dorm {
namespace run_evaluation {

/// Judgments by query, and in a query by label, then document: sums over them need a defined order.
class JudgedQueries {
 public:
  explicit JudgedQueries(std::span<const Judgment> judgments) {
    std::vector<std::size_t> query_of(judgments.size());
    for (std::size_t i = 0; i < judgments.size(); ++i) {
      const bool same = i > 0 && judgments[i].query == judgments[i - 1].query;
      query_of[i] = same ? query_of[i - 1] : place_.try_emplace(judgments[i].query, ids_.size()).first->second;
      if (query_of[i] == ids_.size()) ids_.emplace_back(judgments[i].query);
    }
    first_.assign(ids_.size() + 1, 0);
    for (const std::size_t q : query_of) ++first_[q + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    judgments_.resize(judgments.size());
    std::vector<std::size_t> next(first_.begin(), first_.end());
    for (std::size_t i = 0; i < judgments.size(); ++i) judgments_[next[query_of[i]]++] = &judgments[i];
    for (std::size_t q = 0; q < ids_.size(); ++q) put_in_order(q);
  }

  std::size_t size() const { return ids_.size(); }
  std::string_view id(std::size_t q) const { return ids_[q]; }
  std::span<const Judgment* const> of(std::size_t q) const {
    return std::span(judgments_).subspan(first_[q], first_[q + 1] - first_[q]);
  }
  /// size() for a query without judgments.
  std::size_t find(std::string_view id) const {
    const auto found = place_.find(id);
    return found == place_.end() ? size() : found->second;
  }

 private:
  void put_in_order(std::size_t q) {
    const auto begin = judgments_.begin() + static_cast<std::ptrdiff_t>(first_[q]);
    const auto end = judgments_.begin() + static_cast<std::ptrdiff_t>(first_[q + 1]);
    std::sort(begin, end, [](const Judgment* a, const Judgment* b) { return a->document < b->document; });
    const auto repeated =
        std::adjacent_find(begin, end, [](const Judgment* a, const Judgment* b) { return a->document == b->document; });
    if (repeated != end) throw_repeated_document(ids_[q], (*repeated)->document, "judgments");
    std::stable_sort(begin, end, [](const Judgment* a, const Judgment* b) { return a->label < b->label; });
  }

  std::unordered_map<std::string_view, std::size_t> place_;
  std::vector<std::string_view> ids_;
  std::vector<const Judgment*> judgments_;
  std::vector<std::size_t> first_;  // of each query, and the end
};

/// Documents of one query by name. Open addressing; texts are compared only where half of their hashes are equal.
class DocumentNumbers {
 public:
  /// For up to `count` documents, and forgets what there was.
  void reset(std::size_t count) {
    slots_.assign(std::bit_ceil(2 * count + 1), Slot{});
    mask_ = slots_.size() - 1;
  }

  /// The number that this text was added with; `number`, if it is new.
  template <class TextOf>
  std::uint32_t add(std::string_view text, std::uint32_t number, const TextOf& text_of) {
    const std::uint64_t hash = text_hash(text);
    const auto check = static_cast<std::uint32_t>(hash >> 32);
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.taken == 0) {
        slot = {check, number + 1};
        return number;
      }
      if (slot.check == check && text_of(slot.taken - 1) == text) return slot.taken - 1;
    }
  }

 private:
  struct Slot {
    std::uint32_t check = 0, taken = 0;  // 1 + number
  };
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
};

/// Memory of one thread.
struct JoinWorkspace {
  DocumentNumbers numbers;
  std::vector<char> retrieved;   // by judgment
  std::vector<float> labels;     // first those of the run
  std::vector<float> judgments;  // as labels, kNotPooled where there is none
  std::vector<std::string_view> documents;
  RankedQuery ranked;
  std::unordered_set<std::string> unjudged;  // queries
};

// Retrieved documents first, in the order of the run, then judged ones that were not retrieved.
void join(const RunQuery& query, std::span<const Judgment* const> judged, JoinWorkspace& work) {
  const auto known = static_cast<std::uint32_t>(judged.size());
  const auto text_of = [&](std::uint32_t number) -> std::string_view {
    return number < known ? std::string_view(judged[number]->document) : query.documents[number - known];
  };
  work.numbers.reset(known + query.documents.size());
  for (std::uint32_t j = 0; j < known; ++j) work.numbers.add(judged[j]->document, j, text_of);
  work.retrieved.assign(known, 0);
  work.labels.assign(query.documents.size(), 0.0f);
  work.judgments.assign(query.documents.size(), kNotPooled);
  for (std::size_t i = 0; i < query.documents.size(); ++i) {
    const auto own = static_cast<std::uint32_t>(known + i);
    const std::uint32_t number = work.numbers.add(query.documents[i], own, text_of);
    if (number == own) continue;
    if (number >= known || work.retrieved[number]) throw_repeated_document(query.id, query.documents[i], "run");
    work.retrieved[number] = 1;
    work.labels[i] = work.judgments[i] = judged[number]->label;
  }
  for (std::uint32_t j = 0; j < known; ++j) {
    if (work.retrieved[j]) continue;
    work.labels.push_back(judged[j]->label);
    work.judgments.push_back(judged[j]->label);
  }
}

}  // namespace run_evaluation

class RunEvaluation::State {
  using JudgedQueries = run_evaluation::JudgedQueries;
  using JoinWorkspace = run_evaluation::JoinWorkspace;

 public:
  State(std::span<const Judgment> judgments, std::span<const std::string> measures, const EvaluateOptions& options,
        std::span<const double> weights)
      : judged_(judgments),
        options_(options),
        convention_(convention_of(options)),
        weights_(weights.begin(), weights.end()),
        names_(measures.begin(), measures.end()) {
    for (const std::string& spelling : measures) {
      made_.push_back(make_measure(spelling, convention_));
      measures_.push_back(made_.back().get());
    }
    if (!options.one_per.empty()) one_per_ = parse_one_per(options.one_per);
    by_.measures = measures_;
    by_.ties = choose_ties(convention_, options, true);
    require_order(measures_, options, by_.ties, one_per_.has_value());
  }

  void begin(std::size_t workers) {
    table_ = empty_table(by_, options_, judged_.size());
    came_ = std::vector<std::atomic<bool>>(judged_.size());
    workspaces_ = std::vector<JoinWorkspace>(workers);
  }

  bool add(const RunQuery& query, std::size_t worker) {
    JoinWorkspace& work = workspaces_[worker];
    const std::size_t q = judged_.find(query.id);
    if (q == judged_.size()) {
      work.unjudged.emplace(query.id);
      return true;
    }
    if (came_[q].exchange(true)) return false;
    evaluate(q, query, work);
    return true;
  }

  EvaluationTable table() {
    if (workspaces_.empty()) begin(1);
    for (std::size_t q = 0; q < judged_.size() && !convention_.skip_missing; ++q)
      if (!came_[q]) evaluate(q, {judged_.id(q), {}, {}}, workspaces_.front());
    std::vector<double> weights = weights_.empty() ? std::vector<double>(judged_.size(), 1.0) : weights_;
    for (std::size_t q = 0; q < judged_.size(); ++q) table_.query_ids.emplace_back(judged_.id(q));
    const std::size_t skipped = convention_.skip_missing ? drop_missing(weights) : 0;
    for (std::size_t m = 0; m < names_.size(); ++m) table_.measures[m].name = names_[m];
    summarise(table_, weights, options_);
    for (MeasureResult& result : table_.measures) result.skipped += skipped;
    for (std::size_t w = 1; w < workspaces_.size(); ++w) workspaces_[0].unjudged.merge(workspaces_[w].unjudged);
    table_.unjudged_queries = workspaces_[0].unjudged.size();
    return std::move(table_);
  }

 private:
  void evaluate(std::size_t q, const RunQuery& query, JoinWorkspace& work) {
    const std::span<const Judgment* const> judged = judged_.of(q);
    join(query, judged, work);
    ScoredQuery scored{query.id, work.labels, query.scores, query.documents, 1, nullptr, work.judgments};
    GroupLimits limits;
    if (one_per_) {
      work.documents.assign(query.documents.begin(), query.documents.end());
      for (std::size_t j = 0; j < judged.size(); ++j)
        if (!work.retrieved[j]) work.documents.emplace_back(judged[j]->document);
      limits = group_limits(work.documents, *one_per_);
      scored.groups = &limits;
    }
    evaluate_query(scored, q, by_, work.ranked, table_);
  }

  // Takes the rows of queries that the run lacks out of the table; how many.
  std::size_t drop_missing(std::vector<double>& weights) {
    std::size_t kept = 0;
    for (std::size_t q = 0; q < judged_.size(); ++q) {
      if (!came_[q]) continue;
      table_.query_ids[kept] = judged_.id(q);
      table_.counts[kept] = table_.counts[q];
      weights[kept] = weights[q];
      for (MeasureResult& result : table_.measures) result.per_query[kept] = result.per_query[q];
      ++kept;
    }
    table_.query_ids.resize(kept);
    table_.counts.resize(kept);
    weights.resize(kept);
    for (MeasureResult& result : table_.measures) result.per_query.resize(kept);
    return judged_.size() - kept;
  }

  JudgedQueries judged_;
  EvaluateOptions options_;
  Convention convention_;
  std::vector<double> weights_;
  std::vector<std::string> names_;
  std::vector<MeasurePtr> made_;
  std::vector<const Measure*> measures_;
  std::optional<OnePer> one_per_;
  Criteria by_{{}, convention_, Ties::index, options_.as_ranked, options_.depth};
  EvaluationTable table_;
  std::vector<std::atomic<bool>> came_;  // by query
  std::vector<JoinWorkspace> workspaces_;
};

RunEvaluation::RunEvaluation(std::span<const Judgment> judgments, std::span<const std::string> measures,
                             const EvaluateOptions& options, std::span<const double> weights)
    : state_(std::make_unique<State>(judgments, measures, options, weights)) {}

RunEvaluation::~RunEvaluation() = default;

void RunEvaluation::begin(std::size_t workers) { state_->begin(workers); }
bool RunEvaluation::add(const RunQuery& query, std::size_t worker) { return state_->add(query, worker); }
EvaluationTable RunEvaluation::table() { return state_->table(); }

}  // namespace dorm
