// SPDX-License-Identifier: Apache-2.0
// Checkpoints of trainings and tunings, as files to look at.
#pragma once

#include <optional>
#include <string>

namespace dorm {

/// The state of a checkpoint, for display.
struct CheckpointSummary {
  std::string verb;      // train or tune
  std::string options;   // those that decide the model
  std::string data;      // fingerprint
  std::string progress;  // "2 candidates finished, the next in round 1", "12 of 24 grid points validated"
};

/// Nothing for a file that is no checkpoint. Throws Error(bad_input) for a damaged one.
std::optional<CheckpointSummary> summarize_checkpoint(const std::string& path);

}  // namespace dorm
