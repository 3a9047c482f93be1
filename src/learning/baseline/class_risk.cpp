// SPDX-License-Identifier: Apache-2.0
#include "learning/baseline/class_risk.h"

#include <algorithm>
#include <numeric>

namespace dorm {

struct ClassRisk::Workspace final : RiskWorkspace {
  std::vector<double> scores, coefficients;  // by class, then document
  Plane plane;
  PullBackWorkspace pull_back;
};

ClassRisk::ClassRisk(const LinearFeatures& features, std::vector<float> classes, std::vector<double> class_weights,
                     double bias)
    : features_(features),
      classes_(std::move(classes)),
      class_weights_(std::move(class_weights)),
      geometry_(classes_.size() * (features.dimension() + 1)),
      bias_(bias) {
  const Dataset& data = features.data();
  double total = 0;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    if (query.weight == 0) continue;
    Block block{q, query.weight * static_cast<double>(query.size()), {}};
    for (float label : query.labels)
      block.own.push_back(
          static_cast<std::uint32_t>(std::lower_bound(classes_.begin(), classes_.end(), label) - classes_.begin()));
    total += block.weight;
    blocks_.push_back(std::move(block));
  }
  for (Block& block : blocks_) block.weight *= static_cast<double>(blocks_.size()) / total;
}

double ClassRisk::linearize_cost(std::size_t block) const {
  return static_cast<double>(classes_.size()) *
         (2 * features_.work(blocks_[block].query) + 10 * static_cast<double>(blocks_[block].own.size()));
}

std::unique_ptr<RiskWorkspace> ClassRisk::make_workspace() const { return std::make_unique<Workspace>(); }

// Leaves the coefficients of the plane in the workspace; returns its offset.
double ClassRisk::most_violated(const Block& block, Workspace& workspace) const {
  const std::size_t l = block.own.size();
  const auto documents = static_cast<double>(l);
  double offset = 0;
  workspace.coefficients.assign(workspace.scores.size(), 0.0);
  for (std::size_t i = 0; i < l; ++i) {
    std::size_t baseline = block.own[i];
    double worst = workspace.scores[baseline * l + i];
    for (std::size_t k = 0; k < classes_.size(); ++k) {
      const double value = workspace.scores[k * l + i] + (k != block.own[i] ? 1.0 : 0.0);
      if (value <= worst) continue;
      worst = value;
      baseline = k;
    }
    if (baseline == block.own[i]) continue;
    const double weight = class_weights_[block.own[i]] / documents;
    workspace.coefficients[block.own[i] * l + i] = weight;
    workspace.coefficients[baseline * l + i] = -weight;
    offset += weight;
  }
  return offset;
}

double ClassRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  const Block& at = blocks_[block];
  auto& workspace = static_cast<Workspace&>(scratch);
  const std::size_t l = at.own.size(), width = features_.dimension() + 1;
  workspace.scores.resize(classes_.size() * l);
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const std::span<double> scores = std::span(workspace.scores).subspan(k * l, l);
    if (features_forgotten_)
      std::fill(scores.begin(), scores.end(), 0.0);
    else
      features_.scores(at.query, w.subspan(k * width, width - 1), scores);
    for (double& score : scores) score += bias_ * w[(k + 1) * width - 1];
  }
  out.offset = most_violated(at, workspace);
  out.direction.clear();
  out.columns.clear();
  for (std::size_t k = 0; k < classes_.size(); ++k) {
    const std::span<const double> delta = std::span<const double>(workspace.coefficients).subspan(k * l, l);
    features_.pull_back(at.query, delta, workspace.plane, workspace.pull_back);
    if (features_forgotten_) std::fill(workspace.plane.direction.begin(), workspace.plane.direction.end(), 0.0F);
    out.direction.insert(out.direction.end(), workspace.plane.direction.begin(), workspace.plane.direction.end());
    out.direction.push_back(static_cast<float>(bias_ * std::accumulate(delta.begin(), delta.end(), 0.0)));
    if (features_.data().dense()) continue;
    for (std::uint32_t column : workspace.plane.columns)
      out.columns.push_back(static_cast<std::uint32_t>(k * width) + column);
    out.columns.push_back(static_cast<std::uint32_t>((k + 1) * width - 1));
  }
  return out.offset -
         std::inner_product(workspace.scores.begin(), workspace.scores.end(), workspace.coefficients.begin(), 0.0);
}

}  // namespace dorm
