// SPDX-License-Identifier: Apache-2.0
// The paths of a tuning on disk: what was judged is kept, and where the next cell of a path begins. A cell that was cut
// short is trained again from where it began, so that a resumed tuning ends in the bytes of one that was left alone.
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
  /// What is known of a path: nothing, at first.
  JudgedPath path(const Key& key) const;
  /// Replaces it. Writes the file when the interval has passed; `judged` of `cells` are what it says of itself.
  void keep(const Key& key, const JudgedPath& path, std::size_t judged, std::size_t cells);
  /// Writes the file as things stand; its numbers as in keep().
  void flush(std::size_t judged, std::size_t cells);
  void remove() const { file_.remove(); }
  [[noreturn]] void refuse(std::string_view why) const { file_.refuse(why); }

 private:
  void read(const SavedProgress& saved);
  void save();

  CheckpointFile file_;
  std::mutex mutex_;
  std::map<Key, JudgedPath> paths_;
  std::size_t judged_ = 0, cells_ = 0;
};

}  // namespace dorm
