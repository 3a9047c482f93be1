// SPDX-License-Identifier: Apache-2.0
// A block of plain values aligned to cache lines, not initialised: large feature blocks are written once,
// by the thread that fills them.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace dorm {

inline constexpr std::size_t kCacheLine = 64;

template <class T>
class AlignedArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : size_(size) {
    if (size > PTRDIFF_MAX / sizeof(T)) throw std::bad_array_new_length();
    data_.reset(static_cast<T*>(::operator new (size * sizeof(T), std::align_val_t{kCacheLine})));
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::span<const T> span() const { return {data_.get(), size_}; }

 private:
  struct Release {
    void operator()(T* block) const { ::operator delete (block, std::align_val_t{kCacheLine}); }
  };
  std::unique_ptr<T, Release> data_;
  std::size_t size_ = 0;
};

}  // namespace dorm
