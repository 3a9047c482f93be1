// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>

#include "lab/collaborative/likelihood.h"

namespace dorm {

LocalPosterior NormalLikelihood::fit(std::span<const float> ratings, const Eigen::VectorXd& mean,
                                     const Eigen::MatrixXd& K) const {
  Eigen::VectorXd left(mean.size());
  for (Eigen::Index i = 0; i < mean.size(); ++i)
    left[i] = (ratings[static_cast<std::size_t>(i)] - rating_mean_) / unit_ - mean[i];
  const Eigen::MatrixXd identity = Eigen::MatrixXd::Identity(K.rows(), K.cols());
  LocalPosterior out;
  out.A = (K + noise_ * identity).llt().solve(identity);
  out.alpha = out.A * left;
  return out;
}

// y - E f = noise alpha; Var f = noise - noise^2 A_ii.
void NormalLikelihood::update_noise(std::span<const LocalPosterior> users) {
  double squares = 0, trace = 0;
  Eigen::Index count = 0;
  for (const LocalPosterior& user : users) {
    squares += user.alpha.squaredNorm();
    trace += user.A.trace();
    count += user.alpha.size();
  }
  noise_ += noise_ * noise_ * (squares - trace) / static_cast<double>(count);
}

}  // namespace dorm
