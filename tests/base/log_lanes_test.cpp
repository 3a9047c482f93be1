// SPDX-License-Identifier: Apache-2.0
// Beside libm, over floats of every exponent; the levels among each other.
#include "base/vector/log_lanes.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "base/vector/cpu.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

constexpr std::size_t kWidth = 4;

template <class T>
struct LanesFor;
template <>
struct LanesFor<float> {
  LanesOf<kWidth>::Floats value;
  [[gnu::always_inline]] void take_logarithm() { log1p_floats<kWidth>(value, value); }
};
template <>
struct LanesFor<double> {
  LanesOf<kWidth>::Doubles value;
  [[gnu::always_inline]] void take_logarithm() { log1p_doubles<kWidth>(value, value); }
};

template <class T>
[[gnu::always_inline]] inline void logarithms(const T* x, T* out, std::size_t n) {
  LanesFor<T> lanes;
  for (std::size_t i = 0; i < n; i += kWidth) {
    load_vector(x + i, lanes.value);
    lanes.take_logarithm();
    store_vector(lanes.value, out + i);
  }
}

// Not negative, of every exponent, and some that are special.
std::vector<float> arguments() {
  constexpr std::uint32_t kInfinity = 0x7f800000;
  std::vector<float> x = {0,
                          std::numeric_limits<float>::denorm_min(),
                          std::numeric_limits<float>::min(),
                          std::numeric_limits<float>::max(),
                          1,
                          0.41421354f,
                          0.41421357f,
                          16777216};
  Rng rng(3);
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent)
    for (int k = 0; k < 400; ++k)
      x.push_back(std::bit_cast<float>((exponent << 23 | static_cast<std::uint32_t>(rng.below(1u << 23))) % kInfinity));
  return x;
}

TEST(LogLanes, FloatsAgreeWithLibmToTwoUnitsOfTheLastPlace) {
  const std::vector<float> x = arguments();
  ASSERT_EQ(x.size() % kWidth, 0u);
  std::vector<float> out(x.size());
  compiled_for<logarithms<float>>(SimdLevel::portable)(x.data(), out.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double want = std::log1p(static_cast<double>(x[i]));
    const double smallest = std::numeric_limits<float>::denorm_min();
    EXPECT_NEAR(out[i], want, std::max(2.5e-7 * want, smallest)) << x[i];
  }
  for (const SimdLevel level : test::simd_levels()) {
    std::vector<float> other(x.size());
    compiled_for<logarithms<float>>(level)(x.data(), other.data(), x.size());
    EXPECT_EQ(other, out);
  }
}

TEST(LogLanes, DoublesAgreeWithLibmToTheLastPlace) {
  std::vector<double> x;
  for (const float value : arguments()) x.push_back(value);
  std::vector<double> out(x.size());
  compiled_for<logarithms<double>>(SimdLevel::portable)(x.data(), out.data(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double want = std::log1p(static_cast<long double>(x[i]));
    EXPECT_LE(std::fabs(out[i] - want), 2.3e-16L * want) << x[i];
  }
  for (const SimdLevel level : test::simd_levels()) {
    std::vector<double> other(x.size());
    compiled_for<logarithms<double>>(level)(x.data(), other.data(), x.size());
    EXPECT_EQ(other, out);
  }
}

}  // namespace
}  // namespace dorm
