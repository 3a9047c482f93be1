// SPDX-License-Identifier: Apache-2.0
// The output of `dorm clicks gains` about a log and its gains.
#pragma once

#include <optional>
#include <ostream>
#include <string>

#include "base/json.h"
#include "dorm/clicks/click_gains.h"
#include "dorm/clicks/click_log.h"

namespace dorm::cli {

struct ClicksReport {
  const ClickCounts& counts;
  const ClickLogReport& log;
  const ClickGains& gains;
  const ClickGainOptions& options;
  bool weighted = false;                 // by propensities
  std::optional<JudgedByClicks> joined;  // with features
};

std::string clicks_text(const ClicksReport& report);
Json clicks_json(const ClicksReport& report);

}  // namespace dorm::cli
