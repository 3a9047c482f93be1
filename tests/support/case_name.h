// SPDX-License-Identifier: Apache-2.0
// Names of parameterised tests.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>

namespace dorm::test {

/// The letters and digits of the parameter as GoogleTest prints it; what stands between them becomes one '_'.
inline constexpr auto case_name = [](const auto& test) {
  std::string name;
  for (const char c : testing::PrintToString(test.param)) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  }
  if (name.ends_with('_')) name.pop_back();
  return name;
};

}  // namespace dorm::test
