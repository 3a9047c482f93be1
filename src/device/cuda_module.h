// SPDX-License-Identifier: Apache-2.0
// What the modules dorm_cuda.so and dorm_cublas.so offer, got by their functions dorm_cuda_module() and
// dorm_cublas_module(). Nothing here throws across their border.
#pragma once

#include <string>

#include "device/kernel_device.h"
#include "device/list_device.h"

namespace dorm {

struct CudaModule {
  /// Makes a GPU ready; what goes wrong is said by the calls that need it.
  void (*wake)(int gpu);
  /// Null where `trouble` says why.
  std::unique_ptr<RowDevice> (*make_rows)(int gpu, DeviceDocuments documents, RowSource source,
                                          const DeviceLimits& limits, std::string& trouble);
};

/// A module of its own: the library that it stands on is many times as large as all of this.
struct CublasModule {
  /// Null where `trouble` says why.
  std::unique_ptr<KernelDevice> (*make_kernel)(int gpu, KernelNumbers numbers, const DeviceLimits& limits,
                                               std::string& trouble);
};

/// What stands in the way of using a GPU: the version of CUDA that the driver supports (13000: 13.0; 0: there is no
/// driver), that of the runtime of this build, the number of GPUs, the GPU asked for, and what CUDA_VISIBLE_DEVICES
/// says (empty: nothing). Empty where nothing does.
std::string cuda_trouble(int driver, int runtime, int gpus, int asked, const std::string& visible);

/// What a device of so many bytes holds.
struct ResidentPlan {
  std::size_t resident_queries = 0;  // the first so many; the rows of the others are sent in every call, in parts
  std::uint64_t part_bytes = 0;      // of the buffer for those; 0: all are resident
  std::string trouble;               // too little memory, with sizes
};
/// `numbers`: bytes that are needed beside rows. Parts are of whole pieces (list_device.h).
ResidentPlan plan_memory(const DeviceDocuments& documents, std::uint64_t numbers, std::uint64_t available,
                         const std::string& device);

/// Left-hand documents that are taken at a time, so that all fits.
struct KernelPlan {
  std::size_t height = 0;
  std::uint64_t bytes = 0;  // of all
  std::string trouble;      // too little memory, with sizes
};
KernelPlan plan_kernel(const KernelNumbers& numbers, std::uint64_t available, const std::string& device);

}  // namespace dorm
