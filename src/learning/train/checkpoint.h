// SPDX-License-Identifier: Apache-2.0
// Progress of a training on disk: written atomically now and then, and picked up where it stopped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/train.h"
#include "learning/train/checkpoint_file.h"
#include "learning/train/rounds.h"

namespace dorm {

class Checkpoint {
 public:
  /// `problem` identifies what is learnt apart from the options, e.g. gains by position; `dimension` is the number of
  /// weights. Reads options.checkpoint if it exists. Throws Error(bad_input) when it is damaged, or was written for
  /// other options, other data or another number of weights, Error(io) when it is no regular file or cannot be written.
  /// Does nothing, ever, when options.checkpoint is empty.
  Checkpoint(const TrainOptions& options, std::uint64_t data_fingerprint, std::size_t dimension,
             const std::string& problem = "");

  /// The result of candidate `index`, if the interrupted training had finished it.
  const Fitted* finished(std::size_t index) const { return index < finished_.size() ? &finished_[index] : nullptr; }

  /// Where candidate `index` stood; a state with no round begun if it had not been.
  RoundsState resume(std::size_t index);

  /// Saves after an evaluation when the last save is checkpoint_seconds old. `last`: the training is about to stop;
  /// saves at once if there is a state to resume from, and nothing any more after that: the evaluation that follows a
  /// stop is not one that an undisturbed training makes. A full disk throws Error(io); the old checkpoint stays.
  void save_if_due(std::size_t index, const RoundsState& state, const Progress& progress, bool last);

  /// Candidate results are kept from now on.
  void finish(Fitted fitted);

  /// There was a file to go on from.
  bool resumed() const { return resumed_; }

  /// The training is over: the file has served its purpose.
  void remove() { file_.remove(); }

  /// Throws Error(bad_input): the file cannot be resumed from.
  [[noreturn]] void refuse(std::string_view why) const { file_.refuse(why); }

 private:
  void read_progress(const JsonFields& json);
  void save(const RoundsState& state, const SolverState* solver);

  CheckpointFile file_;
  std::size_t dimension_;
  std::vector<Fitted> finished_;
  RoundsState current_;
  bool resumed_ = false;
  bool closed_ = false;  // saved before a stop
};

}  // namespace dorm
