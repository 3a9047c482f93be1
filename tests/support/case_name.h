// SPDX-License-Identifier: Apache-2.0
// Names of parameterised tests.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <stdexcept>
#include <string>

namespace dorm::test {

/// The letters and digits of the parameter as GoogleTest prints it; what stands between them becomes one '_'. A type
/// that it can only print as bytes needs a PrintTo().
inline constexpr auto case_name = [](const auto& test) {
  const std::string printed = testing::PrintToString(test.param);
  if (printed.find("-byte object <") != std::string::npos)
    throw std::logic_error("a parameter of a test is printed as bytes; expected a PrintTo() for its type");
  std::string name;
  for (const char c : printed) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  if (name.ends_with('_')) name.pop_back();
  return name;
};

}  // namespace dorm::test
