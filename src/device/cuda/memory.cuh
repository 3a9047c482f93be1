// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU and of the host beside it, and errors of CUDA as exceptions within the module.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace dorm::cuda {

struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // not to be met again
  throw Failure(std::string(what) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")");
}

/// Runs what may fail; what went wrong as text.
template <class Body>
std::string guarded(const Body& body) {
  try {
    body();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "a stream of the GPU"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "work of the GPU"); }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Memory of the GPU.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    const cudaError_t status = cudaMalloc(&data_, count * sizeof(T));
    if (status == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      std::size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw Failure("the GPU is out of memory: " + std::to_string(count * sizeof(T)) + " bytes were asked for, " +
                    std::to_string(free) + " of " + std::to_string(total) + " are free");
    }
    check(status, "memory of the GPU");
  }
  explicit Buffer(std::span<const T> values) : Buffer(values.size()) { put(values); }
  ~Buffer() { cudaFree(data_); }
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* get() const { return data_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  /// There when it returns: a plain copy may leave the last part of its way to the GPU's default stream, for which
  /// other streams do not wait.
  void put(std::span<const T> values) const {
    if (values.empty()) return;
    check(cudaMemcpy(data_, values.data(), values.size_bytes(), cudaMemcpyHostToDevice), "numbers to the GPU");
    check(cudaStreamSynchronize(cudaStreamLegacy), "numbers to the GPU");
  }
  /// Some of them, of pinned memory; there when it returns.
  void put(std::size_t first, const T* values, std::size_t count, const Stream& stream) const {
    if (count > 0)
      check(cudaMemcpyAsync(data_ + first, values, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()),
            "numbers to the GPU");
    stream.wait();
  }
  /// All 0.
  void clear(const Stream& stream) const {
    if (count_ > 0) check(cudaMemsetAsync(data_, 0, bytes(), stream.get()), "memory of the GPU");
    stream.wait();
  }
  /// Those from `first` on, once the work of the stream is done.
  void get(std::size_t first, std::span<T> values, const Stream& stream) const {
    if (!values.empty())
      check(cudaMemcpyAsync(values.data(), data_ + first, values.size_bytes(), cudaMemcpyDeviceToHost, stream.get()),
            "numbers from the GPU");
    stream.wait();
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

/// Memory of the host that the GPU copies from and to without a detour.
template <class T>
class Pinned {
 public:
  Pinned() = default;
  explicit Pinned(std::size_t count) : count_(count) {
    if (count > 0) check(cudaMallocHost(&data_, count * sizeof(T)), "memory of the host for transfers");
  }
  ~Pinned() { cudaFreeHost(data_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  T* get() const { return data_; }
  std::size_t size() const { return count_; }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "an event of the GPU"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(const Stream& stream) const { check(cudaEventRecord(event_, stream.get()), "an event of the GPU"); }
  void wait() const { check(cudaEventSynchronize(event_), "work of the GPU"); }
  /// What comes next on the stream waits for the event.
  void hold(const Stream& stream) const { check(cudaStreamWaitEvent(stream.get(), event_), "an event of the GPU"); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace dorm::cuda
