// SPDX-License-Identifier: Apache-2.0
// JRank: one perceptron over (user, item) pairs. Users and items are compared by the ratings to learn from, and by
// attributes where given.
#include <algorithm>

#include "dorm/joint.h"
#include "lab/collaborative/method.h"

namespace dorm {

std::vector<double> jrank_scores(const CollaborativeTask& task, double passes) {
  const JointKernel kernel = make_joint_kernel(task.train, task.inputs.user_features, task.inputs.item_features);
  const JointRanker ranker = train_jrank(
      kernel, task.train, {.passes = static_cast<std::size_t>(std::max(1.0, passes)), .seed = task.options.seed});
  return joint_scores(kernel, ranker, task.asked, task.options.threads);
}

}  // namespace dorm
