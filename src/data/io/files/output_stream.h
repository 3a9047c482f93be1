// SPDX-License-Identifier: Apache-2.0
// A stream buffer over a file descriptor, compressing on the way when asked to. Errors are kept and thrown by finish(),
// since streams swallow exceptions.
#pragma once

#include <exception>
#include <memory>
#include <streambuf>
#include <string>
#include <string_view>
#include <vector>

#include "data/io/files/decompress.h"

namespace dorm {

/// Where bytes go next.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void finish() = 0;  // writes what is held back; nothing may follow
};

/// Writes to `descriptor`, which stays open; `path` is for messages. Throws Error(io).
std::unique_ptr<ByteSink> open_sink(int descriptor, std::string path, Compression compression);

class SinkBuffer final : public std::streambuf {
 public:
  explicit SinkBuffer(ByteSink& sink);

  /// Writes what is buffered and ends the sink; throws the error that was kept, if any.
  void finish();

 protected:
  int_type overflow(int_type c) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override { return flush() ? 0 : -1; }

 private:
  bool flush();
  bool forward(std::string_view bytes);

  ByteSink& sink_;
  std::vector<char> buffer_;
  std::exception_ptr failure_;
};

}  // namespace dorm
