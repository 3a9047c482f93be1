// SPDX-License-Identifier: Apache-2.0
#include "learning/baseline/score_risk.h"

#include <algorithm>
#include <numeric>

namespace dorm {
namespace {

struct Workspace final : RiskWorkspace {
  std::vector<double> scores, coefficients;
  LossWorkspace loss;
  PullBackWorkspace pull_back;
};

}  // namespace

ScoreRisk::ScoreRisk(const LinearFeatures& features, const Maker& make, Unit unit, double bias)
    : features_(features), geometry_(features.dimension() + (bias != 0 ? 1 : 0)), bias_(bias) {
  const Dataset& data = features.data();
  double total = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    if (query.weight == 0) continue;
    ScoreLossPtr loss = make(query.labels);
    if (!loss) continue;
    const double size = unit == Unit::document ? static_cast<double>(query.size()) : 1.0;
    blocks_.push_back({q, query.weight * size, std::move(loss)});
    total += blocks_.back().weight;
  }
  for (Block& block : blocks_) block.weight *= static_cast<double>(blocks_.size()) / total;
}

double ScoreRisk::linearize_cost(std::size_t block) const {
  const std::size_t query = blocks_[block].query;
  return 2 * features_.work(query) + 40 * static_cast<double>(features_.data().query(query).size());
}

std::unique_ptr<RiskWorkspace> ScoreRisk::make_workspace() const { return std::make_unique<Workspace>(); }

double ScoreRisk::value_at_zero() const {
  LossWorkspace workspace;
  std::vector<double> scores, coefficients;
  double sum = 0;
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    scores.assign(features_.data().query(blocks_[block].query).size(), 0.0);
    coefficients.resize(scores.size());
    sum += block_weight(block) * std::max(0.0, blocks_[block].loss->linearize(scores, coefficients, workspace));
  }
  return sum;
}

double ScoreRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  const Block& at = blocks_[block];
  auto& workspace = static_cast<Workspace&>(scratch);
  const std::size_t l = features_.data().query(at.query).size();
  workspace.scores.resize(l);
  workspace.coefficients.resize(l);
  if (features_forgotten_)
    std::fill(workspace.scores.begin(), workspace.scores.end(), 0.0);
  else
    features_.scores(at.query, w.first(features_.dimension()), workspace.scores);
  if (bias_ != 0)
    for (double& score : workspace.scores) score += bias_ * w.back();
  out.offset = at.loss->linearize(workspace.scores, workspace.coefficients, workspace.loss);
  double value =
      std::inner_product(workspace.scores.begin(), workspace.scores.end(), workspace.coefficients.begin(), 0.0);
  value = out.offset - value;
  if (value < 0) {  // the zero plane lies above
    std::fill(workspace.coefficients.begin(), workspace.coefficients.end(), 0.0);
    out.offset = value = 0;
  }
  features_.pull_back(at.query, workspace.coefficients, out, workspace.pull_back);
  if (features_forgotten_) std::fill(out.direction.begin(), out.direction.end(), 0.0F);
  if (bias_ != 0) {
    const double sum = std::accumulate(workspace.coefficients.begin(), workspace.coefficients.end(), 0.0);
    if (!features_.data().dense()) out.columns.push_back(static_cast<std::uint32_t>(features_.dimension()));
    out.direction.push_back(static_cast<float>(bias_ * sum));
  }
  return value;
}

}  // namespace dorm
