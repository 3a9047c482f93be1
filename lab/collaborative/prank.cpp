// SPDX-License-Identifier: Apache-2.0
// PRank: every user alone. Items are compared by the ratings of all users, and by attributes where given.
#include <algorithm>

#include "dorm/joint.h"
#include "lab/collaborative/method.h"

namespace dorm {

std::vector<double> prank_scores(const CollaborativeTask& task, double passes) {
  const Similarities items = make_joint_kernel(task.train, nullptr, task.inputs.item_features).items;
  const JointRanker ranker = train_prank(
      items, task.train, {.passes = static_cast<std::size_t>(std::max(1.0, passes)), .seed = task.options.seed});
  return prank_scores(items, ranker, task.asked);
}

}  // namespace dorm
