// SPDX-License-Identifier: Apache-2.0
#include "base/vector/cpu.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "dorm/base/catalog.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// In the order of the enumeration.
constexpr std::array<CatalogEntry, 3> kLevels = {{{"portable", "", ""}, {"avx2", "", ""}, {"avx512", "", ""}}};

SimdLevel detect() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return SimdLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return SimdLevel::avx2;
#endif
  return SimdLevel::portable;
}

}  // namespace

SimdLevel choose_simd_level(const char* name) {
  const SimdLevel best = detect();
  if (name == nullptr || *name == '\0') return best;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels[i].name != name) continue;
    const auto level = static_cast<SimdLevel>(i);
    if (level <= best) return level;
    throw Error(ErrorCode::unsupported,
                fmt::format("the environment variable DORM_SIMD requests {}, which this processor lacks; expected {}",
                            name, best == SimdLevel::avx2 ? "portable or avx2" : "portable"));
  }
  throw_unknown_name("value of the environment variable DORM_SIMD", name, kLevels);
}

SimdLevel simd_level() {
  static const SimdLevel level = choose_simd_level(std::getenv("DORM_SIMD"));
  return level;
}

}  // namespace dorm
