// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/pairwise_risk.h"

namespace dorm {
namespace {

struct Workspace final : RiskWorkspace {
  std::vector<double> scores, coefficients;
  PairwiseWorkspace pairs;
  PullBackWorkspace pull_back;
};

}  // namespace

PairwiseRisk::PairwiseRisk(const Representation& features, const FactoredMeasure* gains) : features_(features) {
  const Dataset& data = features.data();
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    if (query.weight == 0) continue;
    PairwiseQuery pairs =
        gains ? prepare_pairwise(query.labels, gains->factor(query.labels).b) : prepare_pairwise(query.labels);
    if (!(pairs.pairs > 0)) continue;
    blocks_.push_back({q, query.weight, std::move(pairs)});
    total_weight_ += query.weight;
  }
  for (Block& block : blocks_) block.weight *= static_cast<double>(blocks_.size()) / total_weight_;
}

std::unique_ptr<RiskWorkspace> PairwiseRisk::make_workspace() const { return std::make_unique<Workspace>(); }

double PairwiseRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  const Block& pairs = blocks_[block];
  auto& workspace = static_cast<Workspace&>(scratch);
  workspace.scores.resize(pairs.pairs.level.size());
  workspace.coefficients.resize(workspace.scores.size());
  features_.scores(pairs.query, w, workspace.scores);
  out.offset = pairwise_hinge(pairs.pairs, workspace.scores, workspace.coefficients, workspace.pairs);
  features_.pull_back(pairs.query, workspace.coefficients, out, workspace.pull_back);
  double value = out.offset;
  for (std::size_t i = 0; i < workspace.scores.size(); ++i) value -= workspace.coefficients[i] * workspace.scores[i];
  return value;
}

}  // namespace dorm
