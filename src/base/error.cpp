// SPDX-License-Identifier: Apache-2.0
#include "dorm/error.h"

#include <fmt/format.h>

namespace dorm {
namespace {

std::string located(const SourcePosition& where, const std::string& message) {
  if (where.file.empty()) return message;
  if (where.line == 0) return fmt::format("{}: {}", where.file, message);
  if (where.column == 0) return fmt::format("{}:{}: {}", where.file, where.line, message);
  return fmt::format("{}:{}:{}: {}", where.file, where.line, where.column, message);
}

}  // namespace

Error::Error(ErrorCode code, const std::string& message) : Error(code, SourcePosition{}, message) {}

Error::Error(ErrorCode code, SourcePosition position, const std::string& message, std::vector<Remedy> remedies)
    : std::runtime_error(located(position, message)),
      code_(code),
      position_(std::move(position)),
      remedies_(std::move(remedies)) {}

Error::Error(const Error& error, const std::string& addition)
    : std::runtime_error(error.what() + addition), code_(error.code_), position_(error.position_) {}

}  // namespace dorm
