// SPDX-License-Identifier: Apache-2.0
#include "serve/log_writer.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace dorm::serve {
namespace {

constexpr std::size_t kQueuedBytes = std::size_t{1} << 20;
constexpr auto kLastWait = std::chrono::milliseconds(500);  // for the next line, at the end

}  // namespace

struct LogWriter::State {
  explicit State(Say to) : write(std::move(to)) {}

  /// One line at a time, until the end is asked for and none is left.
  void work() {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [this] { return ending || !lines.empty(); });
      if (lines.empty()) break;
      const std::string line = std::move(lines.front());
      lines.pop_front();
      bytes -= line.size();
      lock.unlock();
      try {
        write(line);
      } catch (const std::exception&) {
        ++dropped;
      }
      lock.lock();
      ++written;
      progress.notify_one();
    }
    finished = true;
    progress.notify_one();
  }

  Say write;
  std::mutex mutex;
  std::condition_variable wake, progress;
  std::deque<std::string> lines;
  std::size_t bytes = 0;
  std::uint64_t written = 0;
  bool ending = false, finished = false, working = false;
  std::atomic<std::uint64_t> dropped = 0;
};

LogWriter::LogWriter(Say write) {
  if (!write) return;
  state_ = std::make_shared<State>(std::move(write));
  try {
    std::thread([state = state_] { state->work(); }).detach();
    state_->working = true;
  } catch (const std::exception&) {
  }
}

LogWriter::~LogWriter() {
  if (!state_ || !state_->working) return;
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->wake.notify_one();
  const auto end = std::chrono::steady_clock::now() + 2 * kLastWait;
  for (std::uint64_t seen = state_->written; !state_->finished; seen = state_->written) {
    const auto moved = [&] { return state_->finished || state_->written != seen; };
    if (!state_->progress.wait_for(lock, kLastWait, moved) || std::chrono::steady_clock::now() > end) return;
  }
}

void LogWriter::add(std::string line) noexcept {
  if (!state_) return;
  try {
    const std::lock_guard lock(state_->mutex);
    if (state_->working && state_->bytes + line.size() <= kQueuedBytes) {
      const std::size_t size = line.size();
      state_->lines.push_back(std::move(line));
      state_->bytes += size;
      state_->wake.notify_one();
      return;
    }
  } catch (const std::exception&) {  // no memory for it
  }
  ++state_->dropped;
}

std::uint64_t LogWriter::dropped() const noexcept { return state_ ? state_->dropped.load() : 0; }

}  // namespace dorm::serve
