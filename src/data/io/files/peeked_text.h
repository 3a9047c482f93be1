// SPDX-License-Identifier: Apache-2.0
// A source whose first chunk has been looked at.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "data/io/files/text_source.h"

namespace dorm {

class PeekedText final : public TextSource {
 public:
  explicit PeekedText(std::unique_ptr<TextSource> source) : source_(std::move(source)) {
    has_first_ = source_->next(first_);
    if (has_first_) source_->load(first_);
  }

  /// Valid before the first call of next().
  std::string_view first() const { return has_first_ ? first_.text : std::string_view(); }

  bool next(TextChunk& chunk) override {
    if (!has_first_) return source_->next(chunk);
    chunk = std::move(first_);
    has_first_ = false;
    return true;
  }
  void load(TextChunk& chunk) const override { source_->load(chunk); }
  std::uint64_t total_bytes() const override { return source_->total_bytes(); }

 private:
  std::unique_ptr<TextSource> source_;
  TextChunk first_;
  bool has_first_ = false;
};

}  // namespace dorm
