// SPDX-License-Identifier: Apache-2.0
#include "run/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <sstream>
#include <streambuf>

#include "dorm/error.h"
#include "dorm/write.h"
#include "run/stop.h"
#include "text/style.h"

namespace dorm::cli {
namespace {

volatile std::sig_atomic_t pending_signal = 0;  // the one thing a signal handler may touch

/// Passes everything on, and gives up when a signal has come.
class StoppableBuffer : public std::streambuf {
 public:
  explicit StoppableBuffer(std::streambuf* next) : next_(next) {}

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    check();
    return next_->sputn(text, size);
  }
  int overflow(int c) override {
    check();
    return c == traits_type::eof() ? c : next_->sputc(static_cast<char>(c));
  }
  int sync() override { return next_->pubsync(); }
  static void check() {
    if (pending_signal != 0) throw Interrupted{pending_signal};
  }

  std::streambuf* next_;
};

// Only new and regular files are written beside their destination; anything else needs no cleaning up, and may block
// for ever, so that signals had better do what they always do.
bool leaves_something_behind(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return path != "-" && (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status));
}

// Gives up when a signal is noted meanwhile.
void write_noting(const std::string& path, const std::function<void(std::ostream&)>& body) {
  write_atomically(path, [&](std::ostream& out) {
    StoppableBuffer buffer(out.rdbuf());
    std::ostream stoppable(&buffer);
    stoppable.exceptions(std::ios::badbit);  // else streams swallow what their buffers throw
    try {
      body(stoppable);
    } catch (const std::ios::failure&) {
      out.setstate(std::ios::badbit);  // write_atomically knows the reason
    }
  });
  if (pending_signal != 0) throw Interrupted{pending_signal};
}

}  // namespace

void write_file(const std::string& path, const std::function<void(std::ostream&)>& body) {
  if (path == "-" && ::isatty(STDOUT_FILENO) == 1) {
    // A terminal obeys escapes, which ids and names of the data may hold: it is shown them instead.
    std::ostringstream shown;
    body(shown);
    return print(shown.str());
  }
  if (!leaves_something_behind(path)) {
    const QuietPipe quiet;
    return write_atomically(path, body);
  }
  pending_signal = 0;
  const EndingSignals noted([](int signal) { pending_signal = signal; });
  write_noting(path, body);
}

void write_text(const std::string& path, const std::string& text) {
  write_file(path, [&](std::ostream& out) { out << text; });
}

void write_data(const Dataset& data, const std::string& path, DataFormat format) {
  write_dataset(data, path, write_file, format);
}

ShardsWritten write_stoppable(const std::function<ShardsWritten(const FileWriter&)>& body) {
  pending_signal = 0;
  const EndingSignals noted([](int signal) { pending_signal = signal; });
  return body(write_noting);
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error)
    throw Error(ErrorCode::io, SourcePosition{.file = path},
                fmt::format("cannot make this folder ({})", error.message()));
  require_writable(path + "/new");
}

void remove_file(const std::string& path) {
  std::error_code ignored;  // a checkpoint that stays is refused or resumed like any other
  if (!path.empty()) std::filesystem::remove(path, ignored);
}

std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t best) {
  std::vector<std::size_t> width;
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == width.size()) width.push_back(0);
      width[c] = std::max(width[c], shown_width(row[c]));
    }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string line = padded_right(rows[r].front(), width.front());
    for (std::size_t c = 1; c < rows[r].size(); ++c) line += "  " + padded_left(rows[r][c], width[c]);
    text += r == 0 ? styled(Style::bold, line) : r == best ? styled(Style::green, line) : line;
    text += '\n';
  }
  return text;
}

std::string without_trailing_blanks(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out.erase(out.find_last_not_of(' ') + 1);
    out += c;
  }
  return out;
}

}  // namespace dorm::cli
