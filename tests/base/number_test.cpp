// SPDX-License-Identifier: Apache-2.0
#include "base/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "base/rng.h"

namespace dorm {
namespace {

// Both parsers must take the whole text; the in-place one finds its end by itself.
double parsed(const std::string& text, NumberKind expected = NumberKind::finite) {
  double whole = 0, in_place = 0;
  EXPECT_EQ(parse_number(std::string_view(text), whole), expected) << text;
  const std::string padded = text + "\n" + std::string(kTextPadding, '9');
  const char* p = padded.data();
  EXPECT_EQ(parse_number(p, in_place), expected) << text;
  if (expected != NumberKind::malformed) {
    EXPECT_EQ(p - padded.data(), static_cast<std::ptrdiff_t>(text.size())) << text;
  }
  if (!std::isnan(whole)) {
    EXPECT_EQ(whole, in_place) << text;
  }
  return whole;
}

TEST(Number, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parsed("0"), 0.0);
  EXPECT_EQ(parsed("-12"), -12.0);
  EXPECT_EQ(parsed("+1"), 1.0);
  EXPECT_EQ(parsed("5."), 5.0);
  EXPECT_EQ(parsed(".5"), 0.5);
  EXPECT_EQ(parsed("1e3"), 1000.0);
  EXPECT_EQ(parsed("1E-3"), 0.001);
  EXPECT_EQ(parsed("0.30000000000000004"), 0.30000000000000004);
  EXPECT_EQ(parsed("12345678901234567890"), 12345678901234567890.0);
  EXPECT_EQ(parsed("123456789.12345678"), 123456789.12345678);
}

TEST(Number, AgreesWithTheCLibraryOnRandomNumbers) {
  Rng rng(1);
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    const std::uint64_t before = 1 + rng.below(12), after = rng.below(14);
    for (std::uint64_t k = 0; k < before; ++k) text += static_cast<char>('0' + rng.below(10));
    if (after > 0) text += '.';
    for (std::uint64_t k = 0; k < after; ++k) text += static_cast<char>('0' + rng.below(10));
    if (rng.below(4) == 0) text += fmt::format("e{}", static_cast<int>(rng.below(80)) - 40);
    ASSERT_EQ(parsed(text), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(Number, TellsTooLargeFromTooSmall) {
  const std::string zeros(400, '0');
  EXPECT_EQ(parsed("1e999", NumberKind::not_finite), HUGE_VAL);
  EXPECT_EQ(parsed("-1e999", NumberKind::not_finite), -HUGE_VAL);
  EXPECT_EQ(parsed("1e99999999999999999999", NumberKind::not_finite), HUGE_VAL);
  EXPECT_EQ(parsed(fmt::format("1{}", zeros), NumberKind::not_finite), HUGE_VAL);
  EXPECT_EQ(parsed(fmt::format("1{}e-50", zeros), NumberKind::not_finite), HUGE_VAL);
  EXPECT_EQ(parsed("1e-999"), 0.0);
  EXPECT_EQ(parsed("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(parsed(fmt::format("0.{}1", zeros)), 0.0);
  EXPECT_EQ(parsed("0e999"), 0.0);
  EXPECT_EQ(parsed(fmt::format("1{}e-400", zeros)), 1.0);
}

TEST(Number, KnowsNanAndInfinityInAnyCase) {
  for (const char* text : {"nan", "NaN", "-nan", "+NAN"})
    EXPECT_TRUE(std::isnan(parsed(text, NumberKind::not_finite))) << text;
  EXPECT_EQ(parsed("inf", NumberKind::not_finite), HUGE_VAL);
  EXPECT_EQ(parsed("-Infinity", NumberKind::not_finite), -HUGE_VAL);
}

TEST(Number, RefusesTheRest) {
  double value = 0;
  for (const char* text : {"",    "-",   "+",     ".",    "-.",   "e5",     "x",  "1x", "0x10", "1e",  "1e+",
                           "--1", "+-1", "1.2.3", "nano", "infi", "nan(1)", "1 ", " 1", "1_0",  "1,5", "1f"})
    EXPECT_EQ(parse_number(std::string_view(text), value), NumberKind::malformed) << text;
}

TEST(Number, FloatLimitIsWhereRoundingTurnsInfinite) {
  EXPECT_TRUE(fits_float(3.4028235677973362e38));
  EXPECT_TRUE(std::isfinite(static_cast<float>(3.4028235677973362e38)));
  EXPECT_FALSE(fits_float(3.4028235677973366e38));
  EXPECT_FALSE(fits_float(-1e39));
}

}  // namespace
}  // namespace dorm
