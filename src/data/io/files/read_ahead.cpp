// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/read_ahead.h"

#include <system_error>
#include <utility>

#include "base/parallel.h"

namespace dorm {

ReadAhead::ReadAhead(TextSource& source, std::size_t threads) : source_(source) {
  constexpr std::uint64_t kNanosecondsPerByte = 2;
  if (threads_worth(threads, source.total_bytes() * kNanosecondsPerByte) == 1) return;
  try {
    thread_ = std::thread([this] { fill(); });
  } catch (const std::system_error&) {  // a limit on threads: then one does both
  }
}

ReadAhead::~ReadAhead() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::fill() {
  for (bool more = true; more;) {
    try {
      more = source_.next(ahead_);
      if (more) source_.load(ahead_);
    } catch (...) {
      failure_ = std::current_exception();
      more = false;
    }
    std::unique_lock lock(mutex_);
    state_ = more ? State::full : State::ended;
    changed_.notify_all();
    changed_.wait(lock, [this] { return stopped_ || state_ != State::full; });
    if (stopped_) return;
  }
}

bool ReadAhead::next(TextChunk& chunk) {
  if (!thread_.joinable()) {
    if (!source_.next(chunk)) return false;
    source_.load(chunk);
    return true;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return state_ != State::empty; });
  if (state_ == State::ended) {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    return false;
  }
  std::swap(chunk, ahead_);
  state_ = State::empty;
  changed_.notify_all();
  return true;
}

}  // namespace dorm
