// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/ranking_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "data/source_order.h"
#include "dorm/error.h"
#include "dorm/ranking/group_lists.h"
#include "dorm/ranking/list_problem.h"

namespace dorm {
namespace {

std::optional<ListProblem> list_of(const FactoredMeasure& measure, Labels labels, const Decay& decay,
                                   OracleTables& tables, GroupLimits groups) {
  const Factors factors = groups.empty() ? measure.factor(labels) : factor_within(measure, labels, groups);
  return make_list_problem(factors, decay, tables, std::move(groups));
}

// Blocks are visited in a random order: what the next one needs is asked of memory while this one is worked on.
template <class T>
void fetch(std::span<const T> values) {
  constexpr std::size_t kLine = 64 / sizeof(T) > 0 ? 64 / sizeof(T) : 1;
  for (std::size_t k = 0; k < values.size(); k += kLine) __builtin_prefetch(&values[k], 0, 2);
}

}  // namespace

struct RankingRisk::Workspace final : RiskWorkspace {
  std::vector<double> scores;
  ScoreWorkspace lookups;
  ScorePlane plane;
  ListWorkspace list;
  PullBackWorkspace pull_back;
};

RankingRisk::RankingRisk(const Representation& features, const FactoredMeasure& measure, const Decay& decay,
                         std::size_t threads, OracleKind oracle, std::vector<GroupLimits> groups,
                         std::vector<float> given_labels)
    : ReferencedLists(threads), features_(features), oracle_(oracle), given_labels_(std::move(given_labels)) {
  const Dataset& data = features.data();
  std::vector<std::optional<ListProblem>> lists(data.num_queries());
  parallel_for(lists.size(), threads, [&](std::size_t q, std::size_t) {
    const Query query = data.query(q);
    if (query.weight == 0) return;
    lists[q] = list_of(measure, query.labels, decay, tables_, groups.empty() ? GroupLimits{} : std::move(groups[q]));
  });
  blocks_.reserve(lists.size());
  lists_.reserve(lists.size());
  for (std::size_t q = 0; q < lists.size(); ++q) {
    if (!lists[q]) continue;
    const Query query = data.query(q);
    const double cost = 2 * features.work(q) + 40 * static_cast<double>(query.size());
    blocks_.push_back({q, query.weight, cost});
    lists_.push_back(std::move(*lists[q]));
    total_weight_ += query.weight;
    longest_ = std::max(longest_, query.size());
  }
  for (Block& block : blocks_) block.weight *= static_cast<double>(blocks_.size()) / total_weight_;
}

void require_lists(std::size_t lists, std::size_t queries, const std::string& measure) {
  if (lists > 0) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("no query to learn {} from: {} queries, but none in which one ranking is better than another "
                          "(documents with different gains)",
                          measure, queries));
}

std::unique_ptr<RiskWorkspace> RankingRisk::make_workspace() const { return std::make_unique<Workspace>(); }

void RankingRisk::linearize_scores(std::size_t block, std::span<const double> w, Workspace& workspace) const {
  workspace.scores.resize(lists_[block].size());
  if (const std::size_t next = workspace.upcoming; next < blocks_.size()) {
    __builtin_prefetch(&lists_[next]);
    features_.scores_then(blocks_[block].query, blocks_[next].query, w, workspace.scores, workspace.lookups);
    fetch(std::span(lists_[next].query().b));
    fetch(lists_[next].reference());
  } else {
    features_.scores_then(blocks_[block].query, blocks_[block].query, w, workspace.scores, workspace.lookups);
  }
  lists_[block].linearize(workspace.scores, workspace.plane, workspace.list, oracle_);
}

double RankingRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  linearize_scores(block, w, workspace);
  out.offset = workspace.plane.loss;
  features_.pull_back(blocks_[block].query, workspace.plane.delta, out, workspace.pull_back);
  return workspace.plane.value;
}

double RankingRisk::value(std::size_t block, std::span<const double> w, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  linearize_scores(block, w, workspace);
  return workspace.plane.value;
}

bool RankingRisk::choose_reference(std::size_t b, Bound bound, std::span<const double> w, RiskWorkspace& scratch) {
  auto& workspace = static_cast<Workspace&>(scratch);
  workspace.scores.resize(lists_[b].size());
  if (const std::size_t q = blocks_[b].query; depends_on_scores(bound))
    features_.scores_then(q, q, w, workspace.scores, workspace.lookups);
  return refer(b, bound, workspace.scores, workspace.list);
}

bool RankingRisk::refer(std::size_t b, Bound bound, std::span<const double> scores, ListWorkspace& workspace) {
  const Query query = features_.data().query(blocks_[b].query);
  if (bound != Bound::given) return lists_[b].set_reference(bound, query.labels, scores, workspace);
  const Labels labels =
      given_labels_.empty() ? query.labels : Labels(given_labels_).subspan(query.first_document, query.size());
  const std::vector<float> by_row = labels_by_row(features_.data(), blocks_[b].query, labels);
  return lists_[b].set_reference(bound, by_row.empty() ? labels : Labels(by_row), scores, workspace);
}

}  // namespace dorm
