// SPDX-License-Identifier: Apache-2.0
// Which vector instructions this processor has, and functions compiled once for each of them. Functions with several
// versions take the level as an argument, so that the tests can run every version the machine can.
#pragma once

namespace dorm {

enum class SimdLevel { portable, avx2, avx512 };

/// The level that the library uses: the best of this processor, or the one that the environment variable DORM_SIMD
/// names (portable, avx2, avx512). Asked once. Throws Error(unknown_name) for another name and Error(unsupported) for a
/// level that this processor lacks; then every call does.
SimdLevel simd_level();

/// What simd_level() makes of a value of DORM_SIMD; null or empty: the best of this processor.
SimdLevel choose_simd_level(const char* name);

namespace detail {

template <auto body, class Signature = decltype(body)>
struct Compiled;

template <auto body, class Result, class... Arguments>
struct Compiled<body, Result (*)(Arguments...)> {
  static Result portable(Arguments... arguments) { return body(arguments...); }
#if defined(__x86_64__)
  [[gnu::target("avx2")]] static Result avx2(Arguments... arguments) { return body(arguments...); }
  [[gnu::target("avx512f,avx512dq,avx512vl")]] static Result avx512(Arguments... arguments) {
    return body(arguments...);
  }
#endif
};

}  // namespace detail

/// The function `body` compiled for `level`. It must be always_inline, and so must what it calls; vectors are
/// passed by reference.
template <auto body>
[[gnu::always_inline]] constexpr auto compiled_for([[maybe_unused]] SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return &detail::Compiled<body>::avx512;
  if (level == SimdLevel::avx2) return &detail::Compiled<body>::avx2;
#endif
  return &detail::Compiled<body>::portable;
}

}  // namespace dorm
