// SPDX-License-Identifier: Apache-2.0
// Orders that do not depend on the user: chance, how often an item was rated, how well.
#include "base/rng.h"
#include "lab/collaborative/method.h"
#include "lab/collaborative/stars.h"

namespace dorm {

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

}  // namespace dorm
