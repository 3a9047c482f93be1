// SPDX-License-Identifier: Apache-2.0
// What dorm fuse found: weights, evidence, and what to ship.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dorm/fusion/fuse.h"

namespace dorm::cli {

struct FuseReport {
  const JoinedRuns* runs = nullptr;
  FuseOptions options;
  FusedWeights weights;
  std::optional<SweptWeights> swept;  // the best weights for these queries
  double value = 0;                   // of the measure by the weights, on the queries they come from
  FusionEvidence evidence;
  std::vector<std::string> written = {};  // "model   f.json"
};

std::string fuse_text(const FuseReport& report);
std::string fuse_json(const FuseReport& report);

/// Of runs without judgments.
std::string unjudged_text(const JoinedRuns& runs, const std::vector<DocumentToJudge>& to_judge,
                          const std::vector<std::string>& written);

}  // namespace dorm::cli
