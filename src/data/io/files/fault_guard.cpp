// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/fault_guard.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <mutex>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::uintptr_t kNowhere = std::numeric_limits<std::uintptr_t>::max();

struct GuardedRange {
  std::atomic<std::uintptr_t> begin = kNowhere;  // kNowhere: the slot is free
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> lost = false;
};

// A signal handler finds its data in static memory or not at all; all of it is atomic and lock-free.
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
std::array<GuardedRange, 4096> guarded;
std::mutex guarding;  // of those who take and free slots
std::uintptr_t page_bytes = 0;
struct sigaction handler_before {};

void on_fault(int signal, siginfo_t* info, void*) {
  const int kept = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (GuardedRange& range : guarded) {
    const std::uintptr_t end = range.end;
    if (info->si_code <= 0 || address < range.begin || address >= end) continue;
    // What lies behind the first lost page is lost, too.
    const std::uintptr_t page = address / page_bytes * page_bytes;
    void* lost = static_cast<char*>(info->si_addr) - (address - page);
    if (::mmap(lost, end - page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) break;
    range.lost = true;
    errno = kept;
    return;
  }
  ::sigaction(signal, &handler_before, nullptr);  // the fault comes again and is theirs
  if (info->si_code <= 0) ::raise(signal);        // one that was sent does not
  errno = kept;
}

void install_once() {
  static const bool installed = [] {
    page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return ::sigaction(SIGBUS, &action, &handler_before) == 0;
  }();
  static_cast<void>(installed);
}

}  // namespace

FaultGuard::FaultGuard(const char* data, std::size_t size) : slot_(0) {
  const std::lock_guard lock(guarding);
  install_once();
  while (slot_ < guarded.size() && guarded[slot_].begin != kNowhere) ++slot_;
  if (slot_ == guarded.size()) throw Error(ErrorCode::unsupported, "too many mapped files are in use at once");
  GuardedRange& range = guarded[slot_];
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  range.lost = false;
  range.end = (begin + size + page_bytes - 1) / page_bytes * page_bytes;
  range.begin = begin;
}

FaultGuard::~FaultGuard() {
  const std::lock_guard lock(guarding);
  guarded[slot_].begin = kNowhere;
  guarded[slot_].end = 0;
}

const std::atomic<bool>& FaultGuard::lost() const { return guarded[slot_].lost; }

}  // namespace dorm
