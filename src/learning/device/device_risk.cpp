// SPDX-License-Identifier: Apache-2.0
#include "learning/device/device_risk.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "base/vector/ordered_sum.h"
#include "dorm/error.h"
#include "dorm/ranking/list_problem.h"

namespace dorm {
namespace {

bool sorts(const RankingRisk& lists) {
  if (lists.oracle() != OracleKind::automatic && lists.oracle() != OracleKind::proportional) return false;
  for (std::size_t block = 0; block < lists.num_lists(); ++block) {
    const PreparedQuery& query = lists.list(block).query();
    if (query.chosen != OracleKind::proportional || !query.groups.empty()) return false;
  }
  return true;
}

void plane_of(const GroupSums& sums, std::size_t group, std::size_t dimension, Plane& out) {
  out.offset = sums.loss[group];
  out.columns.clear();
  out.direction.resize(dimension);
  for (std::size_t j = 0; j < dimension; ++j)
    out.direction[j] = static_cast<float>(sums.direction[group * dimension + j]);
}

}  // namespace

DeviceRisk::DeviceRisk(std::unique_ptr<RankingRisk> lists, RowDevice& rows, std::size_t groups, std::size_t threads)
    : lists_(std::move(lists)),
      data_(lists_->features().data()),
      rows_(rows),
      threads_(thread_count(threads)),
      sorts_there_(sorts(*lists_)) {
  const std::size_t count = lists_->num_lists();
  groups = std::max<std::size_t>(1, std::min(count, groups > 0 ? groups : kDeviceGroups));
  for (std::size_t group = 0; group <= groups; ++group) group_begin_.push_back(piece_begin(count, groups, group));
  for (std::size_t group = 0; group < groups; ++group) {
    double weight = 0;
    for (std::size_t block = group_begin_[group]; block < group_begin_[group + 1]; ++block)
      weight += lists_->list_weight(block);
    weights_.push_back(weight);
  }
  std::string trouble;
  device_ = rows_.make_lists(describe(), trouble);
  require_no_trouble(trouble);
}

DeviceRisk::~DeviceRisk() = default;

std::vector<double> DeviceRisk::scores(std::span<const double> w) const {
  std::vector<double> scores(data_.num_documents(), 0.0);
  if (std::any_of(w.begin(), w.end(), [](double x) { return x != 0; })) require_no_trouble(rows_.scores(w, scores));
  return scores;
}

std::size_t DeviceRisk::set_reference(Bound bound, std::span<const double> w) {
  if (sorts_there_ && depends_on_scores(bound)) {
    const std::vector<double> weights =
        w.empty() ? std::vector<double>(dimension(), 0.0) : std::vector(w.begin(), w.end());
    const auto order = bound == Bound::predicted ? ReferenceOrder::score : ReferenceOrder::gain;
    std::size_t changed = 0;
    require_no_trouble(device_->refer(order, weights, changed));
    return changed;
  }
  const std::vector<double> scores =
      depends_on_scores(bound) ? this->scores(w) : std::vector<double>(data_.num_documents(), 0.0);
  std::vector<ListWorkspace> workspaces(threads_);
  std::vector<double> reference(sorts_there_ ? data_.num_documents() : 0);
  const double changed = ordered_sum(lists_->num_lists(), threads_, [&](std::size_t block, std::size_t worker) {
    const std::size_t first = first_document(block);
    const bool differs =
        lists_->refer(block, bound, std::span(scores).subspan(first, lists_->list(block).size()), workspaces[worker]);
    const std::span<const double> found = lists_->list(block).reference();
    if (sorts_there_) std::copy(found.begin(), found.end(), reference.begin() + static_cast<std::ptrdiff_t>(first));
    return differs ? 1.0 : 0.0;
  });
  if (sorts_there_) require_no_trouble(device_->set_reference(reference));
  return static_cast<std::size_t>(changed);
}

void DeviceRisk::visit(std::span<const double> w, GroupSums& out) const {
  if (!sorts_there_) return separate_here(w, out);
  require_no_trouble(device_->linearize(w, out));
}

// The device makes the scores and pulls the coefficients back; rankings are found on these threads.
void DeviceRisk::separate_here(std::span<const double> w, GroupSums& out) const {
  const std::vector<double> scores = this->scores(w);
  std::vector<double> coefficients(scores.size()), values(lists_->num_lists()), losses(lists_->num_lists());
  std::vector<ListWorkspace> workspaces(threads_);
  std::vector<ScorePlane> planes(threads_);
  parallel_for(lists_->num_lists(), threads_, [&](std::size_t block, std::size_t worker) {
    const ListProblem& list = lists_->list(block);
    ScorePlane& plane = planes[worker];
    list.linearize(std::span(scores).subspan(first_document(block), list.size()), plane, workspaces[worker],
                   lists_->oracle());
    const double weight = lists_->list_weight(block);
    for (std::size_t i = 0; i < list.size(); ++i) coefficients[first_document(block) + i] = weight * plane.delta[i];
    values[block] = weight * plane.value;
    losses[block] = weight * plane.loss;
  });
  require_no_trouble(device_->pull_back(coefficients, out));
  for (std::size_t group = 0; group < weights_.size(); ++group) {
    double value = 0, loss = 0;
    for (std::size_t block = group_begin_[group]; block < group_begin_[group + 1]; ++block) {
      value += values[block];
      loss += losses[block];
    }
    out.value[group] = value / weights_[group];
    out.loss[group] = loss / weights_[group];
    for (std::size_t j = 0; j < dimension(); ++j) out.direction[group * dimension() + j] /= weights_[group];
  }
}

double DeviceRisk::linearize(std::size_t block, std::span<const double> w, Plane& out, RiskWorkspace&) const {
  GroupSums sums;
  visit(w, sums);
  plane_of(sums, block, dimension(), out);
  return sums.value[block];
}

void DeviceRisk::linearize_all(const BlockBatch& batch, BlockWorkers& workers, const BlockVisitor& visitor) const {
  GroupSums sums;
  const Stopwatch watch;
  visit(batch.w, sums);
  workers.workspace(0).oracle_seconds += watch.seconds();
  const std::size_t count = batch.blocks.size();
  workers.run(batch.pieces, [&](std::size_t piece, std::size_t worker) {
    Plane& plane = workers.workspace(worker).answer;
    const std::size_t end = piece_begin(count, batch.pieces, piece + 1);
    for (std::size_t k = piece_begin(count, batch.pieces, piece); k < end; ++k) {
      plane_of(sums, batch.blocks[k], dimension(), plane);
      visitor({k, batch.blocks[k], piece, sums.value[batch.blocks[k]], plane});
    }
  });
}

double DeviceRisk::loss(std::span<const double> w) const {
  GroupSums sums;
  visit(w, sums);
  double sum = 0;
  for (std::size_t group = 0; group < weights_.size(); ++group) sum += block_weight(group) * sums.value[group];
  return sum;
}

}  // namespace dorm
