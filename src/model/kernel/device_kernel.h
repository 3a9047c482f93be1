// SPDX-License-Identifier: Apache-2.0
// A kernel, or features that approximate one, on a device: documents become rows of float32 and codes, as each part of
// the kernel sees them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/parallel.h"
#include "device/kernel_device.h"
#include "dorm/base/compute.h"
#include "model/kernel/equal_codes.h"

namespace dorm {

class DeviceKernel {
 public:
  /// What is made of the values; see KernelNumbers.
  struct Answer {
    std::vector<double> triangle = {}, coefficients = {};
    std::size_t height = KernelNumbers{}.height;
  };

  /// Values against the documents of `right`. Throws Error(unsupported) for a kernel that is not written as parts (a
  /// function, a Gram matrix), and as make_kernel_device() does.
  DeviceKernel(const Kernel& kernel, const Documents& right, const ComputeOptions& place, Answer answer);
  /// Waves of features as they are.
  DeviceKernel(KernelNumbers waves, const ComputeOptions& place);

  /// Writes values [first, last) of document rows[i] to place(i), which is asked by several threads. Calls may come
  /// from any thread, and are answered one after the other.
  void values(const Documents& left, std::span<const std::uint32_t> rows, std::size_t first, std::size_t last,
              const std::function<float*(std::size_t i)>& place) const;
  std::vector<double> scores(const Documents& left) const;

  std::size_t width() const { return width_; }  // values of a document

 private:
  /// body(begin, end) for all of [0, count), by several threads where they hold `worth` numbers or more. With the mutex
  /// held, or while this is made.
  void in_pieces(std::size_t count, std::size_t numbers_of_each, std::size_t worth,
                 const std::function<void(std::size_t begin, std::size_t end)>& body) const;
  bool fill(const Documents& left, std::span<const std::uint32_t> rows, float* values, std::uint32_t* codes) const;

  std::vector<Part> parts_;        // those that compare numbers, in the order of their columns
  std::vector<EqualCodes> equal_;  // the others, in the order of their codes
  std::size_t columns_, width_;
  std::unique_ptr<KernelDevice> device_;
  mutable std::mutex mutex_;
  mutable ThreadPool pool_;  // packs and copies; kept, since there are many parts and little to do for each
};

/// Columns of the kernel for the documents of `right`, at that place. On a device rows are made whole.
std::unique_ptr<const KernelColumns> columns_at(const ComputeOptions& place, const Kernel& kernel,
                                                const Documents& right);

}  // namespace dorm
