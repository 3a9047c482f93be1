// SPDX-License-Identifier: Apache-2.0
// The choice of options by held-out events, and the two learners with the options that were chosen.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/stopwatch.h"
#include "recommend/implicit/als.h"
#include "recommend/implicit/ease.h"
#include "recommend/implicit/scorer.h"

namespace dorm {

/// Tells the observer how far training is, and learns from it whether to end; from any thread.
class ImplicitWatch {
 public:
  ImplicitWatch(const ImplicitObserver& observer, double seconds) : observer_(observer), limit_(seconds) {}

  void begin(const char* stage) { progress_.stage = stage; }
  void count(double value);
  bool interrupted();  // also tells the observer
  bool over() { return interrupted() || limit_.over(); }
  bool late() const { return limit_.over(); }

 private:
  const ImplicitObserver& observer_;
  TimeLimit limit_;
  Stopwatch watch_;
  std::mutex mutex_;
  std::atomic<bool> interrupted_ = false;
  double told_ = -1;
  ImplicitProgress progress_;
};

/// Both learners, trained.
struct ImplicitParts {
  FactorMatrix users, items;
  std::vector<float> ease;
  double als_weight = 1, ease_weight = 0;

  ImplicitScorer scorer() const { return {users, items, ease, als_weight, ease_weight}; }
  /// Shares of the sum over the spreads of the two.
  void set_weights(double ease_share, const Ratings& events, ThreadPool& pool);
};

class ImplicitSearchRun {
 public:
  ImplicitSearchRun(RatingsSplit split, const ImplicitOptions& options, bool with_ease, ThreadPool& pool,
                    ImplicitWatch& watch);

  void run();
  const ImplicitOptions& chosen() const { return options_; }
  ImplicitParts take_parts() { return std::move(parts_); }  // trained on the events that were not held out
  const std::vector<ImplicitTrial>& trials() const { return trials_; }
  double value() const { return value_; }
  bool empty() const { return parts_.users.rows == 0; }  // it ended before there was anything

 private:
  double value_of(const ImplicitParts& parts) const;  // NaN: it was cut short
  double try_als(AlsOptions als);
  double try_ease(double ridge);
  void climb_als();
  void climb_ease();
  void choose_share();
  void note(const char* method, const AlsOptions& als, double ridge, double share, double value);

  RatingsSplit split_;
  ImplicitOptions options_;
  const ImplicitSearch search_;
  const bool with_ease_;
  ThreadPool& pool_;
  ImplicitWatch& watch_;
  ImplicitParts parts_;
  std::vector<ImplicitTrial> trials_;
  double als_value_ = -kInfinity, ease_value_ = -kInfinity, value_ = kNaN;
};

}  // namespace dorm
