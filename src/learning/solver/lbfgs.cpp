// SPDX-License-Identifier: Apache-2.0
// Limited-memory BFGS steps on P itself, for risks with many blocks, where kinks of single ones hardly show: then a few
// dozen passes at one w each suffice, whatever C, and nothing is left to do between them.
//
// The certificate is that of the planes met on the way (aggregate_planes.h). The newest alone gives a dual point whose
// value is 1/2 |gradient|^2 below P, so that gap and gradient vanish together. Where kinks show, no step goes down far
// enough; then the next point is that of one-slack cutting planes, held near the best so far.
#include <algorithm>
#include <cmath>
#include <deque>

#include "base/vector/vector_ops.h"
#include "learning/solver/aggregate_planes.h"
#include "learning/solver/trial_point.h"

namespace dorm {
namespace {

constexpr std::size_t kMemory = 20;      // pairs of steps and changes of the gradient
constexpr double kDescent = 1e-4;        // of the promised fall: enough
constexpr double kSlope = 0.9;           // of the first slope: flat enough
constexpr int kMostTrials = 6;           // of a line search
constexpr std::uint64_t kMostIdle = 20;  // passes in a row that bring nothing

/// Where P was computed.
struct Point {
  std::vector<double> w = {}, gradient = {};
  double value = INFINITY;
};

/// The curvature of P, as steps have measured it.
class Curvature {
 public:
  explicit Curvature(const Geometry& geometry) : geometry_(geometry) {}

  void add(const Point& from, const Point& to) {
    Pair pair{to.w, to.gradient};
    axpy(-1.0, std::span<const double>(from.w), pair.step);
    axpy(-1.0, std::span<const double>(from.gradient), pair.change);
    pair.product = geometry_.inner(pair.step, pair.change);
    // P has a curvature of at least 1.
    if (!(pair.product > 0)) return;
    if (pairs_.size() == kMemory) pairs_.pop_front();
    pairs_.push_back(std::move(pair));
  }
  void forget() { pairs_.clear(); }

  /// Where weights that must not move have 0 in `free`: the same on the others.
  Curvature among(std::span<const double> free) const {
    Curvature part(geometry_);
    for (const Pair& pair : pairs_) {
      Pair& kept = part.pairs_.emplace_back(pair);
      for (std::size_t j = 0; j < free.size(); ++j) {
        kept.step[j] *= free[j];
        kept.change[j] *= free[j];
      }
      kept.product = geometry_.inner(kept.step, kept.change);
      if (!(kept.product > 0)) part.pairs_.pop_back();
    }
    return part;
  }

  /// Minus the inverse of the curvature times the gradient.
  std::vector<double> direction(std::span<const double> gradient) const {
    std::vector<double> out(gradient.begin(), gradient.end()), shares(pairs_.size());
    for (std::size_t k = pairs_.size(); k-- > 0;) {
      shares[k] = geometry_.inner(pairs_[k].step, out) / pairs_[k].product;
      axpy(-shares[k], std::span<const double>(pairs_[k].change), out);
    }
    const double scale =
        pairs_.empty() ? 1 : pairs_.back().product / geometry_.inner(pairs_.back().change, pairs_.back().change);
    for (double& x : out) x *= -scale;
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const double again = geometry_.inner(pairs_[k].change, out) / pairs_[k].product;
      axpy(-shares[k] - again, std::span<const double>(pairs_[k].step), out);
    }
    return out;
  }

 private:
  struct Pair {
    std::vector<double> step, change;
    double product = 0;
  };
  const Geometry& geometry_;
  std::deque<Pair> pairs_;
};

/// Step lengths between which a line search looks.
struct Bracket {
  double length = 1;  // the next to be tried
  double low = 0, high = INFINITY, low_slope = 0, high_slope = 0;

  /// At `length` the slope is `slope`; `falls`: P falls far enough, and would fall on.
  void narrow(bool falls, double slope) {
    (falls ? low : high) = length;
    (falls ? low_slope : high_slope) = slope;
    if (std::isinf(high))
      length *= 4;
    else  // where slopes are those of a parabola, its least point
      length = low + (high - low) * std::clamp(low_slope / (low_slope - high_slope), 0.1, 0.9);
  }
};

class Descent {
 public:
  explicit Descent(SolveContext& context) : context_(context), planes_(context), curvature_(context.geometry) {}

  void run() {
    const SolverState& state = context_.state;
    const std::span<const double> given = context_.start_weights.empty() ? state.w : context_.start_weights;
    const std::span<const double> first = state.best_w.empty() ? given : state.best_w;
    at_.w.assign(first.begin(), first.end());
    context_.cone.project(at_.w);
    bool over = visit(at_);
    while (!over) over = step();
    planes_.describe(context_.stopping.report());
  }

 private:
  /// P and its gradient at point.w, and the bound that follows. True: the run is over.
  bool visit(Point& point) {
    Stopping& stopping = context_.stopping;
    point.value = planes_.separate(point.w);
    stopping.offer(point.w, point.value);
    if (std::isfinite(point.value)) {
      point.gradient = point.w;
      axpy(-context_.workers.total_weight(), std::span<const double>(planes_.newest().direction), point.gradient);
      const double before = stopping.dual();
      planes_.optimise();
      context_.state.stalled = stopping.dual() > before || point.value < at_.value ? 0 : context_.state.stalled + 1;
      if (context_.state.stalled >= kMostIdle) stopping.give_up();
    }
    return stopping.finished(context_.state.aggregates.size());
  }

  /// Moves on, by as many passes as it takes. True: the run is over.
  bool step() {
    const std::vector<double> direction = this->direction();
    const double slope = context_.geometry.inner(at_.gradient, direction);
    Bracket bracket{.low_slope = slope};
    for (int trial = 0; trial < kMostTrials && slope < 0; ++trial) {
      Point next{.w = at_.w};
      axpy(bracket.length, std::span<const double>(direction), next.w);
      context_.cone.project(next.w);
      if (visit(next)) return true;
      const double here = along(next.gradient, direction, next.w, bracket.length);
      const double promised = along(at_.gradient, direction, next.w, bracket.length);
      const bool falls = next.value <= at_.value + kDescent * bracket.length * promised;
      if (falls && here >= kSlope * slope) {
        curvature_.add(at_, next);
        at_ = std::move(next);
        return false;
      }
      bracket.narrow(falls, here);
    }
    return step_by_planes();
  }

  /// Along which weights at a constraint stay there.
  std::vector<double> direction() const {
    const Cone& cone = context_.cone;
    if (cone.whole()) return curvature_.direction(at_.gradient);
    std::vector<double> free(at_.w.size()), gradient = at_.gradient;
    for (std::size_t j = 0; j < free.size(); ++j) {
      free[j] = cone.admits(j, at_.w[j], -gradient[j]) ? 1 : 0;
      gradient[j] *= free[j];
    }
    return curvature_.among(free).direction(gradient);
  }

  /// The slope of a way of this length from at_ to `to`, which a constraint may have bent.
  double along(std::span<const double> gradient, std::span<const double> direction, std::span<const double> to,
               double length) const {
    if (context_.cone.whole()) return context_.geometry.inner(gradient, direction);
    double sum = 0;
    for (std::size_t j = 0; j < to.size(); ++j) sum += gradient[j] * (to[j] - at_.w[j]);
    return sum / length;
  }

  /// Where no point of a line will do: towards the minimiser of the planes, until P falls.
  bool step_by_planes() {
    curvature_.forget();
    for (;;) {
      Point next{.w = trial_point(context_.state, context_.cone)};
      if (visit(next)) return true;
      if (!(next.value < at_.value)) continue;
      at_ = std::move(next);
      return false;
    }
  }

  SolveContext& context_;
  AggregatePlanes planes_;
  Curvature curvature_;
  Point at_;
};

}  // namespace

void solve_lbfgs(SolveContext& context) { Descent(context).run(); }

}  // namespace dorm
