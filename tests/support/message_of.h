// SPDX-License-Identifier: Apache-2.0
// The errors tests expect: what was thrown, or a failure of the test that names its caller's trace.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "dorm/error.h"

namespace dorm::test {

/// The Error that `action` throws. Fails the test when it throws none.
inline Error error_of(auto&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an error";
  return {ErrorCode::internal, "no error"};
}

/// What that Error says.
inline std::string message_of(auto&& action) { return error_of(action).what(); }

/// As above; fails the test when the error has another code.
inline std::string message_of(auto&& action, ErrorCode code) {
  const Error error = error_of(action);
  EXPECT_EQ(error.code(), code) << error.what();
  return error.what();
}

}  // namespace dorm::test
