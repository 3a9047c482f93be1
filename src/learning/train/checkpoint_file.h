// SPDX-License-Identifier: Apache-2.0
// The file of a checkpoint: a line "dorm-checkpoint VERSION CHECKSUM", a line of JSON with that checksum, numbers as
// the JSON counts and checks them, then solver states, which carry their own checksums. Version 1 had another checksum
// and is refused: a checkpoint lives as long as a run.
//
// A checkpoint belongs to one verb, one set of options and one data set; anything else is refused with the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/stopwatch.h"
#include "dorm/learning/checkpoint.h"
#include "dorm/solver.h"
#include "dorm/train.h"

namespace dorm {

/// The options that decide what a training computes, by their names, after `problem`: what is learnt apart from them.
std::string checkpoint_identity(TrainOptions options, const std::string& problem);

/// The content of a checkpoint.
struct SavedProgress {
  Json json;
  std::vector<double> numbers;
  std::vector<SolverState> states;
};

class CheckpointFile {
 public:
  /// `identity` is what must not differ between the runs. An empty path: nothing is ever read or written. Throws
  /// Error(io) when `path` is no regular file or cannot be written.
  CheckpointFile(std::string path, double interval, std::string verb, std::uint64_t data, std::string identity);

  bool used() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// Nothing when there is no file. Throws Error(bad_input) when it is damaged, or another run's.
  std::optional<SavedProgress> load() const;
  /// Written atomically. A full disk throws Error(io); the old file stays.
  void save(Json json, std::span<const double> numbers, std::span<const SolverState* const> states);
  /// The interval has passed since the last save.
  bool due() const { return used() && since_saved_.seconds() >= interval_; }
  /// The run is over: the file has served its purpose.
  void remove() const;
  /// Throws Error(bad_input): the file cannot be resumed from.
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  SavedProgress read() const;

  std::string path_;
  double interval_;
  std::string verb_;
  std::uint64_t data_;
  std::string identity_;
  Stopwatch since_saved_;
};

}  // namespace dorm
