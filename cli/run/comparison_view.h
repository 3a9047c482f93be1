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

  void update(const ComparisonProgress& progress) {
    if (quiet_ || !line_.due()) return;
    const auto fresh = static_cast<double>(progress.done - progress.found);
    const auto rest = static_cast<double>(progress.total - progress.done);
    const std::string left =
        fresh > 0 ? fmt::format(", about {} left", duration_text(line_.seconds() * rest / fresh)) : "";
    const std::string found = progress.found > 0 ? fmt::format(" ({} found)", progress.found) : "";
    line_.show(static_cast<double>(progress.done) / static_cast<double>(progress.total),
               fmt::format("dorm: comparing: {} of {} results{}, {}, {}{}", progress.done, progress.total, found,
                           progress.method, duration_text(line_.seconds()), left));
  }

 private:
  bool quiet_;
  LiveLine line_;
};

}  // namespace dorm::cli
