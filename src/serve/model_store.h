// SPDX-License-Identifier: Apache-2.0
// The models that are served, by name. A file that changes is loaded beside the old model, which requests that have
// begun keep; a file that cannot be loaded changes nothing and is counted.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "dorm/apps/serve.h"
#include "serve/loaded_model.h"

namespace dorm::serve {

class ModelStore {
 public:
  /// Loads all. Throws Error for one that cannot be loaded, or for a name that is malformed or occurs twice.
  explicit ModelStore(const std::vector<ModelFile>& files, Say say = {});

  using Models = std::vector<std::shared_ptr<const LoadedModel>>;
  /// As they are now, in the order in which they were given.
  std::shared_ptr<const Models> models() const;

  /// Loads files that have changed since they were looked at, or all. One caller at a time. Throws nothing: what
  /// cannot be loaded is counted.
  void reload(bool all) noexcept;
  /// Counts what kept a file from being loaded, and says it.
  void note_failure(std::string_view reason) noexcept;
  /// Nothing more is said: the listener goes away.
  void fall_silent();

  std::uint64_t reloads() const;   // models that took the place of others
  std::uint64_t failures() const;  // files that could not be loaded

 private:
  struct Stamp {  // by which a change of a file is seen
    std::int64_t seconds = 0, nanoseconds = 0;
    std::uint64_t size = 0, inode = 0;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::string& path);
  void reload_one(std::size_t index, bool whatever);
  void tell(const std::string& line);

  std::mutex say_mutex_;
  Say say_;
  std::vector<Stamp> stamps_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Models> models_;
  std::uint64_t reloads_ = 0, failures_ = 0;
};

}  // namespace dorm::serve
