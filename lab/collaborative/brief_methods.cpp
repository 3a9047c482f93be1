// SPDX-License-Identifier: Apache-2.0
// Methods of a few lines: orders that do not depend on the user (chance, how often an item was rated, how well), and
// the learners over joint kernels, which the library has. They compare users and items by the ratings to learn from,
// and by attributes where given.
#include <algorithm>

#include "base/rng.h"
#include "dorm/recommend/joint.h"
#include "lab/collaborative/method.h"
#include "lab/collaborative/stars.h"

namespace dorm {
namespace {

constexpr double kLeastC = 1e-6;  // a C of 0 would rank by nothing

PerceptronOptions perceptron_options(const CollaborativeTask& task, double passes) {
  return {.passes = static_cast<std::size_t>(std::max(1.0, passes)), .seed = task.options.seed};
}

std::vector<double> joint_scores_at(const CollaborativeTask& task, double C, JointOptions options) {
  const JointKernel kernel = make_joint_kernel(task.train, task.inputs.user_features, task.inputs.item_features);
  options.measure = task.options.measure;
  options.C = std::max(C, kLeastC);
  options.solve.tolerance = 1e-2;
  options.solve.seed = task.options.seed;
  const JointResult result = train_joint(kernel, task.train, options);
  return joint_scores(kernel, result.ranker, task.asked, task.options.threads);
}

}  // namespace

std::vector<double> random_scores(const CollaborativeTask& task, double) {
  Rng rng(task.options.seed);
  return score_asked(task.asked, [&](std::size_t, std::uint32_t) { return rng.uniform(); });
}

std::vector<double> popularity_scores(const CollaborativeTask& task, double) {
  return score_asked(task.asked, [&](std::size_t, std::uint32_t item) {
    return static_cast<double>(task.train.of_item(item).size());
  });
}

std::vector<double> item_mean_scores(const CollaborativeTask& task, double damping) {
  const std::vector<double> mean = item_means(task.train, damping);
  return score_asked(task.asked, [&](std::size_t, std::uint32_t item) { return mean[item]; });
}

/// A perceptron for each user, who sees nothing of the others but how alike items are.
std::vector<double> prank_alone_scores(const CollaborativeTask& task, double passes) {
  const Similarities items = make_joint_kernel(task.train, nullptr, task.inputs.item_features).items;
  const JointRanker ranker = train_prank(items, task.train, perceptron_options(task, passes));
  return prank_scores(items, ranker, task.asked);
}

/// One perceptron over all (user, item) pairs.
std::vector<double> jrank_scores(const CollaborativeTask& task, double passes) {
  const JointKernel kernel = make_joint_kernel(task.train, task.inputs.user_features, task.inputs.item_features);
  const JointRanker ranker = train_jrank(kernel, task.train, perceptron_options(task, passes));
  return joint_scores(kernel, ranker, task.asked, task.options.threads);
}

std::vector<double> joint_dorm_scores(const CollaborativeTask& task, double C) {
  return joint_scores_at(task, C, {.bound = Bound::average});
}

std::vector<double> joint_paper_scores(const CollaborativeTask& task, double C) {
  return joint_scores_at(task, C, {.decay = "power:0.25", .bound = Bound::given, .paper_C = true});
}

}  // namespace dorm
