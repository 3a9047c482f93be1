// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "dorm/error.h"

namespace dorm {
namespace {

std::string slot_path(const std::string& destination, unsigned slot) {
  return fmt::format("{}.dorm-{}.tmp", destination, slot);
}

// Whether `path` still names the file behind `descriptor`.
bool names(const std::string& path, int descriptor) {
  struct stat here {
  }, there{};
  return ::fstat(descriptor, &here) == 0 && ::lstat(path.c_str(), &there) == 0 && here.st_dev == there.st_dev &&
         here.st_ino == there.st_ino;
}

// False when another process holds it. A file system without locks has no left-overs that could be told from files in
// use, and no other process that would remove ours.
bool lock(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

// Removes what a dead process has left under this name.
void remove_left_over(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
      names(path, descriptor))
    ::unlink(path.c_str());
  ::close(descriptor);
}

}  // namespace

int sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const int failed = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS ? 0 : errno;
  ::close(descriptor);
  return failed;
}

TemporaryFile::TemporaryFile(std::string shown, std::string destination)
    : shown_(std::move(shown)), destination_(std::move(destination)) {
  unsigned slot = 0;
  while (!create(slot)) ++slot;
  path_ = slot_path(destination_, slot);
  remove_left_over(slot_path(destination_, slot + 1));
  take_permissions();
}

// One attempt at a name; false when another process uses it.
bool TemporaryFile::create(unsigned slot) {
  constexpr mode_t kAnyNewFile = 0666, kUntilPermissionsAreTaken = 0600;
  const mode_t mode = ::access(destination_.c_str(), F_OK) == 0 ? kUntilPermissionsAreTaken : kAnyNewFile;
  const std::string path = slot_path(destination_, slot);
  for (int attempt = 0; attempt < 2; ++attempt) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0 && errno != EEXIST) fail("cannot write", errno);
    if (descriptor_ >= 0) {
      // Before it was locked it may have been taken for a left-over.
      if (lock(descriptor_) && names(path, descriptor_)) return true;
      ::close(std::exchange(descriptor_, -1));
    }
    remove_left_over(path);
  }
  return false;
}

void TemporaryFile::take_permissions() const {
  struct stat old {
  }, now{};
  if (::stat(destination_.c_str(), &old) != 0 || ::fstat(descriptor_, &now) != 0) return;
  mode_t mode = old.st_mode & 07777;
  const bool other_group = old.st_gid != now.st_gid && ::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) != 0;
  if (other_group) mode &= ~static_cast<mode_t>(S_IRWXG | S_ISGID);  // they were for another group
  const bool other_owner = old.st_uid != now.st_uid && ::fchown(descriptor_, old.st_uid, static_cast<gid_t>(-1)) != 0;
  if (other_owner) mode &= ~static_cast<mode_t>(S_ISUID);
  ::fchmod(descriptor_, mode);
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TemporaryFile::replace_destination() {
  if (::fsync(descriptor_) != 0) fail("cannot write", errno);
  if (::rename(path_.c_str(), destination_.c_str()) != 0) fail("cannot replace", errno);
  path_.clear();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail("cannot write", errno);
  if (const int failed = sync_folder(std::filesystem::path(destination_).parent_path().string()); failed != 0)
    fail("cannot write", failed);
}

void TemporaryFile::fail(const char* action, int code) const {
  throw Error(ErrorCode::io, {shown_, 0, 0}, fmt::format("{}: {}", action, std::generic_category().message(code)));
}

}  // namespace dorm
