// SPDX-License-Identifier: Apache-2.0
// Large arrays straight from the operating system: zero at first, given a page of memory only when touched, and given
// back the moment they are freed. A heap keeps what large vectors leave behind, which would double the peak of a reader
// that turns many small arrays into one large one.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace dorm {

template <class T>
class PageBuffer {
 public:
  PageBuffer() = default;
  explicit PageBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_alloc();
    void* pages = ::mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<T*>(pages);
  }
  PageBuffer(PageBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageBuffer& operator=(PageBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PageBuffer() {
    if (data_ != nullptr) ::munmap(data_, size_ * sizeof(T));
  }

  /// Gives the pages that lie in [first, last) back; what was there becomes 0, or stays.
  void discard(std::size_t first, std::size_t last) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t begin = (first * sizeof(T) + page - 1) / page * page, end = last * sizeof(T) / page * page;
    if (begin < end) ::madvise(reinterpret_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace dorm
