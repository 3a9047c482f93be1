// SPDX-License-Identifier: Apache-2.0
// A coarse grid of alpha and ridge, which depend on each other; then coordinate steps: an option is doubled or halved
// as long as the measure on held-out events rises.
#include "recommend/implicit/search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace dorm {
namespace {

constexpr double kTellAfter = 0.2;  // seconds
constexpr std::size_t kIterationStep = 5, kMostIterations = 15;
constexpr std::array kAlphas = {0.5, 4.0, 32.0};  // of the grid, as are
constexpr std::array kRidges = {2.0, 8.0, 32.0, 128.0};
constexpr std::size_t kFewestFactors = 16, kMostFactors = 128;
constexpr double kLeastOption = 1e-2, kLargestOption = 1e4;
constexpr int kShares = 10;

}  // namespace

void ImplicitWatch::count(double value) {
  ++progress_.trials;
  if (!(value <= progress_.best)) progress_.best = value;
}

bool ImplicitWatch::interrupted() {
  if (interrupted_ || !observer_) return interrupted_;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || watch_.seconds() < told_ + kTellAfter) return interrupted_;
  told_ = watch_.seconds();
  if (!observer_(progress_)) interrupted_ = true;
  return interrupted_;
}

void ImplicitParts::set_weights(double ease_share, const Ratings& events, ThreadPool& pool) {
  const auto weight = [&](double share, double als, double of_ease) {
    if (share == 0) return 0.0;
    const double spread = spread_of({users, items, ease, als, of_ease}, events, pool);
    return spread > 0 ? share / spread : share;
  };
  als_weight = weight(1 - ease_share, 1, 0);
  ease_weight = weight(ease_share, 0, 1);
}

ImplicitSearchRun::ImplicitSearchRun(RatingsSplit split, const ImplicitOptions& options, bool with_ease,
                                     ThreadPool& pool, ImplicitWatch& watch)
    : split_(std::move(split)),
      options_(options),
      search_(options.search),
      with_ease_(with_ease),
      pool_(pool),
      watch_(watch) {}

double ImplicitSearchRun::value_of(const ImplicitParts& parts) const {
  EvaluateOptions how;
  how.bootstrap = 0;
  how.threads = pool_.size();
  const ImplicitScorer scorer = parts.scorer();
  const std::string measures[] = {options_.measure};
  const auto scores = [&](std::size_t user, std::span<double> out) {
    if (watch_.over()) throw CutShort();
    scorer.fill(user, split_.train.of_user(user).index, out);
  };
  try {
    return evaluate_catalogue(split_.train, split_.test, scores, measures, how).measures.front().mean;
  } catch (const CutShort&) {
    return kNaN;
  }
}

void ImplicitSearchRun::note(const char* method, const AlsOptions& als, double ridge, double share, double value) {
  if (std::isnan(value)) return;
  trials_.push_back({method, als, ridge, share, value});
  watch_.count(value);
}

// Iterations are read off on the way; the best of all trials is kept.
double ImplicitSearchRun::try_als(AlsOptions als) {
  double best = -kInfinity;
  Als training(split_.train, als, pool_);
  const std::size_t most = search_.iterations ? kMostIterations : als.iterations;
  for (std::size_t k = 1; k <= most; ++k) {
    const bool whole = training.iterate([&] { return watch_.over(); });
    if (whole && k != most && !(search_.iterations && k % kIterationStep == 0)) continue;
    if (!training.started() || (!whole && !empty())) break;  // else a start is better than nothing
    als.iterations = k;
    ImplicitParts parts{training.users(), training.items(), {}};
    const double value = value_of(parts);
    note("als", als, 0, 0, value);
    if (value > als_value_ || empty()) {
      als_value_ = std::max(als_value_, value);
      options_.als = als;
      parts_.users = std::move(parts.users);
      parts_.items = std::move(parts.items);
    }
    best = std::max(best, value);
    if (!whole) break;
  }
  return best;
}

void ImplicitSearchRun::climb_als() {
  const AlsOptions start = options_.als;
  double best = -kInfinity;
  for (const double alpha : search_.alpha ? std::vector(kAlphas.begin(), kAlphas.end()) : std::vector{start.alpha})
    for (const double ridge : search_.ridge ? std::vector(kRidges.begin(), kRidges.end()) : std::vector{start.ridge}) {
      AlsOptions trial = start;
      trial.alpha = alpha;
      trial.ridge = ridge;
      best = std::max(best, try_als(trial));
      if (watch_.over()) return;
    }
  AlsOptions at = options_.als;
  // Moves up as long as the measure rises; if the first move fails, down.
  const auto climb = [&](double from, double low, double high, const auto& apply) {
    for (const double factor : {2.0, 0.5}) {
      bool moved = false;
      for (double next = from * factor; next >= low && next <= high && !watch_.over(); next *= factor) {
        AlsOptions trial = at;
        apply(trial, next);
        const double value = try_als(trial);
        if (!(value > best)) break;
        best = value;
        at = trial;
        moved = true;
      }
      if (moved) return true;
    }
    return false;
  };
  for (bool moved = true; moved && !watch_.over();) {
    moved = false;
    if (search_.ridge)
      moved |= climb(at.ridge, kLeastOption, kLargestOption, [](AlsOptions& o, double x) { o.ridge = x; });
    if (search_.alpha)
      moved |= climb(at.alpha, kLeastOption, kLargestOption, [](AlsOptions& o, double x) { o.alpha = x; });
    if (search_.factors)
      moved |= climb(real(at.factors), real(kFewestFactors), real(kMostFactors),
                     [](AlsOptions& o, double x) { o.factors = static_cast<std::size_t>(x); });
  }
}

double ImplicitSearchRun::try_ease(double ridge) {
  ImplicitParts parts;
  auto fitted = fit_ease(split_.train, ridge, pool_, [&] { return watch_.over(); });
  if (!fitted) return -kInfinity;
  parts.ease = std::move(*fitted);
  parts.als_weight = 0;
  parts.ease_weight = 1;
  const double value = value_of(parts);
  note("ease", {}, ridge, 1, value);
  if (value > ease_value_) {
    ease_value_ = value;
    options_.ease_ridge = ridge;
    parts_.ease = std::move(parts.ease);
  }
  return value;
}

void ImplicitSearchRun::climb_ease() {
  const double start = options_.ease_ridge;
  double best = try_ease(start);
  if (!search_.ease_ridge) return;
  for (const double factor : {2.0, 0.5})
    for (double ridge = start * factor; ridge >= kLeastOption && ridge <= kLargestOption && !watch_.over();
         ridge *= factor) {
      const double value = try_ease(ridge);
      if (!(value > best)) break;
      best = value;
    }
}

void ImplicitSearchRun::choose_share() {
  parts_.set_weights(0.5, split_.train, pool_);
  const double als = 2 * parts_.als_weight, ease = 2 * parts_.ease_weight;
  double best_share = options_.ease_share;
  value_ = -kInfinity;
  for (int k = 0; k <= kShares && !watch_.over(); ++k) {
    const double share = search_.ease_share ? real(static_cast<std::size_t>(k)) / kShares : best_share;
    parts_.als_weight = (1 - share) * als;
    parts_.ease_weight = share * ease;
    const double value = value_of(parts_);
    note("average", options_.als, options_.ease_ridge, share, value);
    if (value > value_) {
      value_ = value;
      best_share = share;
    }
    if (!search_.ease_share) break;
  }
  options_.ease_share = value_ > -kInfinity ? best_share : 0;
  if (value_ == -kInfinity) value_ = als_value_;
  parts_.als_weight = (1 - options_.ease_share) * als;
  parts_.ease_weight = options_.ease_share * ease;
}

void ImplicitSearchRun::run() {
  watch_.begin("als");
  climb_als();
  value_ = als_value_;
  watch_.begin("ease");
  if (with_ease_ && !watch_.over()) climb_ease();
  watch_.begin("average");
  if (empty()) return;
  if (!parts_.ease.empty()) return choose_share();
  options_.ease_share = 0;
  parts_.set_weights(0, split_.train, pool_);
}

}  // namespace dorm
