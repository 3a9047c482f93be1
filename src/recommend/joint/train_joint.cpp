// SPDX-License-Identifier: Apache-2.0
// DORM over (user, item) pairs: the risk, rounds and solvers of every other ranker, on joint features.
#include <cmath>

#include "base/validate.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "learning/risk/ridge.h"
#include "learning/train/fit.h"
#include "recommend/joint/joint_features.h"

namespace dorm {
namespace {

constexpr double kRidge = 1e-3;  // the same as for the start of linear rankers

}  // namespace

void JointOptions::validate() const {
  make_trainable(measure, make_convention(convention));
  const Decay parsed(decay);
  parse_bound(bound);
  require(C > 0 && std::isfinite(C), "C", C, "a finite number above 0");
  require(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "a number between 0 and 1");
  require(max_passes > 0, "max_passes", 0, "at least 1");
}

JointResult train_joint(const JointKernel& kernel, const Ratings& ratings, const JointOptions& options,
                        const Observer& observer) {
  options.validate();
  const JointFeatures features(kernel, ratings);
  const double norm = features.centred_norm(1);
  if (!(norm > 0))
    throw Error(ErrorCode::bad_input,
                "all items of every user are alike under this kernel: there is nothing to rank by");
  const FactoredMeasurePtr measure = make_trainable(options.measure, make_convention(options.convention));
  RankingRisk risk(features, *measure, Decay(options.decay), 1);
  risk.set_trade_off(options.C / norm / static_cast<double>(risk.num_blocks()));
  FitOptions fit;
  fit.bound = parse_bound(options.bound);
  fit.rounds = options.rounds;
  fit.solve = {.tolerance = options.tolerance, .max_passes = options.max_passes, .seed = options.seed};
  const RoundsObserver relay = [&](const RoundsState&, const Progress& progress) {
    return !observer || observer(progress);
  };
  Fitted fitted = fit_bound(risk, fit, ridge(features, kRidge, 1), relay);
  JointResult result;
  result.ranker = features.ranker(fitted.w);
  result.solve = std::move(fitted.report);
  result.health = fitted.health;
  result.dropped = features.data().num_queries() - risk.num_blocks();
  return result;
}

JointRanker train_joint_ridge(const JointKernel& kernel, const Ratings& ratings, double lambda) {
  require(lambda > 0 && std::isfinite(lambda), "lambda", lambda, "a finite number above 0");
  const JointFeatures features(kernel, ratings);
  return features.ranker(ridge(features, lambda, 1));
}

}  // namespace dorm
