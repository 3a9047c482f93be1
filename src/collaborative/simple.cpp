// SPDX-License-Identifier: Apache-2.0
// Orders that do not depend on the user: chance, how often an item was rated, how well.
#include "base/rng.h"
#include "collaborative/method.h"
#include "collaborative/rating_scale.h"

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

// The mean of the ratings and `damping` ratings one star below the overall mean: what few have rated is, on
// average, worse.
std::vector<double> item_mean_scores(const CollaborativeTask& task, double damping) {
  const RatingScale scale = scale_of(task.train);
  std::vector<double> mean(task.train.num_items());
  for (std::size_t j = 0; j < mean.size(); ++j) {
    const RatingRow row = task.train.of_item(j);
    double sum = -damping;
    for (const float value : row.value) sum += scale.stars(value);
    const double weight = static_cast<double>(row.size()) + damping;
    mean[j] = weight > 0 ? sum / weight : 0;
  }
  return score_asked(task.asked, [&](std::size_t, std::uint32_t item) { return mean[item]; });
}

}  // namespace dorm
