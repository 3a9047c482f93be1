// SPDX-License-Identifier: Apache-2.0
#include "run/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "text/messages.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kCommandName = "dorm: ";
constexpr std::size_t kBarWidth = 24;

std::chrono::milliseconds first_after = 2s;

std::string read_text(const std::string& what, double seconds, std::uint64_t done, std::uint64_t total) {
  const double megabytes = static_cast<double>(done) / 1e6;
  std::string text = fmt::format("dorm: reading {}: ", what);
  if (total > 0) text += fmt::format("{:.0f} % of ", 100.0 * static_cast<double>(done) / static_cast<double>(total));
  text += fmt::format("{:.0f} MB, {:.0f} MB/s, {}", total > 0 ? static_cast<double>(total) / 1e6 : megabytes,
                      megabytes / seconds, duration_text(seconds));
  if (total > done && done > 0)
    text += fmt::format(", about {} left",
                        duration_text(seconds * static_cast<double>(total - done) / static_cast<double>(done)));
  return text;
}

/// Of the terminal; a line that wraps could not be taken back.
std::size_t terminal_width() {
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

/// "[=======> ] 45 % "
std::string bar(double share) {
  const double part = std::clamp(share, 0.0, 1.0);
  const auto full = static_cast<std::size_t>(part * kBarWidth);
  std::string done(full, '=');
  if (full < kBarWidth) done += '>';
  return fmt::format("[{}{}] {:3.0f} % ", styled(Style::green, done), std::string(kBarWidth - done.size(), ' '),
                     std::floor(100 * part));
}

/// At most `width` characters of it; characters are not cut.
std::string clipped(const std::string& text, std::size_t width) {
  std::size_t shown = 0;
  for (std::size_t k = 0; k < text.size(); ++k)
    if ((static_cast<unsigned char>(text[k]) & 0xc0u) != 0x80 && ++shown > width) return text.substr(0, k);
  return text;
}

}  // namespace

LiveLine::LiveLine() : terminal_(::isatty(STDERR_FILENO) == 1), begin_(Clock::now()), next_(begin_ + first_after) {}

LiveLine::~LiveLine() {
  if (shown_ && terminal_) say_in_place("");
}

double LiveLine::seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

bool LiveLine::due() const { return Clock::now() >= next_; }

void LiveLine::show(const std::string& text) { show(std::nan(""), text); }

void LiveLine::show(double share, const std::string& text) {
  const Clock::time_point now = Clock::now();
  // In a log the next line comes after half the time that has passed: a night makes a page, not a book.
  next_ = now + (terminal_ ? Clock::duration(200ms) : std::max(Clock::duration(2s), (now - begin_) / 2));
  shown_ = true;
  if (!terminal_) return say(text + "\n");
  const std::string drawn = std::isnan(share) ? "" : bar(share);
  const std::size_t room = terminal_width() - 1, taken = shown_width(drawn) + kCommandName.size();
  const std::string rest = text.starts_with(kCommandName) ? text.substr(kCommandName.size()) : text;
  say_in_place(std::string(kCommandName) + drawn + clipped(rest, room > taken ? room - taken : 0));
}

void ReadProgress::update(std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  if (!line_.due()) return;
  const double share = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : std::nan("");
  line_.show(share, read_text(what_, line_.seconds(), done, total));
}

void show_progress_early() { first_after = 0s; }

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace dorm::cli
