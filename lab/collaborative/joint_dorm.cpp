// SPDX-License-Identifier: Apache-2.0
// DORM over (user, item) pairs, with the similarities of JRank.
#include <algorithm>

#include "dorm/joint.h"
#include "lab/collaborative/method.h"

namespace dorm {
namespace {

constexpr double kLeastC = 1e-6;  // a C of 0 would rank by nothing

}  // namespace

std::vector<double> joint_dorm_scores(const CollaborativeTask& task, double C) {
  const JointKernel kernel = make_joint_kernel(task.train, task.inputs.user_features, task.inputs.item_features);
  JointOptions options;
  options.measure = task.options.measure;
  options.bound = "average";
  options.C = std::max(C, kLeastC);
  options.tolerance = 1e-2;
  options.seed = task.options.seed;
  const JointResult result = train_joint(kernel, task.train, options);
  return joint_scores(kernel, result.ranker, task.asked, task.options.threads);
}

}  // namespace dorm
