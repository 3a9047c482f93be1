// SPDX-License-Identifier: Apache-2.0
// DORM over (user, item) pairs: the risk, rounds and solvers of every other ranker, on joint features.
#include <cmath>

#include "base/validate.h"
#include "dorm/error.h"
#include "dorm/measure.h"
#include "learning/risk/ranking_risk.h"
#include "learning/risk/ridge.h"
#include "learning/train/rounds.h"
#include "learning/train/units.h"
#include "recommend/joint/joint_features.h"

namespace dorm {
namespace {

constexpr double kRidge = 1e-3;  // the same as for the start of linear rankers

}  // namespace

void JointOptions::validate() const {
  make_trainable(measure, make_convention(convention));
  const Decay parsed(decay);
  require(C > 0 && std::isfinite(C), "C", C, "a finite number above 0");
  require(solve.tolerance > 0, "tolerance", solve.tolerance, "a number between 0 and 1");
  solve.validate();
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
  require_lists(risk.num_lists(), features.data().num_queries(), measure->name());
  const UnitsOfC units(1 / norm, options.paper_C);
  risk.set_trade_off(units.trade_off(options.C, risk.num_blocks()));
  const RoundsOptions rounds{
      .bound = options.bound, .rounds = options.rounds, .solve = options.solve, .compute = options.compute};
  const RoundsObserver relay = [&](const RoundsState&, const Progress& progress) {
    return !observer || observer(units.objective(progress));
  };
  Fitted fitted = run_rounds(risk, rounds, ridge(features, kRidge, 1), relay);
  JointResult result;
  result.ranker = features.ranker(fitted.w);
  result.solve = units.objective(std::move(fitted.report));
  result.explained_risk = fitted.explained_risk();
  result.dropped = features.data().num_queries() - risk.num_blocks();
  return result;
}

JointRanker train_joint_ridge(const JointKernel& kernel, const Ratings& ratings, double lambda) {
  require(lambda > 0 && std::isfinite(lambda), "lambda", lambda, "a finite number above 0");
  const JointFeatures features(kernel, ratings);
  return features.ranker(ridge(features, lambda, 1));
}

}  // namespace dorm
