// SPDX-License-Identifier: Apache-2.0
#include "learning/risk/referenced_risk.h"

#include <vector>

#include "base/vector/ordered_sum.h"

namespace dorm {
namespace {

std::vector<std::unique_ptr<RiskWorkspace>> workspaces_of(const StructuredRisk& risk, std::size_t threads) {
  std::vector<std::unique_ptr<RiskWorkspace>> workspaces(threads);
  for (auto& workspace : workspaces) workspace = risk.make_workspace();
  return workspaces;
}

}  // namespace

ReferencedLists::ReferencedLists(std::size_t threads) : threads_(thread_count(threads)) {}

std::size_t ReferencedLists::set_reference(Bound bound, std::span<const double> w) {
  const auto workspaces = workspaces_of(*this, threads_);
  return static_cast<std::size_t>(ordered_sum(num_blocks(), threads_, [&](std::size_t block, std::size_t worker) {
    return choose_reference(block, bound, w, *workspaces[worker]) ? 1.0 : 0.0;
  }));
}

double ReferencedLists::loss(std::span<const double> w) const {
  const auto workspaces = workspaces_of(*this, threads_);
  return ordered_sum(num_blocks(), threads_, [&](std::size_t block, std::size_t worker) {
    return block_weight(block) * value(block, w, *workspaces[worker]);
  });
}

}  // namespace dorm
