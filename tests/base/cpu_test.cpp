// SPDX-License-Identifier: Apache-2.0
#include "base/vector/cpu.h"

#include <gtest/gtest.h>

#include "support/message_of.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

TEST(SimdLevel, NamesAreThoseOfTheLevels) {
  const char* const names[] = {"portable", "avx2", "avx512"};
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    const char* const name = names[static_cast<int>(level)];
    if (level <= choose_simd_level(nullptr)) {
      EXPECT_EQ(choose_simd_level(name), level);
    } else {
      const Error error = test::error_of([&] { choose_simd_level(name); });
      EXPECT_EQ(error.code(), ErrorCode::unsupported);
      EXPECT_NE(std::string(error.what()).find("which this processor lacks; expected portable"), std::string::npos);
    }
  }
}

TEST(SimdLevel, NothingMeansTheBest) {
  EXPECT_EQ(choose_simd_level(nullptr), choose_simd_level(""));
  EXPECT_GE(choose_simd_level(nullptr), SimdLevel::portable);
}

TEST(SimdLevel, OtherNamesAreRefused) {
  EXPECT_EQ(test::message_of([] { choose_simd_level("sse"); }),
            "unknown value of the environment variable DORM_SIMD \"sse\"; known: portable, avx2, avx512");
  EXPECT_EQ(test::error_of([] { choose_simd_level("AVX2"); }).code(), ErrorCode::unknown_name);
}

}  // namespace
}  // namespace dorm
