// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/ranking_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr double kRounding = 1e-12;  // of a loss, against the ideal

// Whether some ranking is better than another: gains differ where position weights do.
bool something_to_learn(const Factors& factors) {
  const auto [smallest, largest] = std::minmax_element(factors.b.begin(), factors.b.end());
  return *largest > *smallest && factors.a.front() > factors.a.back();
}

// Nothing where there is nothing to learn.
std::optional<PreparedQuery> prepare_query(const Factors& factors, const Decay& decay, OracleTables& tables) {
  if (!something_to_learn(factors)) return std::nullopt;
  return prepare(factors, decay, tables);
}

std::optional<PreparedQuery> prepare_list(const FactoredMeasure& measure, Labels labels, const Decay& decay,
                                          OracleTables& tables, GroupLimits groups) {
  const Factors factors = factor_within(measure, labels, groups);
  PreparedQuery query = prepare(factors, decay, tables, std::move(groups));
  if (largest_loss(query) <= kRounding * query.ideal) return std::nullopt;
  return query;
}

}  // namespace

struct RankingRisk::Workspace final : RiskWorkspace {
  std::vector<double> scores, coefficients;
  Separation separation;
  Reference reference;
  OracleWorkspace oracle;
  PullBackWorkspace pull_back;
};

RankingRisk::RankingRisk(const Representation& features, const FactoredMeasure& measure, const Decay& decay,
                         std::size_t threads, OracleKind oracle, std::vector<GroupLimits> groups)
    : features_(features), oracle_(oracle), threads_(thread_count(threads)) {
  const Dataset& data = features.data();
  double total_weight = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    if (query.weight == 0) continue;
    std::optional<PreparedQuery> prepared =
        groups.empty() ? prepare_query(measure.factor(query.labels), decay, tables_)
                       : prepare_list(measure, query.labels, decay, tables_, std::move(groups[q]));
    if (!prepared) continue;
    blocks_.push_back({q, query.weight, std::move(*prepared), {}});
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
  const auto documents = static_cast<double>(blocks_[block].prepared.size());
  return 2 * features_.work(blocks_[block].query) + 40 * documents;
}

std::unique_ptr<RiskWorkspace> RankingRisk::make_workspace() const { return std::make_unique<Workspace>(); }

double RankingRisk::separate_block(const Block& block, std::span<const double> w, Workspace& workspace) const {
  const std::size_t l = block.prepared.size();
  workspace.scores.resize(l);
  workspace.coefficients.resize(l);
  features_.scores(block.query, w, workspace.scores);
  separate(block.prepared, workspace.scores, workspace.separation, workspace.oracle, oracle_);
  for (std::size_t i = 0; i < l; ++i)
    workspace.coefficients[i] = block.reference[i] - workspace.separation.coefficient[i];
  return workspace.separation.loss;
}

double RankingRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  out.offset = separate_block(blocks_[block], w, workspace);
  features_.pull_back(blocks_[block].query, workspace.coefficients, out, workspace.pull_back);
  double value = out.offset;
  for (std::size_t i = 0; i < workspace.scores.size(); ++i) value -= workspace.coefficients[i] * workspace.scores[i];
  return value;
}

std::size_t RankingRisk::set_reference(Bound bound, std::span<const double> w) {
  std::vector<char> changed(blocks_.size(), 0);
  std::vector<Workspace> workspaces(threads_);
  parallel_for(blocks_.size(), threads_, [&](std::size_t b, std::size_t worker) {
    Block& block = blocks_[b];
    Workspace& workspace = workspaces[worker];
    workspace.scores.resize(block.prepared.size());
    if (depends_on_scores(bound)) features_.scores(block.query, w, workspace.scores);
    make_reference(bound, block.prepared, features_.data().query(block.query).labels, workspace.scores,
                   workspace.reference);
    if (workspace.reference.coefficient == block.reference) return;
    block.reference = workspace.reference.coefficient;
    changed[b] = 1;
  });
  return static_cast<std::size_t>(std::count(changed.begin(), changed.end(), 1));
}

double RankingRisk::loss(std::span<const double> w) const {
  std::vector<double> values(blocks_.size());
  std::vector<Workspace> workspaces(threads_);
  parallel_for(blocks_.size(), threads_, [&](std::size_t b, std::size_t worker) {
    Workspace& workspace = workspaces[worker];
    values[b] = separate_block(blocks_[b], w, workspace);
    for (std::size_t i = 0; i < workspace.scores.size(); ++i)
      values[b] -= workspace.coefficients[i] * workspace.scores[i];
  });
  double total = 0;
  for (std::size_t b = 0; b < blocks_.size(); ++b) total += block_weight(b) * values[b];
  return total;
}

}  // namespace dorm
