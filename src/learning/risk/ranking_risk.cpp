// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/ranking_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "dorm/error.h"

namespace dorm {
namespace {

std::optional<ListProblem> list_of(const FactoredMeasure& measure, Labels labels, const Decay& decay,
                                   OracleTables& tables, GroupLimits groups) {
  const Factors factors = groups.empty() ? measure.factor(labels) : factor_within(measure, labels, groups);
  return make_list_problem(factors, decay, tables, std::move(groups));
}

}  // namespace

struct RankingRisk::Workspace final : RiskWorkspace {
  std::vector<double> scores;
  ScorePlane plane;
  ListWorkspace list;
  PullBackWorkspace pull_back;
};

RankingRisk::RankingRisk(const Representation& features, const FactoredMeasure& measure, const Decay& decay,
                         std::size_t threads, OracleKind oracle, std::vector<GroupLimits> groups,
                         std::vector<float> given_labels)
    : ReferencedRisk(threads), features_(features), oracle_(oracle), given_labels_(std::move(given_labels)) {
  const Dataset& data = features.data();
  double total_weight = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    if (query.weight == 0) continue;
    std::optional<ListProblem> list =
        list_of(measure, query.labels, decay, tables_, groups.empty() ? GroupLimits{} : std::move(groups[q]));
    if (!list) continue;
    blocks_.push_back({q, query.weight, std::move(*list)});
    total_weight += query.weight;
    longest_ = std::max(longest_, query.size());
  }
  if (blocks_.empty())
    throw Error(
        ErrorCode::bad_input,
        fmt::format("no query to learn {} from: {} queries, but none in which one ranking is better than another "
                    "(documents with different gains)",
                    measure.name(), data.num_queries()));
  for (Block& block : blocks_) block.weight *= static_cast<double>(blocks_.size()) / total_weight;
  set_reference(Bound::given, std::vector<double>(dimension(), 0.0));
}

double RankingRisk::linearize_cost(std::size_t block) const {
  const auto documents = static_cast<double>(blocks_[block].list.size());
  return 2 * features_.work(blocks_[block].query) + 40 * documents;
}

std::unique_ptr<RiskWorkspace> RankingRisk::make_workspace() const { return std::make_unique<Workspace>(); }

void RankingRisk::linearize_scores(const Block& block, std::span<const double> w, Workspace& workspace) const {
  workspace.scores.resize(block.list.size());
  features_.scores(block.query, w, workspace.scores);
  block.list.linearize(workspace.scores, workspace.plane, workspace.list, oracle_);
}

double RankingRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  linearize_scores(blocks_[block], w, workspace);
  out.offset = workspace.plane.loss;
  features_.pull_back(blocks_[block].query, workspace.plane.delta, out, workspace.pull_back);
  return workspace.plane.value;
}

double RankingRisk::value(std::size_t block, std::span<const double> w, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  linearize_scores(blocks_[block], w, workspace);
  return workspace.plane.value;
}

bool RankingRisk::choose_reference(std::size_t b, Bound bound, std::span<const double> w, RiskWorkspace& scratch) {
  auto& workspace = static_cast<Workspace&>(scratch);
  Block& block = blocks_[b];
  workspace.scores.resize(block.list.size());
  if (depends_on_scores(bound)) features_.scores(block.query, w, workspace.scores);
  const Query query = features_.data().query(block.query);
  const bool replaced = bound == Bound::given && !given_labels_.empty();
  const Labels labels = replaced ? Labels(given_labels_).subspan(query.first_document, query.size()) : query.labels;
  return block.list.set_reference(bound, labels, workspace.scores, workspace.list);
}

}  // namespace dorm
