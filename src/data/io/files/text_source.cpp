// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/text_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/number.h"
#include "data/io/files/decompress.h"
#include "data/io/files/file.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// Small enough to be shared among threads, large enough that a huge file does not make too many chunks.
std::size_t chunk_size_for(std::uint64_t total) {
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(total / 128, 1 << 18, 1 << 22));
}

// The first `size` bytes of the chunk's own memory, from `first` on, ended by a line end and with their padding.
void finish(TextChunk& chunk, std::size_t first, std::size_t size) {
  char* const bytes = chunk.own.grown_to(size + 1 + kTextPadding, size);
  if (bytes[size - 1] != '\n') bytes[size++] = '\n';
  std::memset(bytes + size, 0, kTextPadding);
  chunk.text = {bytes + first, size - first};
}

std::size_t past_line_end(const void* newline, const char* bytes) {
  return static_cast<std::size_t>(static_cast<const char*>(newline) - bytes) + 1;
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
    chunk.text = text_.substr(begin, end - begin);
    if (end == text_.size()) {
      char* const copy = chunk.own.grown_to(chunk.text.size() + 1 + kTextPadding, 0);
      std::memcpy(copy, chunk.text.data(), chunk.text.size());
      finish(chunk, 0, chunk.text.size());
    }
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

// Parts of a plain file, which whoever wants them reads. A line belongs to the part it begins in.
class FileText final : public TextSource {
 public:
  explicit FileText(InputFile file) : file_(std::move(file)), chunk_size_(chunk_size_for(file_.size())) {}

  bool next(TextChunk& chunk) override {
    if (begin_ == file_.size()) return false;
    chunk.text = {};
    chunk.begin = begin_;
    chunk.done_bytes = begin_ = std::min(file_.size(), begin_ + chunk_size_);
    return true;
  }

  void load(TextChunk& chunk) const override {
    if (!chunk.text.empty()) return;
    const std::uint64_t from = chunk.begin == 0 ? 0 : chunk.begin - 1;  // the byte before says whether a line begins
    const auto size = static_cast<std::size_t>(chunk.done_bytes - from);
    char* const bytes = chunk.own.grown_to(size + kReadOn, 0);
    file_.read_at(from, bytes, size);
    std::size_t first = 0;
    if (from != chunk.begin) {
      const void* newline = std::memchr(bytes, '\n', size - 1);
      if (newline == nullptr) return;
      first = past_line_end(newline, bytes);
    }
    finish(chunk, first, bytes[size - 1] == '\n' ? size : read_on(chunk, from, first, size));
  }

  std::uint64_t total_bytes() const override { return file_.size(); }

 private:
  static constexpr std::size_t kReadOn = std::size_t{1} << 14;

  // Reads until the last line is whole; the size of the text then.
  std::size_t read_on(TextChunk& chunk, std::uint64_t from, std::size_t first, std::size_t size) const {
    char* bytes = chunk.own.grown_to(size, size);
    const void* last = ::memrchr(bytes + first, '\n', size - first);
    const std::size_t line = last == nullptr ? first : past_line_end(last, bytes);
    while (from + size < file_.size()) {
      if (size - line > kLongestLine) throw Error(ErrorCode::bad_input, {file_.path(), 0, 0}, line_too_long());
      const auto more =
          static_cast<std::size_t>(std::min<std::uint64_t>(std::max(kReadOn, size - line), file_.size() - from - size));
      bytes = chunk.own.grown_to(size + more, size);
      file_.read_at(from + size, bytes + size, more);
      const void* newline = std::memchr(bytes + size, '\n', more);
      if (newline != nullptr) return past_line_end(newline, bytes);
      size += more;
    }
    return size;
  }

  InputFile file_;
  std::size_t chunk_size_;
  std::uint64_t begin_ = 0;
};

class StreamText final : public TextSource {
 public:
  StreamText(InputFile file, std::string name)
      : name_(std::move(name)),
        total_(file.size()),
        chunk_size_(chunk_size_for(total_)),
        stream_(open_stream(std::move(file))) {}

  bool next(TextChunk& chunk) override {
    std::size_t size = rest_.size();
    char* bytes = chunk.own.grown_to(size + chunk_size_ + 1 + kTextPadding, 0);
    std::copy(rest_.begin(), rest_.end(), bytes);
    rest_.clear();
    std::size_t end = 0;  // past the last line end
    while (!finished_ && end == 0) {
      if (size > kLongestLine) throw Error(ErrorCode::bad_input, {name_, 0, 0}, line_too_long());
      bytes = chunk.own.grown_to(size + chunk_size_, size);
      const std::size_t n = stream_->read(bytes + size, chunk_size_);
      finished_ = n < chunk_size_;
      const void* newline = n == 0 ? nullptr : ::memrchr(bytes + size, '\n', n);
      if (newline != nullptr) end = past_line_end(newline, bytes);
      size += n;
    }
    if (!finished_) {
      rest_.assign(bytes + end, bytes + size);
      size = end;
    }
    if (size == 0) return false;
    finish(chunk, 0, size);
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

char* TextBuffer::grown_to(std::size_t size, std::size_t kept) {
  if (size > capacity_) {
    auto larger = std::make_unique_for_overwrite<char[]>(size + size / 8);
    if (kept != 0) std::memcpy(larger.get(), bytes_.get(), kept);
    bytes_ = std::move(larger);
    capacity_ = size + size / 8;
  }
  return bytes_.get();
}

std::unique_ptr<TextSource> open_text(const std::string& path) {
  InputFile file(path);
  if (is_plain(file)) return std::make_unique<FileText>(std::move(file));
  return std::make_unique<StreamText>(std::move(file), path);
}

std::unique_ptr<TextSource> text_in_memory(std::string_view text) { return std::make_unique<MemoryText>(text); }

}  // namespace dorm
