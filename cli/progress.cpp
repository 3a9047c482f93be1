// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "messages.h"

namespace dorm::cli {
namespace {

using namespace std::chrono_literals;

std::string read_text(const std::string& what, double seconds, std::uint64_t done, std::uint64_t total) {
  const double megabytes = static_cast<double>(done) / 1e6;
  std::string text = fmt::format("dorm: reading {}: ", what);
  if (total > 0) text += fmt::format("{:.0f} % of ", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  text += fmt::format("{:.0f} MB, {:.0f} MB/s", total > 0 ? static_cast<double>(total) / 1e6 : megabytes,
                      megabytes / seconds);
  if (total > done && done > 0)
    text += fmt::format(", {:.0f} s left", seconds * static_cast<double>(total - done) / static_cast<double>(done));
  return text;
}

}  // namespace

LiveLine::LiveLine() : terminal_(::isatty(STDERR_FILENO) == 1), begin_(Clock::now()), next_(begin_ + 2s) {}

LiveLine::~LiveLine() {
  if (shown_ && terminal_) say_in_place("");
}

double LiveLine::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

bool LiveLine::due() const { return Clock::now() >= next_; }

void LiveLine::show(const std::string& text) {
  const Clock::time_point now = Clock::now();
  // In a log the next line comes after half the time that has passed: a night makes a page, not a book.
  next_ = now + (terminal_ ? Clock::duration(200ms) : std::max(Clock::duration(2s), (now - begin_) / 2));
  shown_ = true;
  if (terminal_)
    say_in_place(text);
  else
    say(text + "\n");
}

void ReadProgress::update(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (line_.due()) line_.show(read_text(what_, line_.seconds(), done, total));
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace dorm::cli
