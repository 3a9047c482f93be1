// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/batch_relay.h"

#include <thread>
#include <utility>

namespace dorm {
namespace {

// Waits a little at first, then lets others run.
class Backoff {
 public:
  void pause() {
    if (++rounds_ > kSpins) return std::this_thread::yield();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  void reset() { rounds_ = 0; }

 private:
  static constexpr int kSpins = 2000;
  int rounds_ = 0;
};

}  // namespace

// Takes one index of the published batch; false if there is none.
bool BatchRelay::work_once(std::size_t worker) {
  std::size_t index = next_.load(std::memory_order_relaxed);
  do {
    if (index >= limit_.load(std::memory_order_acquire)) return false;
  } while (!next_.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
  try {
    (*body_)(index - first_, worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!failure_ || index < failure_index_) {
      failure_ = std::current_exception();
      failure_index_ = index;
    }
  }
  completed_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

void BatchRelay::follow(std::size_t worker) {
  Backoff backoff;
  while (!done_.load(std::memory_order_acquire)) {
    if (work_once(worker))
      backoff.reset();
    else
      backoff.pause();
  }
}

// body_ and first_ are written before limit_ lets anyone take an index, and stay until all of them are completed.
void BatchRelay::run(std::size_t count, std::size_t worker, const std::function<void(std::size_t, std::size_t)>& body) {
  body_ = &body;
  first_ = limit_.load(std::memory_order_relaxed);
  const std::size_t last = first_ + count;
  limit_.store(last, std::memory_order_release);
  while (work_once(worker)) {
  }
  Backoff backoff;
  while (completed_.load(std::memory_order_acquire) < last) backoff.pause();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace dorm
