// SPDX-License-Identifier: Apache-2.0
// What the modules dorm_cuda.so and dorm_cublas.so offer, got by their functions dorm_cuda_module() and
// dorm_cublas_module(). Nothing here throws across their border.
#pragma once

#include <string>

#include "base/device/kernel_device.h"

namespace dorm {

struct CudaModule {
  /// Makes a card ready; what goes wrong is said by the calls that need it.
  void (*wake)(int card);
  /// Null where `trouble` says why.
  std::unique_ptr<ListDevice> (*make_lists)(int card, DeviceLists lists, const FillRows& fill,
                                            const DeviceLimits& limits, std::string& trouble);
};

/// A module of its own: the library that it stands on is many times as large as all of this.
struct CublasModule {
  /// Null where `trouble` says why.
  std::unique_ptr<KernelDevice> (*make_kernel)(int card, KernelNumbers numbers, const DeviceLimits& limits,
                                               std::string& trouble);
};

/// What stands in the way of using a card: the version of CUDA that the driver supports (13000: 13.0; 0: there is no
/// driver), that of the runtime of this build, the number of cards, the card asked for, and what CUDA_VISIBLE_DEVICES
/// says (empty: nothing). Empty where nothing does.
std::string cuda_trouble(int driver, int runtime, int cards, int asked, const std::string& visible);

/// Lists whose rows a device of so many bytes holds, and those that are sent in every call, in parts.
struct ResidentPlan {
  std::size_t resident_pieces = 0;  // the first so many
  std::uint64_t part_bytes = 0;     // of the buffer for the rest; 0: all are resident
  std::string trouble;              // too little memory, with sizes
};
/// `numbers`: bytes that are needed beside rows.
ResidentPlan plan_memory(const DeviceLists& lists, std::uint64_t numbers, std::uint64_t available,
                         const std::string& device);

/// Bytes of the rows of pieces [first, last).
std::uint64_t row_bytes(const DeviceLists& lists, std::size_t first, std::size_t last);

/// The last piece behind `first` such that their rows fit `bytes`; at least one.
std::size_t pieces_that_fit(const DeviceLists& lists, std::size_t first, std::uint64_t bytes);

/// Left-hand documents that are taken at a time, so that all fits.
struct KernelPlan {
  std::size_t height = 0;
  std::uint64_t bytes = 0;  // of all
  std::string trouble;      // too little memory, with sizes
};
KernelPlan plan_kernel(const KernelNumbers& numbers, std::uint64_t available, const std::string& device);

}  // namespace dorm
