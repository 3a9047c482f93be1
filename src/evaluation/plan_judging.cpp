// SPDX-License-Identifier: Apache-2.0
// Which pairs to judge next, so that the better one of two runs is known after as few as possible.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "dorm/error.h"
#include "dorm/evaluation/judging.h"
#include "evaluation/bet.h"
#include "evaluation/difference_bounds.h"

namespace dorm {
namespace {

constexpr double kSettled = 1e-12;

using LabelsById = std::map<std::string_view, std::map<std::string_view, float>>;  // by query, then document

LabelsById labels_by_id(std::span<const Judgment> judgments) {
  LabelsById labels;
  for (const Judgment& judgment : judgments) {
    auto& own = labels[judgment.query];
    if (judgment.label >= 0) own[judgment.document] = judgment.label;
  }
  return labels;
}

/// A query before and after the new judgments.
struct PlannedQuery {
  PooledQuery pool;
  DifferenceBounds before, now;
  std::vector<std::uint32_t> to_judge;  // that mattered before, those first about which the runs differ most
  std::size_t open = 0;                 // before
  bool done = false;
};

double discount(const Ranking& ranking, std::uint32_t document) {
  const auto at = std::find(ranking.begin(), ranking.end(), document);
  return at == ranking.end() ? 0 : 1 / std::log2(real(static_cast<std::size_t>(at - ranking.begin())) + 2);
}

double disagreement(const PooledQuery& pool, std::uint32_t document) {
  return std::abs(discount(pool.first, document) - discount(pool.second, document));
}

class Planner {
 public:
  Planner(std::span<const Judgment> judgments, std::span<const Judgment> added, const std::string& measure,
          const JudgingOptions& options)
      : options_(options),
        measure_(measure, convention_of(options.evaluate)),
        before_(labels_by_id(judgments)),
        added_(labels_by_id(added)) {
    if (!(options.evaluate.confidence > 0 && options.evaluate.confidence < 1))
      throw Error(ErrorCode::bad_option,
                  fmt::format("confidence {}; expected a number between 0 and 1", options.evaluate.confidence));
    double most = options.best_label;
    if (most == 0) {
      most = 1;
      for (const Judgment& judgment : judgments) most = std::max(most, static_cast<double>(judgment.label));
    }
    best_ = static_cast<float>(most);
    for (const std::span<const Judgment> some : {judgments, added})
      for (const Judgment& judgment : some)
        if (judgment.label > best_)
          throw Error(
              ErrorCode::bad_input,
              fmt::format("query \"{}\", document \"{}\": label {} is above {}, the best label that was planned for",
                          judgment.query, judgment.document, judgment.label, best_));
    const std::size_t own = measure_.depth(), asked = options.evaluate.depth;
    depth_ = own == 0 || asked == 0 ? std::max(own, asked) : std::min(own, asked);
  }

  JudgingPlan plan(const RunSource& first, const RunSource& second) {
    std::vector<std::string_view> judged;
    for (const auto& [id, labels] : before_) judged.push_back(id);
    TopOfRun one(depth_, options_.evaluate, judged), other(depth_, options_.evaluate, judged);
    first(one);
    second(other);
    std::set<std::string, std::less<>> ids(judged.begin(), judged.end());
    if (judged.empty())
      for (const TopOfRun* run : {&one, &other})
        for (std::string& id : run->queries()) ids.insert(std::move(id));
    ids_.assign(ids.begin(), ids.end());
    queries_.resize(ids_.size());
    parallel_for(ids_.size(), thread_count(options_.evaluate.threads), [&](std::size_t q, std::size_t) {
      queries_[q] = planned(ids_[q], one.of(ids_[q]), other.of(ids_[q]));
    });
    draw();
    return finish();
  }

 private:
  PlannedQuery planned(const std::string& id, std::span<const std::string> first, std::span<const std::string> second) {
    PlannedQuery query;
    PooledQuery& pool = query.pool;
    std::unordered_map<std::string_view, std::uint32_t> place;
    const auto add = [&](std::string_view document) {
      const auto [found, fresh] = place.try_emplace(document, static_cast<std::uint32_t>(pool.documents.size()));
      if (fresh) pool.documents.emplace_back(document), pool.labels.push_back(-1);
      return found->second;
    };
    for (const std::string& document : first) pool.first.push_back(add(document));
    for (const std::string& document : second) pool.second.push_back(add(document));
    if (const auto judged = before_.find(id); judged != before_.end())
      for (const auto& [document, label] : judged->second) pool.labels[add(document)] = label;
    query.open = pool.open().size();
    query.before = measure_.bounds(pool, best_);
    query.to_judge = measure_.matters(pool, query.before);
    std::stable_sort(query.to_judge.begin(), query.to_judge.end(),
                     [&](std::uint32_t i, std::uint32_t j) { return disagreement(pool, i) > disagreement(pool, j); });
    if (const auto judged = added_.find(id); judged != added_.end())
      for (const auto& [document, label] : judged->second)
        if (const auto at = place.find(document); at != place.end() && pool.labels[at->second] < 0)
          pool.labels[at->second] = label;
    query.now = measure_.bounds(pool, best_);
    query.done = query.now.width() <= kSettled;
    return query;
  }

  // Each next query with a chance in proportion to its width, among those left (Efraimidis and Spirakis).
  void draw() {
    Rng random(options_.evaluate.seed);
    std::vector<double> key(queries_.size());
    for (std::size_t q = 0; q < queries_.size(); ++q) {
      key[q] = -std::log(1 - random.uniform()) / queries_[q].before.width();
      if (!queries_[q].to_judge.empty()) order_.push_back(q);
    }
    std::stable_sort(order_.begin(), order_.end(), [&](std::size_t p, std::size_t q) { return key[p] < key[q]; });
  }

  JudgingPlan finish() {
    JudgingPlan plan;
    plan.depth = depth_;
    plan.queries = queries_.size();
    plan.open = order_.size();
    if (queries_.empty()) throw Error(ErrorCode::bad_input, "neither judgments nor runs have a query");
    double settled = 0;
    for (const PlannedQuery& query : queries_) {
      plan.of += query.open;
      plan.least += query.now.low / real(queries_.size());
      plan.most += query.now.high / real(queries_.size());
      if (query.to_judge.empty()) settled += query.now.low;
    }
    while (plan.drawn < order_.size() && queries_[order_[plan.drawn]].done) ++plan.drawn;
    std::vector<DrawnTerm> up, down;
    for (const std::size_t q : order_) {
      const PlannedQuery& query = queries_[q];
      up.push_back({query.before.low, query.before.high, query.now.low});
      down.push_back({-query.before.high, -query.before.low, -query.now.low});
    }
    decide(up, down, settled, plan);
    return plan;
  }

  void decide(const std::vector<DrawnTerm>& up, const std::vector<DrawnTerm>& down, double settled,
              JudgingPlan& plan) const {
    const double limit = 2 / (1 - options_.evaluate.confidence), count = real(queries_.size());
    const auto above = [&](double mean) { return larger_sum(up, plan.drawn, mean * count - settled, limit); };
    const auto below = [&](double mean) { return larger_sum(down, plan.drawn, settled - mean * count, limit); };
    // Ends of the interval: the means that nothing speaks against, among those that were possible before.
    double inside = settled / count, outside = inside;
    for (const DrawnTerm& term : up) {
      outside += term.low / count;
      inside += term.high / count;
    }
    const double least = outside, most = inside;
    for (int step = 0; step < 50; ++step) {
      const double middle = inside / 2 + outside / 2;
      (above(middle) ? outside : inside) = middle;
    }
    plan.low = std::max(outside, plan.least);
    inside = least, outside = most;
    for (int step = 0; step < 50; ++step) {
      const double middle = inside / 2 + outside / 2;
      (below(middle) ? outside : inside) = middle;
    }
    plan.high = std::min(outside, plan.most);
    // The first verdict stands.
    std::size_t draws = plan.drawn + 1;
    const auto reached = [&](std::optional<std::size_t> after, Verdict verdict, bool certain) {
      if (after && *after < draws) draws = *after, plan.verdict = verdict, plan.certain = certain;
    };
    reached(above(0), Verdict::first, plan.least > 0);
    reached(below(0), Verdict::second, plan.most < 0);
    if (const double near = options_.same_within; near > 0)
      if (const auto over = above(-near), under = below(near); over && under)
        reached(std::max(*over, *under), Verdict::same, plan.least > -near && plan.most < near);
    if (plan.drawn == order_.size()) reached(plan.drawn, Verdict::same, true);
    for (std::size_t k = 0; k < std::min(draws, plan.drawn); ++k) plan.used += judged_of(queries_[order_[k]]);
    if (plan.verdict == Verdict::undecided) list_next(plan);
  }

  static std::size_t judged_of(const PlannedQuery& query) {
    return static_cast<std::size_t>(std::count_if(query.to_judge.begin(), query.to_judge.end(),
                                                  [&](std::uint32_t i) { return query.pool.labels[i] >= 0; }));
  }

  void list_next(JudgingPlan& plan) const {
    for (std::size_t k = plan.drawn; k < order_.size() && (plan.next.empty() || plan.next.size() < options_.batch);
         ++k) {
      const PlannedQuery& query = queries_[order_[k]];
      if (query.done) continue;
      for (const std::uint32_t i : query.to_judge)
        if (query.pool.labels[i] < 0)
          plan.next.push_back({ids_[order_[k]], query.pool.documents[i], disagreement(query.pool, i)});
    }
  }

  JudgingOptions options_;
  BoundedMeasure measure_;
  LabelsById before_, added_;
  float best_ = 1;
  std::size_t depth_ = 0;
  std::vector<std::string> ids_;
  std::vector<PlannedQuery> queries_;
  std::vector<std::size_t> order_;  // of the queries that were open
};

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::first:
      return "first";
    case Verdict::second:
      return "second";
    case Verdict::same:
      return "same";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

JudgingPlan plan_judging(std::span<const Judgment> judgments, std::span<const Judgment> added, const RunSource& first,
                         const RunSource& second, const std::string& measure, const JudgingOptions& options) {
  return Planner(judgments, added, measure, options).plan(first, second);
}

}  // namespace dorm
