// SPDX-License-Identifier: Apache-2.0
// Text for a reader that takes one line after the other: while it parses a chunk, another thread reads and
// decompresses the next one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>

#include "data/io/files/text_source.h"

namespace dorm {

class ReadAhead final : public TextSource {
 public:
  /// `source` is used by this alone. Reads ahead where `threads` allow it, and only what is large enough.
  ReadAhead(TextSource& source, std::size_t threads);
  ~ReadAhead() override;
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  bool next(TextChunk& chunk) override;
  std::uint64_t total_bytes() const override { return source_.total_bytes(); }

 private:
  enum class State { empty, full, ended };

  void fill();  // what the other thread does

  TextSource& source_;
  std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::empty;  // of ahead_
  bool stopped_ = false;
  TextChunk ahead_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace dorm
