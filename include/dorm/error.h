// SPDX-License-Identifier: Apache-2.0
// The one exception type of the library. How a solver stopped is never an error; bad input, options and files are.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace dorm {

enum class ErrorCode {
  bad_input,     // the data says something it must not
  bad_option,    // an option is out of its range
  unknown_name,  // no measure, convention, format ... of that name
  io,            // the operating system refused
  unsupported,   // legal, but not in this build or for this kind of object
  internal,      // a defect of the library
};

/// Where in a file something stood. Lines and columns count from 1, columns in bytes; 0 means "not known".
struct SourcePosition {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

/// what() reads "file:line:column: message", without the parts that are not known.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message);
  Error(ErrorCode code, SourcePosition position, const std::string& message);

  ErrorCode code() const { return code_; }
  const SourcePosition& position() const { return position_; }

 private:
  ErrorCode code_;
  SourcePosition position_;
};

}  // namespace dorm
