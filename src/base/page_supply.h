// SPDX-License-Identifier: Apache-2.0
// Pages for memory that is about to be written, a little ahead of the writer: one request for many takes half the time
// of a fault each, and what the system has just cleared is still in the cache.
//
// A large page (2 MiB) takes a quarter of the time of 512 small ones and is found faster when it is read, but where the
// system has none at hand it may take seven times as long. So they are timed, and given up once they have lost more
// than kPatience altogether.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>

namespace dorm {

class PageSupply {
 public:
  /// Gives pages to [at, x) and returns x, which is not before `until`. All of [at, end) must be about to be written,
  /// in this order, and lie in memory straight from the system (page_buffer.h). By any thread. Where the system cannot,
  /// pages come when touched.
  char* provide(char* at, const char* until, char* end) {
    while (at < until) {
      char* const next = std::min(end, at + (kLarge - reinterpret_cast<std::uintptr_t>(at) % kLarge));
      if (next - at == static_cast<std::ptrdiff_t>(kLarge) && balance_ > 0) {
        provide_large(at);
        at = next;
      } else {
        char* const near = std::min(next, at + kSmallStep);
        populate(at, static_cast<std::size_t>(near - at));
        at = near;
      }
    }
    return at;
  }

 private:
  static constexpr std::size_t kLarge = std::size_t{1} << 21, kSmallStep = std::size_t{1} << 18;
  static constexpr std::int64_t kPatience = 10'000'000, kSmallOnes = 600'000;  // nanoseconds; for kLarge in small pages

  void provide_large([[maybe_unused]] char* at) {
#if defined(MADV_HUGEPAGE)
    const std::int64_t start = processor_time();
    static_cast<void>(::madvise(at, kLarge, MADV_HUGEPAGE));
    populate(at, kLarge);
    balance_ += kSmallOnes - (processor_time() - start);
#endif
  }

  // Of this thread: that it had to wait for others says nothing about pages.
  static std::int64_t processor_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  }

  static void populate([[maybe_unused]] char* at, [[maybe_unused]] std::size_t size) {
#if defined(MADV_POPULATE_WRITE)
    const std::size_t before = reinterpret_cast<std::uintptr_t>(at) % static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    static_cast<void>(::madvise(at - before, size + before, MADV_POPULATE_WRITE));
#endif
  }

  std::atomic<std::int64_t> balance_ = kPatience;  // what large pages may still lose
};

}  // namespace dorm
