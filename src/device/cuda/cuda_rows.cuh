// SPDX-License-Identifier: Apache-2.0
// Documents on a GPU. The rows of as many queries as fit are held there; those of the others are sent in every call,
// in parts.
#pragma once

#include <mutex>
#include <optional>

#include "device/cuda/gpu.cuh"
#include "device/cuda/memory.cuh"
#include "device/cuda/row_carrier.cuh"
#include "device/cuda_module.h"

namespace dorm::cuda {

class CudaRows final : public RowDevice {
 public:
  CudaRows(int gpu, DeviceDocuments documents, RowSource source, const DeviceLimits& limits);

  DeviceReport report() const override;
  Trouble survey(const RowSurveyor& to, bool& known) override;
  Trouble centred_squares(double& sum) override;
  Trouble scores(std::span<const double> w, std::span<double> out) override;
  std::unique_ptr<ListDevice> make_lists(DeviceLists lists, Trouble& trouble) override;

  // For lists of these documents. Calls that touch the GPU hold this.
  std::mutex& mutex() { return mutex_; }
  void use() const { check(cudaSetDevice(gpu_.number), "the GPU"); }
  const Card& gpu() const { return gpu_; }
  const DeviceDocuments& documents() const { return documents_; }
  std::uint32_t columns() const { return static_cast<std::uint32_t>(documents_.stride() / 4); }
  const std::uint64_t* query_begin() const { return query_begin_.get(); }
  std::size_t resident_queries() const { return plan_.resident_queries; }
  const float* resident_rows() const { return rows_.get(); }
  std::uint64_t part_bytes() const { return plan_.part_bytes; }
  /// The rows of queries that are not held, until the next call; nothing may still be working on those of the last one.
  const float* bring(std::size_t first, std::size_t last);
  /// The last query such that those from `first` on fit a part.
  std::size_t end_of_part(std::size_t first) const;
  /// body(from, to) for parts of queries [first, last), by threads of the host.
  void run_over(std::size_t first, std::size_t last, const std::function<void(std::size_t, std::size_t)>& body) const;
  /// w of a call, padded, on its way.
  const double* put_weights(std::span<const double> w, const Stream& stream);

 private:
  /// What a survey leaves on the GPU until it is told.
  struct Surveyed {
    explicit Surveyed(const DeviceDocuments& documents);
    static std::uint64_t bytes(const DeviceDocuments& documents);
    SurveyView view() const { return {added.get(), crossed.get(), hash.get(), sum.get(), low.get(), high.get()}; }

    Buffer<std::uint64_t> added, crossed, hash;
    Buffer<double> sum;
    Buffer<float> low, high;
  };

  void plan(const DeviceLimits& limits);
  void tell_hashes(const RowSurveyor& to);
  void tell_statistics(const RowSurveyor& to);
  /// body(rows, first query, last query) over what is held, then over parts of the rest.
  template <class Body>
  void visit(const Body& body);

  Card gpu_;
  DeviceDocuments documents_;
  RowSource source_;
  ResidentPlan plan_;
  std::mutex mutex_;
  Stream stream_;
  Buffer<std::uint64_t> query_begin_;
  Buffer<double> shift_, factor_, weights_;
  std::unique_ptr<Pinned<double>> sent_;
  Buffer<float> rows_, part_;
  std::optional<Surveyed> surveyed_;
  std::optional<RowCarrier> carrier_;
};

}  // namespace dorm::cuda
