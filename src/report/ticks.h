// SPDX-License-Identifier: Apache-2.0
// From values to places on a picture: the range of an axis, its round ticks, linear or logarithmic.
#pragma once

#include <string>
#include <vector>

#include "dorm/apps/report.h"

namespace dorm::report {

struct Tick {
  double value = 0;
  std::string label;
};

/// A range of values laid over [begin, end] of the picture; begin may be the larger one (y grows upwards).
class Scale {
 public:
  /// The range covers `values` (those that are finite, and positive on a log axis) or what the axis says. With
  /// `rounded` it grows to round numbers. Never empty: without values it is [0, 1] ([1, 10] on a log axis).
  Scale(const Axis& axis, const std::vector<double>& values, bool rounded, double begin, double end);

  /// Whether the axis can show the value at all.
  bool shows(double value) const;
  double place(double value) const;  // clamped to the range
  const std::vector<Tick>& ticks() const { return ticks_; }
  double low() const { return low_; }
  double high() const { return high_; }

  void lay_over(double begin, double end);

 private:
  void make_linear(const Axis& axis, bool rounded);
  void make_log(const Axis& axis, bool rounded);

  bool log_;
  double low_ = 0, high_ = 1;
  double begin_, end_;
  std::vector<Tick> ticks_;
};

}  // namespace dorm::report
