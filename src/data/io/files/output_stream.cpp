// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/output_stream.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16;

class FileSink final : public ByteSink {
 public:
  FileSink(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

  void write(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
      if (n >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(n));
      } else if (errno != EINTR) {
        throw Error(ErrorCode::io, {path_, 0, 0},
                    fmt::format("cannot write: {}", std::generic_category().message(errno)));
      }
    }
  }
  void finish() override {}

 private:
  int descriptor_;
  std::string path_;
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> next) : next_(std::move(next)), buffer_(kBufferBytes) {
    constexpr int kGzip = 16, kMemory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemory, Z_DEFAULT_STRATEGY) !=
        Z_OK)
      throw std::bad_alloc();
  }
  ~GzipSink() override { deflateEnd(&stream_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  void write(std::string_view bytes) override {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kBufferBytes)))
      deflate_all(bytes.substr(0, kBufferBytes), Z_NO_FLUSH);
  }
  void finish() override {
    deflate_all({}, Z_FINISH);
    next_->finish();
  }

 private:
  void deflate_all(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer_.data());
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      deflate(&stream_, flush);
      next_->write({buffer_.data(), buffer_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> next_;
  std::vector<char> buffer_;
  z_stream stream_{};
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> next)
      : next_(std::move(next)), context_(ZSTD_createCCtx(), ZSTD_freeCCtx), buffer_(kBufferBytes) {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view bytes) override { compress(bytes, ZSTD_e_continue); }
  void finish() override {
    compress({}, ZSTD_e_end);
    next_->finish();
  }

 private:
  void compress(std::string_view bytes, ZSTD_EndDirective mode) {
    ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
    for (bool done = false; !done;) {
      ZSTD_outBuffer output{buffer_.data(), buffer_.size(), 0};
      const std::size_t left = ZSTD_compressStream2(context_.get(), &output, &input, mode);
      if (ZSTD_isError(left) != 0) throw Error(ErrorCode::internal, ZSTD_getErrorName(left));
      next_->write({buffer_.data(), output.pos});
      done = mode == ZSTD_e_end ? left == 0 : input.pos == input.size;
    }
  }

  std::unique_ptr<ByteSink> next_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_;
  std::vector<char> buffer_;
};

}  // namespace

std::unique_ptr<ByteSink> open_sink(int descriptor, std::string path, Compression compression) {
  if (compression == Compression::lz4)
    throw Error(ErrorCode::unsupported, {path, 0, 0}, "lz4 is read, and not written; expected .gz, .zst or no ending");
  auto file = std::make_unique<FileSink>(descriptor, std::move(path));
  if (compression == Compression::gzip) return std::make_unique<GzipSink>(std::move(file));
  if (compression == Compression::zstd) return std::make_unique<ZstdSink>(std::move(file));
  return file;
}

SinkBuffer::SinkBuffer(ByteSink& sink) : sink_(sink), buffer_(kBufferBytes) {
  setp(buffer_.data(), buffer_.data() + buffer_.size());
}

void SinkBuffer::finish() {
  flush();
  if (failure_) std::rethrow_exception(failure_);
  sink_.finish();
}

SinkBuffer::int_type SinkBuffer::overflow(int_type c) {
  if (!flush()) return traits_type::eof();
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  return sputc(traits_type::to_char_type(c));
}

std::streamsize SinkBuffer::xsputn(const char* text, std::streamsize size) {
  if (size == 0) return 0;  // an empty array may have no address
  if (size > epptr() - pptr()) {
    if (!flush()) return 0;
    if (size >= static_cast<std::streamsize>(buffer_.size()))
      return forward({text, static_cast<std::size_t>(size)}) ? size : 0;
  }
  std::memcpy(pptr(), text, static_cast<std::size_t>(size));
  pbump(static_cast<int>(size));
  return size;
}

bool SinkBuffer::flush() {
  const bool ok = forward({pbase(), static_cast<std::size_t>(pptr() - pbase())});
  setp(buffer_.data(), buffer_.data() + buffer_.size());
  return ok;
}

bool SinkBuffer::forward(std::string_view bytes) {
  if (failure_) return false;
  try {
    sink_.write(bytes);
  } catch (...) {
    failure_ = std::current_exception();
  }
  return !failure_;
}

}  // namespace dorm
