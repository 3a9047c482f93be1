// SPDX-License-Identifier: Apache-2.0
// What training and tuning show while they run.
#pragma once

#include <deque>
#include <limits>
#include <optional>
#include <string>

#include "dorm/train.h"
#include "dorm/tune.h"
#include "run/progress.h"

namespace dorm::cli {

/// When the gap will reach the tolerance, if it goes on falling as it lately did on a log scale.
class GapForecast {
 public:
  void add(double seconds, double gap);
  /// Seconds left; nothing when the gap has not been seen to fall often enough.
  std::optional<double> left(double tolerance) const;
  /// How far the gap has come at best from its first value to the tolerance, on a log scale.
  double share(double gap, double tolerance);
  void clear();

 private:
  struct Point {
    double seconds, log_gap;
  };
  std::deque<Point> points_;
  double first_log_gap_ = 0, share_ = 0;
};

class TrainingView {
 public:
  TrainingView(bool quiet, std::string measure, double tolerance);
  void update(const TrainProgress& progress);

 private:
  bool quiet_;
  std::string measure_;
  double tolerance_;
  LiveLine line_;
  GapForecast forecast_;
  std::string candidate_;  // bound, start and round that the forecast is about
};

class TuningView {
 public:
  TuningView(bool quiet, std::string measure) : quiet_(quiet), measure_(std::move(measure)) {}
  void update(const TuneProgress& progress);

 private:
  bool quiet_;
  std::string measure_;
  LiveLine line_;
};

}  // namespace dorm::cli
