// SPDX-License-Identifier: Apache-2.0
// Text in pieces that end at line ends, ready for parsers that look ahead without checking bounds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dorm {

/// Whole lines: `text` ends in '\n' (one is added at the end of the input), and kTextPadding bytes behind
/// it are readable.
struct TextChunk {
  std::string_view text;
  std::vector<char> owned;       // the text, when it is not a view into the source
  std::uint64_t done_bytes = 0;  // of the input, up to the end of this chunk
};

class TextSource {
 public:
  virtual ~TextSource() = default;
  /// The next chunk, never empty; false at the end. Where chunks end depends on the input alone.
  virtual bool next(TextChunk& chunk) = 0;
  /// The text of `chunk` is not needed any more. May be called from any thread.
  virtual void release(const TextChunk&) {}
  virtual std::uint64_t total_bytes() const = 0;  // 0: not known
};

/// A file, mapped when it is plain and regular, else streamed.
std::unique_ptr<TextSource> open_text(const std::string& path);
/// Text in memory, which must outlive the source.
std::unique_ptr<TextSource> text_in_memory(std::string_view text);

}  // namespace dorm
