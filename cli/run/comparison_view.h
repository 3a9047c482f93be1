// SPDX-License-Identifier: Apache-2.0
// What a comparison shows while it runs.
#pragma once

#include <fmt/format.h>

#include "dorm/lab/comparison.h"
#include "run/progress.h"

namespace dorm::cli {

class ComparisonView {
 public:
  explicit ComparisonView(bool quiet) : quiet_(quiet) {}

  /// A new set of data begins its own count, and what it takes is forecast from its own results.
  void update(const ComparisonProgress& progress) {
    if (progress.set_number != set_number_ || progress.done < done_) {
      began_ = line_.seconds();
      set_number_ = progress.set_number;
    }
    done_ = progress.done;
    if (quiet_ || !line_.due()) return;
    const std::string found = progress.found > 0 ? fmt::format(" ({} found)", progress.found) : "";
    line_.show(static_cast<double>(progress.done) / static_cast<double>(progress.total),
               fmt::format("dorm: comparing{}: {} of {} results{}, {}, {}{}", set_text(progress), progress.done,
                           progress.total, found, progress.method, duration_text(line_.seconds()),
                           left_text(progress, line_.seconds() - began_)));
  }

  static std::string set_text(const ComparisonProgress& progress) {
    if (progress.set.empty()) return "";
    if (progress.sets < 2) return fmt::format(" on {}", progress.set);
    return fmt::format(" on {}, set {} of {}", progress.set, progress.set_number, progress.sets);
  }

  /// `seconds`: since this set began.
  static std::string left_text(const ComparisonProgress& progress, double seconds) {
    const auto fresh = static_cast<double>(progress.done - progress.found);
    const auto rest = static_cast<double>(progress.total - progress.done);
    if (!(fresh > 0)) return "";
    return fmt::format(", about {} left{}", duration_text(seconds * rest / fresh),
                       progress.sets > 1 ? " of this set" : "");
  }

 private:
  bool quiet_;
  LiveLine line_;
  double began_ = 0;  // seconds before this set
  std::size_t set_number_ = 0, done_ = 0;
};

}  // namespace dorm::cli
