// SPDX-License-Identifier: Apache-2.0
// Devices by name.
#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/module.h"
#include "device/cuda_module.h"
#include "device/host_kernel.h"
#include "device/host_rows.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr Module kCudaModule = {"dorm_cuda.so", "DORM_CUDA_MODULE", "dorm_cuda_module"};
constexpr Module kCublasModule = {"dorm_cublas.so", "DORM_CUBLAS_MODULE", "dorm_cublas_module"};

/// N of "cuda:N", 0 of "cuda"; nothing for another name.
std::optional<int> gpu_of(const std::string& name) {
  constexpr std::string_view kCuda = "cuda";
  if (name == kCuda) return 0;
  if (!name.starts_with("cuda:")) return std::nullopt;
  int gpu = -1;
  const char *const first = name.data() + kCuda.size() + 1, *const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(first, last, gpu);
  if (error != std::errc() || end != last || gpu < 0 || first == last) return std::nullopt;
  return gpu;
}

const void* offer_of(const Module& module, const LoadedModule& loaded) {
  if (loaded.offer == nullptr)
    throw Error(ErrorCode::unsupported,
                fmt::format("the device cuda needs its module, {}, and {}; install the CUDA toolkit, configure with "
                            "-DDORM_CUDA=ON and build again (docs/gpu.md), or take the device cpu",
                            module.file, loaded.why_not));
  return loaded.offer;
}

const CudaModule& cuda_module() {
  static const LoadedModule once = load_module(kCudaModule);
  return *static_cast<const CudaModule*>(offer_of(kCudaModule, once));
}

const CublasModule& cublas_module() {
  static const LoadedModule once = load_module(kCublasModule);
  return *static_cast<const CublasModule*>(offer_of(kCublasModule, once));
}

/// Throws for a name that is not that of a GPU.
int require_gpu(const std::string& name) {
  check_device_name(name);
  const std::optional<int> gpu = gpu_of(name);
  if (!gpu) throw Error(ErrorCode::bad_option, "the device cpu holds no documents; expected host or cuda");
  return *gpu;
}

}  // namespace

void require_no_trouble(const std::string& trouble) {
  if (!trouble.empty()) throw Error(ErrorCode::unsupported, trouble);
}

void check_device_name(const std::string& name) {
  if (name != "cpu" && !gpu_of(name))
    throw Error(ErrorCode::bad_option, fmt::format("device \"{}\"; expected cpu, cuda or cuda:N (N: 0, 1 ...)", name));
}

WakingDevice::WakingDevice(const std::string& name) {
  if (const std::optional<int> gpu = gpu_of(name))
    thread_ = std::thread([wake = cuda_module().wake, gpu = *gpu] { wake(gpu); });
}

WakingDevice::~WakingDevice() {
  if (thread_.joinable()) thread_.join();
}

std::unique_ptr<RowDevice> make_row_device(const std::string& name, DeviceDocuments documents, RowSource source,
                                           const DeviceLimits& limits) {
  std::string trouble;
  std::unique_ptr<RowDevice> made;
  if (name == "host") {
    made = make_host_rows(std::move(documents), std::move(source), trouble);
  } else {
    const int gpu = require_gpu(name);
    made = cuda_module().make_rows(gpu, std::move(documents), std::move(source), limits, trouble);
  }
  require_no_trouble(trouble);
  return made;
}

std::unique_ptr<KernelDevice> make_kernel_device(const std::string& name, KernelNumbers numbers,
                                                 const DeviceLimits& limits) {
  if (name == "host") return make_host_kernel(std::move(numbers), limits);
  const int gpu = require_gpu(name);
  std::string trouble;
  std::unique_ptr<KernelDevice> made = cublas_module().make_kernel(gpu, std::move(numbers), limits, trouble);
  require_no_trouble(trouble);
  return made;
}

}  // namespace dorm
