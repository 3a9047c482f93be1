// SPDX-License-Identifier: Apache-2.0
// What a comparison shows while it runs.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "dorm/lab/comparison.h"
#include "lab/compare/set_forecast.h"
#include "run/progress.h"

namespace dorm::cli {

class ComparisonView {
 public:
  explicit ComparisonView(bool quiet) : quiet_(quiet) {}

  void update(const ComparisonProgress& progress) {
    const std::optional<double> left = forecast_.left(progress, line_.seconds());
    if (quiet_ || !line_.due()) return;
    const std::string found = progress.found > 0 ? fmt::format(" ({} found)", progress.found) : "";
    line_.show(static_cast<double>(progress.done) / static_cast<double>(progress.total),
               fmt::format("dorm: comparing{}: {} of {} results{}, {}, {}{}", set_text(progress), progress.done,
                           progress.total, found, progress.method, duration_text(line_.seconds()),
                           left ? fmt::format(", about {} left{}", duration_text(*left),
                                              progress.sets > 1 ? " of this set" : "")
                                : ""));
  }

 private:
  static std::string set_text(const ComparisonProgress& progress) {
    if (progress.set.empty()) return "";
    if (progress.sets < 2) return fmt::format(" on {}", progress.set);
    return fmt::format(" on {}, set {} of {}", progress.set, progress.set_number, progress.sets);
  }

  bool quiet_;
  LiveLine line_;
  SetForecast forecast_;
};

}  // namespace dorm::cli
