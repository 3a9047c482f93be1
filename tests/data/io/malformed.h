// SPDX-License-Identifier: Apache-2.0
// A corpus of malformed files: what each says, and the whole complaint it must earn.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "dorm/error.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm::test {

/// What a file says and what must be said about it.
struct Malformed {
  std::string_view content, message;
};

/// A literal with its embedded NUL bytes.
template <std::size_t N>
constexpr std::string_view text(const char (&literal)[N]) {
  return {literal, N - 1};
}

/// The complaint of `read` about the file `path`, from the file's name on.
inline std::string complaint(const std::string& path, const std::function<void(const std::string&)>& read) {
  std::string shown = message_of([&] { read(path); });
  const std::string directory = path.substr(0, path.rfind('/') + 1);
  for (std::size_t at = shown.find(directory); at != std::string::npos; at = shown.find(directory))
    shown.erase(at, directory.size());
  return shown;
}

/// Each file of `cases`, called `name`, earns its complaint.
inline void expect_complaints(std::span<const Malformed> cases, const std::string& name,
                              const std::function<void(const std::string&)>& read) {
  const TemporaryDirectory directory;
  for (const Malformed& item : cases) EXPECT_EQ(complaint(directory.write(name, item.content), read), item.message);
}

}  // namespace dorm::test
