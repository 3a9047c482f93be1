// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 of any version, without a GPU: what the CUDA runtime asks of a driver before it looks for GPUs. It
// can show none: a runtime uses GPUs only of a driver that proves to be NVIDIA's. What comes after is tested with a
// stand-in for the runtime (stand_in_runtime.cpp).
//
//   DORM_STAND_IN_VERSION=12040   supports CUDA 12.4; default: 13.0
#include <cuda.h>

#include <cstring>

#include "stand_in.h"

// The header redirects these names to the version that a program compiles against.
#undef cuGetProcAddress

namespace {

CUresult not_here() { return CUDA_ERROR_NOT_SUPPORTED; }

}  // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_ERROR_NO_DEVICE; }

CUresult cuDriverGetVersion(int* version) {
  *version = dorm::test::driver_version();
  return CUDA_SUCCESS;
}

CUresult cuGetExportTable(const void**, const CUuuid*) { return CUDA_ERROR_NOT_SUPPORTED; }

/// What is not below is there as well, and refuses.
CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* found) {
  if (found != nullptr) *found = CU_GET_PROC_ADDRESS_SUCCESS;
  if (std::strcmp(symbol, "cuInit") == 0)
    *function = reinterpret_cast<void*>(&cuInit);
  else if (std::strcmp(symbol, "cuDriverGetVersion") == 0)
    *function = reinterpret_cast<void*>(&cuDriverGetVersion);
  else if (std::strcmp(symbol, "cuGetExportTable") == 0)
    *function = reinterpret_cast<void*>(&cuGetExportTable);
  else if (std::strcmp(symbol, "cuGetProcAddress") == 0)
    *function = reinterpret_cast<void*>(&cuGetProcAddress_v2);
  else
    *function = reinterpret_cast<void*>(&not_here);
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // extern "C"
