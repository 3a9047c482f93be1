// SPDX-License-Identifier: Apache-2.0
// The paths of a tuning on disk: the points that were evaluated, and the state from which the next point of a path
// begins. A point that was cut short is trained again from there, so that a resumed tuning ends in the bytes of one
// that was not interrupted.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "learning/train/checkpoint_file.h"
#include "learning/tune/tune_path.h"

namespace dorm {

class TuneCheckpoint {
 public:
  using Key = std::pair<std::size_t, std::size_t>;  // kernel, path of its grid

  /// Reads the file if it exists; throws as CheckpointFile does.
  TuneCheckpoint(const TuneOptions& options, std::uint64_t data_fingerprint, const std::string& problem);

  bool used() const { return file_.used(); }
  /// A path as it was saved; empty at first.
  EvaluatedPath path(const Key& key) const;
  /// Replaces it. Writes the file when the interval has passed; `evaluated` of `points` grid points are done.
  void keep(const Key& key, const EvaluatedPath& path, std::size_t evaluated, std::size_t points);
  /// Writes the file; numbers as in keep().
  void flush(std::size_t evaluated, std::size_t points);
  void remove() const { file_.remove(); }
  [[noreturn]] void refuse(std::string_view why) const { file_.refuse(why); }

 private:
  void read(const SavedProgress& saved);
  void save();

  CheckpointFile file_;
  std::mutex mutex_;
  std::map<Key, EvaluatedPath> paths_;
  std::size_t evaluated_ = 0, points_ = 0;
};

}  // namespace dorm
