// SPDX-License-Identifier: Apache-2.0
#include "data/io/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/number.h"
#include "data/io/decompress.h"
#include "data/io/file.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// Small enough to be shared among threads, large enough that a huge file does not make too many chunks.
std::size_t chunk_size_for(std::uint64_t total) {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(total / 128, 1 << 18, 1 << 22));
}

// Ends `bytes` in a line end and gives it its padding.
void own(TextChunk& chunk, std::vector<char> bytes) {
  if (bytes.back() != '\n') bytes.push_back('\n');
  const std::size_t size = bytes.size();
  bytes.resize(size + kTextPadding, '\0');
  chunk.owned = std::move(bytes);
  chunk.text = {chunk.owned.data(), size};
}

// Views into one piece of memory; only the last chunk, which lacks padding, is copied.
class MemoryText final : public TextSource {
 public:
  explicit MemoryText(std::string_view text) : text_(text), chunk_size_(chunk_size_for(text.size())) {}

  bool next(TextChunk& chunk) override {
    if (begin_ == text_.size()) return false;
    const std::size_t begin = begin_;
    std::size_t end = text_.size();
    if (end - begin > chunk_size_) {
      const std::size_t newline = text_.find('\n', begin + chunk_size_);
      if (newline < end - kTextPadding - 1) end = newline + 1;
    }
    chunk.owned.clear();
    if (end == text_.size())
      own(chunk, {text_.begin() + static_cast<std::ptrdiff_t>(begin), text_.end()});
    else
      chunk.text = text_.substr(begin, end - begin);
    begin_ = end;
    chunk.done_bytes = end;
    return true;
  }
  std::uint64_t total_bytes() const override { return text_.size(); }

 private:
  std::string_view text_;
  std::size_t chunk_size_;
  std::size_t begin_ = 0;
};

class StreamText final : public TextSource {
 public:
  StreamText(InputFile file, std::string name)
      : name_(std::move(name)),
        total_(file.size()),
        chunk_size_(chunk_size_for(total_)),
        stream_(open_stream(std::move(file))) {}

  bool next(TextChunk& chunk) override {
    std::vector<char> bytes = std::move(rest_);
    rest_.clear();
    std::size_t searched = 0;
    std::size_t end = 0;  // past the last line end
    while (!finished_ && end == 0) {
      searched = bytes.size();
      if (searched > kLongestLine) throw Error(ErrorCode::bad_input, {name_, 0, 0}, line_too_long());
      bytes.resize(searched + chunk_size_);
      const std::size_t n = stream_->read(bytes.data() + searched, chunk_size_);
      bytes.resize(searched + n);
      finished_ = n < chunk_size_;
      const void* newline = n == 0 ? nullptr : ::memrchr(bytes.data() + searched, '\n', n);
      if (newline != nullptr) end = static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data()) + 1;
    }
    if (!finished_) {
      rest_.assign(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.end());
      bytes.resize(end);
    }
    if (bytes.empty()) return false;
    own(chunk, std::move(bytes));
    chunk.done_bytes = stream_->consumed();
    return true;
  }
  std::uint64_t total_bytes() const override { return total_; }

 private:
  std::string name_;
  std::uint64_t total_;
  std::size_t chunk_size_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> rest_;
  bool finished_ = false;
};

}  // namespace

std::string line_too_long() {
  return fmt::format("found a line of more than {} MiB; expected text in shorter lines", kLongestLine >> 20);
}

std::unique_ptr<TextSource> open_text(const std::string& path) {
  return std::make_unique<StreamText>(InputFile(path), path);
}

std::unique_ptr<TextSource> text_in_memory(std::string_view text) { return std::make_unique<MemoryText>(text); }

}  // namespace dorm
