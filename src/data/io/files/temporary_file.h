// SPDX-License-Identifier: Apache-2.0
// A file under construction beside the file that it is to replace.
#pragma once

#include <string>

namespace dorm {

/// Named DESTINATION.dorm-N.tmp. A lock is held on it while its process lives: what a dead process has left is removed
/// by the next one that writes to the same destination. Goes away unless it replaces its destination.
class TemporaryFile {
 public:
  /// A file that is replaced hands on its permissions, and its owner where that is allowed. `shown` stands for the
  /// destination in messages. Throws Error(io).
  TemporaryFile(std::string shown, std::string destination);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int descriptor() const { return descriptor_; }

  /// Flushes it to the disk and puts it in its place, in one step that a loss of power does not undo. Once.
  void replace_destination();

 private:
  bool create(unsigned slot);
  void take_permissions() const;
  [[noreturn]] void fail(const char* action, int code) const;

  std::string shown_, destination_, path_;
  int descriptor_ = -1;
};

/// Makes new names in a folder outlive a loss of power; the number of the error, or 0. Folders that may not be opened,
/// and file systems that cannot do it, are passed over: what was written is whole either way.
int sync_folder(const std::string& folder);

}  // namespace dorm
