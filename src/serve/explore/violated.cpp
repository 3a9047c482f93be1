// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/violated.h"

#include <algorithm>

#include "dorm/error.h"
#include "dorm/ranking/list_problem.h"

namespace dorm::explore {

std::unique_ptr<const ViolatedRankings> ViolatedRankings::of(const Model& model) {
  if (model.bound.empty() || !model.one_per.empty()) return nullptr;
  try {
    const Bound bound = parse_bound(model.bound);
    FactoredMeasurePtr measure = make_trainable(
        model.measure, make_convention(model.convention.empty() ? std::string("standard") : model.convention));
    return std::make_unique<const ViolatedRankings>(std::move(measure),
                                                    Decay(model.decay.empty() ? "measure" : model.decay), bound);
  } catch (const Error&) {  // "none", a baseline, a measure of somebody's own
    return nullptr;
  }
}

std::optional<Violated> ViolatedRankings::find(Labels labels, std::span<const double> scores) const {
  OracleTables tables;
  std::optional<ListProblem> list = make_list_problem(measure_->factor(labels), decay_, tables);
  if (!list) return std::nullopt;
  ListWorkspace workspace;
  ScorePlane plane;
  list->set_reference(bound_, labels, scores, workspace);
  list->linearize(scores, plane, workspace);
  Violated out;
  const std::vector<std::uint32_t>& position = workspace.separation.position_of;
  out.order.resize(position.size());
  for (std::size_t i = 0; i < position.size(); ++i) out.order[position[i]] = static_cast<std::uint32_t>(i);
  out.loss = plane.loss;
  out.measure = list->query().ideal - plane.loss;
  out.violation = plane.value;
  out.gain = plane.value - plane.loss;
  return out;
}

}  // namespace dorm::explore
