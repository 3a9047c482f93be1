// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/decompress.h"

#include <fmt/format.h>
#if DORM_LZ4
#include <lz4frame.h>
#endif
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <vector>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1} << 17;

Error damaged(const std::string& path, std::string_view kind, std::string_view reason) {
  return {ErrorCode::bad_input, {path, 0, 0}, fmt::format("damaged {} data: {}", kind, reason)};
}

// The stored bytes, a buffer at a time.
class RawInput {
 public:
  explicit RawInput(InputFile file) : file_(std::move(file)), buffer_(kInputBytes) { refill(); }

  std::string_view bytes() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void skip(std::size_t n) {
    begin_ += n;
    consumed_ += n;
  }
  /// Makes bytes() non-empty unless the file is at its end.
  bool refill() {
    if (begin_ == end_) {
      begin_ = 0;
      end_ = file_.read(buffer_.data(), buffer_.size());
    }
    return begin_ != end_;
  }
  /// When bytes() is empty: what follows, without a copy.
  std::size_t read_past_buffer(char* out, std::size_t capacity) {
    const std::size_t n = file_.read(out, capacity);
    consumed_ += n;
    return n;
  }
  std::uint64_t consumed() const { return consumed_; }
  const std::string& path() const { return file_.path(); }

 private:
  InputFile file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::uint64_t consumed_ = 0;
};

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(RawInput input) : input_(std::move(input)) {}

  std::size_t read(char* out, std::size_t capacity) override {
    const std::string_view bytes = input_.bytes().substr(0, capacity);  // read to find out that it is plain
    std::copy(bytes.begin(), bytes.end(), out);
    input_.skip(bytes.size());
    std::size_t done = bytes.size();
    while (done < capacity) {
      const std::size_t n = input_.read_past_buffer(out + done, capacity - done);
      if (n == 0) break;
      done += n;
    }
    return done;
  }
  std::uint64_t consumed() const override { return input_.consumed(); }

 private:
  RawInput input_;
};

// Any number of gzip members one after another.
class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(RawInput input) : input_(std::move(input)) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { inflateEnd(&stream_); }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;

  std::size_t read(char* out, std::size_t capacity) override {
    std::size_t done = 0;
    while (done < capacity) {
      if (!input_.refill()) {
        if (inside_member_) throw damaged(input_.path(), "gzip", "the file ends early");
        break;
      }
      done += inflate_some(out + done, capacity - done);
    }
    return done;
  }
  std::uint64_t consumed() const override { return input_.consumed(); }

 private:
  std::size_t inflate_some(char* out, std::size_t capacity) {
    const std::string_view bytes = input_.bytes();
    const auto room = static_cast<uInt>(std::min<std::size_t>(capacity, std::size_t{1} << 30));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = room;
    inside_member_ = true;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    input_.skip(bytes.size() - stream_.avail_in);
    if (status == Z_STREAM_END) {
      inside_member_ = false;
      inflateReset(&stream_);
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw damaged(input_.path(), "gzip", stream_.msg != nullptr ? stream_.msg : "not decodable");
    }
    return room - stream_.avail_out;
  }

  RawInput input_;
  z_stream stream_{};
  bool inside_member_ = false;
};

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(RawInput input) : input_(std::move(input)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!context_) throw std::bad_alloc();
  }

  std::size_t read(char* out, std::size_t capacity) override {
    ZSTD_outBuffer output{out, capacity, 0};
    while (output.pos < capacity) {
      // A frame may hold output back although its input is used up.
      if (!input_.refill() && !pending_) {
        if (inside_frame_) throw damaged(input_.path(), "zstd", "the file ends early");
        break;
      }
      const std::string_view bytes = input_.bytes();
      ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
      const std::size_t status = ZSTD_decompressStream(context_.get(), &output, &input);
      if (ZSTD_isError(status) != 0) throw damaged(input_.path(), "zstd", ZSTD_getErrorName(status));
      input_.skip(input.pos);
      inside_frame_ = status != 0;
      pending_ = inside_frame_ && output.pos == capacity;
    }
    return output.pos;
  }
  std::uint64_t consumed() const override { return input_.consumed(); }

 private:
  RawInput input_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  bool inside_frame_ = false;
  bool pending_ = false;
};

#if DORM_LZ4
// Any number of frames one after another.
class Lz4Stream final : public ByteStream {
 public:
  explicit Lz4Stream(RawInput input) : input_(std::move(input)) {
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context_, LZ4F_VERSION)) != 0) throw std::bad_alloc();
  }
  ~Lz4Stream() override { LZ4F_freeDecompressionContext(context_); }
  Lz4Stream(const Lz4Stream&) = delete;
  Lz4Stream& operator=(const Lz4Stream&) = delete;

  std::size_t read(char* out, std::size_t capacity) override {
    std::size_t done = 0;
    while (done < capacity) {
      // A frame may hold output back although its input is used up.
      if (!input_.refill() && !pending_) {
        if (inside_frame_) throw damaged(input_.path(), "lz4", "the file ends early");
        break;
      }
      const std::string_view bytes = input_.bytes();
      std::size_t produced = capacity - done, consumed = bytes.size();
      const std::size_t status = LZ4F_decompress(context_, out + done, &produced, bytes.data(), &consumed, nullptr);
      if (LZ4F_isError(status) != 0) throw damaged(input_.path(), "lz4", LZ4F_getErrorName(status));
      input_.skip(consumed);
      done += produced;
      inside_frame_ = status != 0;
      pending_ = inside_frame_ && produced > 0;
    }
    return done;
  }
  std::uint64_t consumed() const override { return input_.consumed(); }

 private:
  RawInput input_;
  LZ4F_dctx* context_ = nullptr;
  bool inside_frame_ = false;
  bool pending_ = false;
};
#endif

std::unique_ptr<ByteStream> lz4_stream(RawInput input) {
#if DORM_LZ4
  return std::make_unique<Lz4Stream>(std::move(input));
#else
  throw Error(ErrorCode::unsupported, {input.path(), 0, 0},
              "lz4 data, which this build does not read; expected plain text, gzip or zstd, or a build with liblz4");
#endif
}

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return "gzip";
    case Compression::zstd:
      return "zstd";
    case Compression::lz4:
      return "lz4";
    case Compression::none:
      break;
  }
  return "plain";
}

}  // namespace

Compression compression_of_name(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::gzip;
  if (path.ends_with(".zst")) return Compression::zstd;
  if (path.ends_with(".lz4")) return Compression::lz4;
  return Compression::none;
}

Compression compression_of_content(std::string_view head) {
  if (head.starts_with("\x1f\x8b")) return Compression::gzip;
  if (head.starts_with("\x28\xb5\x2f\xfd")) return Compression::zstd;
  if (head.starts_with("\x04\x22\x4d\x18")) return Compression::lz4;
  return Compression::none;
}

std::string_view uncompressed_name(std::string_view path) {
  if (compression_of_name(path) == Compression::none) return path;
  return path.substr(0, path.rfind('.'));
}

bool is_plain(const InputFile& file) {
  char head[4];
  if (!file.regular() || file.size() < sizeof head || compression_of_name(file.path()) != Compression::none)
    return false;
  file.read_at(0, head, sizeof head);
  return compression_of_content({head, sizeof head}) == Compression::none;
}

std::unique_ptr<ByteStream> open_stream(InputFile file) {
  RawInput input(std::move(file));
  const Compression named = compression_of_name(input.path());
  const Compression found = compression_of_content(input.bytes());
  if (named != Compression::none && named != found && !input.bytes().empty())
    throw Error(ErrorCode::bad_input, {input.path(), 0, 0},
                fmt::format("the name promises {} data, but the content is not", name_of(named)));
  if (found == Compression::gzip) return std::make_unique<GzipStream>(std::move(input));
  if (found == Compression::zstd) return std::make_unique<ZstdStream>(std::move(input));
  if (found == Compression::lz4) return lz4_stream(std::move(input));
  return std::make_unique<PlainStream>(std::move(input));
}

}  // namespace dorm
