// SPDX-License-Identifier: Apache-2.0
// The documents of a query as relevant ones and others: what the losses of binary measures look at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learning/baseline/score_loss.h"

namespace dorm {

struct BinarySplit {
  std::vector<char> relevant;  // by document
  std::size_t hits = 0;        // relevant documents

  BinarySplit(Labels labels, const Convention& convention) {
    const Convention::Relevance is_relevant = convention.relevance(labels);
    for (float label : labels) {
      relevant.push_back(is_relevant(label) ? 1 : 0);
      hits += static_cast<std::size_t>(relevant.back());
    }
  }

  std::size_t others() const { return relevant.size() - hits; }
  bool mixed() const { return hits > 0 && others() > 0; }

  /// Documents by falling score within each kind: `out` holds the relevant ones, then the others.
  void order_by_kind(std::span<const double> scores, LossWorkspace& workspace, std::vector<std::uint32_t>& out) const {
    workspace.order.resize(scores.size());
    sort_descending(scores, workspace.order, workspace.sort);
    out.resize(scores.size());
    std::size_t next_hit = 0, next_other = hits;
    for (std::uint32_t i : workspace.order) out[relevant[i] ? next_hit++ : next_other++] = i;
  }
};

}  // namespace dorm
