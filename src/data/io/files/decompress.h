// SPDX-License-Identifier: Apache-2.0
// The bytes of a file, decompressed when it is gzip, zstd or lz4, as a stream in bounded memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "data/io/files/file.h"

namespace dorm {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Fills `out` as far as it can; fewer bytes than `capacity` only at the end.
  virtual std::size_t read(char* out, std::size_t capacity) = 0;
  virtual std::uint64_t consumed() const = 0;  // bytes of the file itself
};

enum class Compression { none, gzip, zstd, lz4 };

/// By the name's ending.
Compression compression_of_name(std::string_view path);
/// By the first bytes of the content.
Compression compression_of_content(std::string_view head);
/// The name without an ending that marks compression.
std::string_view uncompressed_name(std::string_view path);

/// Whether it is a regular file that holds what it says, neither compressed nor promised to be by its name.
bool is_plain(const InputFile& file);

/// Throws Error(bad_input) when the content is not compressed as the name says, Error(unsupported) for lz4 in a build
/// without it; reading throws when the stream is damaged or ends early.
std::unique_ptr<ByteStream> open_stream(InputFile file);

}  // namespace dorm
