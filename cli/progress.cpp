// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

namespace dorm::cli {
namespace {

using namespace std::chrono_literals;

std::string line(const std::string& what, double seconds, std::uint64_t done, std::uint64_t total) {
  const double megabytes = static_cast<double>(done) / 1e6;
  std::string text = fmt::format("dorm: reading {}: ", what);
  if (total > 0)
    text += fmt::format("{:.0f} % of ", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  text += fmt::format("{:.0f} MB, {:.0f} MB/s", total > 0 ? static_cast<double>(total) / 1e6 : megabytes,
                      megabytes / seconds);
  if (total > done && done > 0)
    text += fmt::format(", {:.0f} s left",
                        seconds * static_cast<double>(total - done) / static_cast<double>(done));
  return text;
}

}  // namespace

ReadProgress::ReadProgress(std::string what)
    : what_(std::move(what)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      next_(begin_ + 2s) {}

ReadProgress::~ReadProgress() {
  if (shown_ && terminal_) fmt::print(stderr, "\r\x1b[K");
}

void ReadProgress::update(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + (terminal_ ? Clock::duration(200ms) : Clock::duration(5s));
  shown_ = true;
  const std::string text = line(what_, std::chrono::duration<double>(now - begin_).count(), done, total);
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "", text, terminal_ ? "\x1b[K" : "\n");
}

}  // namespace dorm::cli
