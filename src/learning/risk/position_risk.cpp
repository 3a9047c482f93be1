// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/position_risk.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "dorm/error.h"
#include "dorm/learning/assignment.h"
#include "ranking/assign/gain_floor.h"
#include "ranking/topics/best_list.h"

namespace dorm {
namespace {

// How much more a gain weighs than all scores together when the reference is chosen by gain first.
constexpr double kGainFirst = 1e6;

double total(std::span<const double> matrix, std::size_t positions, const std::vector<std::uint32_t>& list) {
  double sum = 0;
  for (std::size_t j = 0; j < list.size(); ++j) sum += matrix[list[j] * positions + j];
  return sum;
}

bool all_lists_equal(std::span<const double> gain, std::size_t positions, double ideal) {
  const Assignment worst = assign(gain, gain.size() / positions, positions, Sense::minimize);
  return ideal - worst.value <= 1e-12 * std::max(std::abs(ideal), std::abs(worst.value));
}

}  // namespace

struct PositionRisk::Workspace final : RiskWorkspace {
  std::vector<double> part;   // scores of one part of the weights, by document
  std::vector<double> score;  // documents x positions
  std::vector<double> values, coefficients;
  List list;
  Plane plane;
  PullBackWorkspace pull_back;
};

PositionRisk::PositionRisk(const LinearFeatures& features, const PositionProblem& problem, std::size_t threads)
    : ReferencedLists(threads), features_(features), problem_(problem), geometry_(parts() * features.dimension()) {
  for (std::size_t q = 0; q < features.data().num_queries(); ++q) add_block(q);
  problem_.gains = {};  // the blocks hold them now
  if (blocks_.empty())
    throw Error(ErrorCode::bad_input,
                fmt::format("no query to learn from: {} queries, but none in which one list of {} documents "
                            "gains more than another",
                            features.data().num_queries(), problem.positions));
  double total_weight = 0;
  for (const Block& block : blocks_) total_weight += block.weight;
  for (Block& block : blocks_) block.weight *= static_cast<double>(blocks_.size()) / total_weight;
}

void PositionRisk::add_block(std::size_t q) {
  const Query query = features_.data().query(q);
  if (query.weight == 0) return;
  Block block{q, std::min(problem_.positions, query.size()), query.weight, {}, {}};
  for (std::size_t i = 0; i < query.size(); ++i) {
    const auto row = problem_.gains.subspan((query.first_document + i) * problem_.positions, block.positions);
    block.gain.insert(block.gain.end(), row.begin(), row.end());
  }
  const TopicList ideal = list_for(block, block.gain);
  if (ideal.documents.empty()) {
    const TopicBudget budget{*problem_.topics, query.first_document, query.size()};
    throw Error(ErrorCode::bad_input,
                fmt::format("query {}: {}", query.id,
                            ideal.status == TopicStatus::infeasible
                                ? explain_infeasible(block.positions, budget)
                                : "no list that keeps the limits was found in time; allow more time"));
  }
  if (all_lists_equal(block.gain, block.positions, ideal.objective)) return;
  const double floor = gain_floor(block.gain, block.positions);
  for (double& x : block.gain) x = (x - floor / real(block.positions)) / (ideal.bound - floor);
  block.reference = ideal.documents;
  longest_ = std::max(longest_, query.size());
  blocks_.push_back(std::move(block));
}

TopicList PositionRisk::list_for(const Block& block, std::span<const double> values) const {
  if (!problem_.topics) return best_list(values, block.positions, nullptr, {});
  const Query query = features_.data().query(block.query);
  const TopicBudget budget{*problem_.topics, query.first_document, query.size()};
  TopicList list = best_list(values, block.positions, &budget, problem_.topic_options);
  ++lists_;
  if (list.status != TopicStatus::optimal) {
    ++unproven_;
    double known = largest_gap_;
    while (known < list.gap() && !largest_gap_.compare_exchange_weak(known, list.gap())) {
    }
  }
  return list;
}

double PositionRisk::linearize_cost(std::size_t block) const {
  const auto n = static_cast<double>(blocks_[block].positions);
  const auto cells = static_cast<double>(blocks_[block].gain.size());
  return 2 * static_cast<double>(parts()) * features_.work(blocks_[block].query) +
         (problem_.topics ? 1000 : 5) * n * cells;
}

std::unique_ptr<RiskWorkspace> PositionRisk::make_workspace() const { return std::make_unique<Workspace>(); }

void PositionRisk::score(const Block& block, std::span<const double> w, Workspace& workspace) const {
  const std::size_t n = block.positions, l = block.gain.size() / n, d = features_.dimension();
  workspace.part.resize(l);
  workspace.score.resize(l * n);
  features_.scores(block.query, w.first(d), workspace.part);
  for (std::size_t i = 0; i < l; ++i)
    for (std::size_t j = 0; j < n; ++j) workspace.score[i * n + j] = problem_.decay[j] * workspace.part[i];
  if (!problem_.per_position) return;
  for (std::size_t j = 0; j < n; ++j) {
    features_.scores(block.query, w.subspan((1 + j) * d, d), workspace.part);
    for (std::size_t i = 0; i < l; ++i) workspace.score[i * n + j] += workspace.part[i];
  }
}

double PositionRisk::separate(const Block& block, Workspace& workspace, List& list) const {
  workspace.values.resize(block.gain.size());
  for (std::size_t k = 0; k < block.gain.size(); ++k) workspace.values[k] = workspace.score[k] - block.gain[k];
  TopicList worst = list_for(block, workspace.values);
  if (worst.documents.empty()) {  // none found in time
    list = block.reference;
  } else {
    list = std::move(worst.documents);
  }
  const double bound = std::max(worst.bound, total(workspace.values, block.positions, list));
  return 1 + bound - total(workspace.score, block.positions, block.reference);
}

void PositionRisk::pull_back(const Block& block, const List& list, Plane& out, Workspace& workspace) const {
  const std::size_t n = block.positions, d = features_.dimension();
  std::vector<double>& coefficients = workspace.coefficients;
  coefficients.assign(block.gain.size() / n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    coefficients[block.reference[j]] += problem_.decay[j];
    coefficients[list[j]] -= problem_.decay[j];
  }
  features_.pull_back(block.query, coefficients, out, workspace.pull_back);
  if (!problem_.per_position) return;
  const bool dense = features_.data().dense();
  std::fill(coefficients.begin(), coefficients.end(), 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    if (block.reference[j] == list[j]) {
      if (dense) out.direction.resize((2 + j) * d, 0.0f);
      continue;
    }
    coefficients[block.reference[j]] = 1;
    coefficients[list[j]] = -1;
    features_.pull_back(block.query, coefficients, workspace.plane, workspace.pull_back);
    coefficients[block.reference[j]] = coefficients[list[j]] = 0;
    out.direction.insert(out.direction.end(), workspace.plane.direction.begin(), workspace.plane.direction.end());
    for (const std::uint32_t column : workspace.plane.columns)
      out.columns.push_back(static_cast<std::uint32_t>((1 + j) * d + column));
  }
  if (dense) out.direction.resize(dimension(), 0.0f);
}

double PositionRisk::linearize(std::size_t b, std::span<const double> w, Plane& out, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  const Block& block = blocks_[b];
  score(block, w, workspace);
  const double value = separate(block, workspace, workspace.list);
  pull_back(block, workspace.list, out, workspace);
  out.offset = 1 - total(block.gain, block.positions, workspace.list);
  return value;
}

double PositionRisk::value(std::size_t b, std::span<const double> w, RiskWorkspace& scratch) const {
  auto& workspace = static_cast<Workspace&>(scratch);
  score(blocks_[b], w, workspace);
  return separate(blocks_[b], workspace, workspace.list);
}

bool PositionRisk::choose_reference(std::size_t b, Bound bound, std::span<const double> w, RiskWorkspace& scratch) {
  if (bound == Bound::average)
    throw Error(ErrorCode::unsupported,
                "the bound average is defined for sorted rankings only; expected given, best or predicted");
  auto& workspace = static_cast<Workspace&>(scratch);
  Block& block = blocks_[b];
  score(block, w, workspace);
  double largest = 0;
  for (const double s : workspace.score) largest = std::max(largest, std::abs(s));
  const double gain_weight = kGainFirst * (largest > 0 ? largest : 1.0);
  workspace.values = workspace.score;
  if (bound == Bound::given) std::fill(workspace.values.begin(), workspace.values.end(), 0.0);
  if (bound != Bound::predicted)
    for (std::size_t k = 0; k < block.gain.size(); ++k) workspace.values[k] += gain_weight * block.gain[k];
  TopicList list = list_for(block, workspace.values);
  if (list.documents.empty() || list.documents == block.reference) return false;
  block.reference = std::move(list.documents);
  return true;
}

}  // namespace dorm
