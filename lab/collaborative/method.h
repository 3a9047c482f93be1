// SPDX-License-Identifier: Apache-2.0
// What a method is given, and one function per method.
#pragma once

#include <vector>

#include "dorm/lab/collaborative.h"

namespace dorm {

struct CollaborativeTask {
  const Ratings& train;
  const Ratings& asked;
  const CollaborativeInputs& inputs;
  const CollaborativeOptions& options;
};

// Every one returns a score per rating of task.asked; `parameter` is the number of the spelling.
std::vector<double> random_scores(const CollaborativeTask& task, double unused);
std::vector<double> popularity_scores(const CollaborativeTask& task, double unused);
std::vector<double> item_mean_scores(const CollaborativeTask& task, double damping);
std::vector<double> item_knn_scores(const CollaborativeTask& task, double shrink);
std::vector<double> squared_scores(const CollaborativeTask& task, double ridge);
std::vector<double> mmmf_scores(const CollaborativeTask& task, double lambda);
std::vector<double> ordinal_scores(const CollaborativeTask& task, double lambda);
std::vector<double> pairwise_scores(const CollaborativeTask& task, double lambda);
std::vector<double> gpr_scores(const CollaborativeTask& task, double noise);
std::vector<double> gpor_scores(const CollaborativeTask& task, double noise);
std::vector<double> cgpr_scores(const CollaborativeTask& task, double noise);
std::vector<double> cgpor_scores(const CollaborativeTask& task, double noise);
std::vector<double> dorm_scores(const CollaborativeTask& task, double lambda);
std::vector<double> prank_alone_scores(const CollaborativeTask& task, double passes);
std::vector<double> jrank_scores(const CollaborativeTask& task, double passes);
std::vector<double> joint_dorm_scores(const CollaborativeTask& task, double C);
std::vector<double> joint_paper_scores(const CollaborativeTask& task, double C);

/// score(user, item) for every rating of `asked`, in order.
template <class Score>
std::vector<double> score_asked(const Ratings& asked, Score score) {
  std::vector<double> scores;
  scores.reserve(asked.size());
  for (std::size_t u = 0; u < asked.num_users(); ++u)
    for (const std::uint32_t item : asked.of_user(u).index) scores.push_back(score(u, item));
  return scores;
}

}  // namespace dorm
