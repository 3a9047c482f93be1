// SPDX-License-Identifier: Apache-2.0
// Text in pieces that end at line ends, ready for parsers that look ahead without checking bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace dorm {

/// Memory that stays from chunk to chunk: new memory would have to be cleared, page by page.
class TextBuffer {
 public:
  /// At least `size` bytes, of which the first `kept` are as they were.
  char* grown_to(std::size_t size, std::size_t kept);

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
};

/// Whole lines: `text` ends in '\n' (one is added at the end of the input), and kTextPadding bytes behind
/// it are readable.
struct TextChunk {
  std::string_view text;
  TextBuffer own;                // the text, when it is not a view into the source
  std::uint64_t begin = 0;       // of what is to be loaded, up to done_bytes
  std::uint64_t done_bytes = 0;  // of the input, up to the end of this chunk
};

/// Lines (and records of quoted cells) are held whole, so that there must be a limit: a small compressed file without
/// line ends would fill the memory. Longer ones are an Error(bad_input) with this message.
inline constexpr std::size_t kLongestLine = std::size_t{1} << 26;
std::string line_too_long();

class TextSource {
 public:
  virtual ~TextSource() = default;
  /// The next chunk; false at the end. One caller at a time. Where chunks end depends on the input alone.
  virtual bool next(TextChunk& chunk) = 0;
  /// To be called before the text is used: where next() only says which part of a file is meant, this reads it, and
  /// several threads do so at a time, each its own chunk. Chunks that lie within one long line are empty, never the
  /// first. A chunk that has its text is left as it is.
  virtual void load(TextChunk& chunk) const { static_cast<void>(chunk); }
  virtual std::uint64_t total_bytes() const = 0;  // 0: not known
};

/// A file, streamed: what is read once stays as it was read, whatever becomes of the file.
std::unique_ptr<TextSource> open_text(const std::string& path);
/// Text in memory, which must outlive the source.
std::unique_ptr<TextSource> text_in_memory(std::string_view text);

}  // namespace dorm
