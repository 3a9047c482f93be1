// SPDX-License-Identifier: Apache-2.0
// Rows on their way to a GPU: several threads of the host fill buffers, two each, of which one is filled while the
// other travels; what has arrived is scaled there.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/staging.cuh"
#include "device/row_device.h"

namespace dorm::cuda {

/// Where a survey of rows is left, on the GPU.
struct SurveyView {
  const std::uint64_t *added, *crossed;  // by feature
  std::uint64_t* hash;                   // by document
  double* sum;                           // by query and feature, like the next two
  float *low, *high;
};

class RowCarrier {
 public:
  /// Borrows the documents. `GPU`: that of the calling thread. `query_begin`, `shift` and `factor` lie on it.
  RowCarrier(int gpu, const DeviceDocuments& documents, const RowSource& source, const std::uint64_t* query_begin,
             const double* shift, const double* factor);
  ~RowCarrier();

  /// Rows of queries [first, last) to `target`, scaled; they are there when it returns. What `survey` asks for, if
  /// anything, is found out before.
  void send(std::size_t first, std::size_t last, float* target, const SurveyView* survey = nullptr);

 private:
  struct Lane {
    Stream stream;
    std::array<Event, 2> travelled;
    float* staging = nullptr;
    int next = 0;
  };

  void carry(Lane& lane, std::size_t first, std::size_t last, float* target, const SurveyView* survey);
  void scale(const Lane& lane, std::size_t first, std::size_t last, float* rows, const SurveyView* survey) const;

  int gpu_;
  const DeviceDocuments& documents_;
  const RowSource& source_;
  const std::uint64_t* query_begin_;
  const double *shift_, *factor_;
  std::size_t room_;  // bytes of a buffer
  std::optional<Staging<float>> staging_;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

}  // namespace dorm::cuda
