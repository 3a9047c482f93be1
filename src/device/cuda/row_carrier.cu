// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device/cuda/row_carrier.cuh"
#include "device/cuda/row_kernels.cuh"

namespace dorm::cuda {
namespace {

/// Large enough that copies are few: threads that ask for them wait for each other.
constexpr std::size_t kBufferBytes = std::size_t{2} << 20;

}  // namespace

RowCarrier::RowCarrier(int gpu, const DeviceDocuments& documents, const RowSource& source,
                       const std::uint64_t* query_begin, const double* shift, const double* factor)
    : gpu_(gpu),
      documents_(documents),
      source_(source),
      query_begin_(query_begin),
      shift_(shift),
      factor_(factor),
      room_(std::max(kBufferBytes, documents.longest() * documents.stride() * sizeof(float))) {
  const std::size_t lanes = std::clamp<std::size_t>(kStagingBytes / (2 * room_), 1, source_.workers);
  staging_.emplace(lanes * 2 * room_ / sizeof(float));
  for (std::size_t k = 0; k < lanes; ++k) {
    lanes_.push_back(std::make_unique<Lane>());
    lanes_.back()->staging = staging_->get() + k * 2 * (room_ / sizeof(float));
  }
}

RowCarrier::~RowCarrier() {
  for (const auto& lane : lanes_) cudaStreamSynchronize(lane->stream.get());
}

void RowCarrier::send(std::size_t first, std::size_t last, float* target, const SurveyView* survey) {
  const auto begin = [&](std::size_t lane) { return first + (last - first) * lane / lanes_.size(); };
  std::mutex mutex;
  std::string trouble;  // of any of the threads
  source_.run(lanes_.size(), [&](std::size_t k, std::size_t) {
    try {
      check(cudaSetDevice(gpu_), "the GPU");
      carry(*lanes_[k], begin(k), begin(k + 1), target + documents_.bytes(first, begin(k)) / sizeof(float), survey);
      lanes_[k]->stream.wait();
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex);
      trouble = error.what();
    }
  });
  if (!trouble.empty()) throw Failure(trouble);
}

void RowCarrier::carry(Lane& lane, std::size_t first, std::size_t last, float* target, const SurveyView* survey) {
  for (std::size_t q = first, end = first; q < last; q = end) {
    while (end < last && documents_.bytes(q, end + 1) <= room_) ++end;
    float* const buffer = lane.staging + static_cast<std::size_t>(lane.next) * (room_ / sizeof(float));
    lane.travelled[lane.next].wait();
    if (!source_.fill(q, end, false, buffer)) throw Failure("the rows of the documents could not be read");
    const std::uint64_t bytes = documents_.bytes(q, end);
    if (bytes > 0) {
      check(cudaMemcpyAsync(target, buffer, bytes, cudaMemcpyHostToDevice, lane.stream.get()), "rows to the GPU");
      lane.travelled[lane.next].record(lane.stream);
      scale(lane, q, end, target, survey);
    }
    lane.next = 1 - lane.next;
    target += bytes / sizeof(float);
  }
}

void RowCarrier::scale(const Lane& lane, std::size_t first, std::size_t last, float* rows,
                       const SurveyView* survey) const {
  constexpr unsigned kWarp = 32, kMostThreads = 256;
  const auto features = static_cast<std::uint32_t>(documents_.features);
  const unsigned threads = std::min((features + kWarp - 1) / kWarp * kWarp, kMostThreads);
  const auto blocks = static_cast<unsigned>(last - first);
  const QueryRows queries{rows, static_cast<std::uint32_t>(documents_.stride()), features, query_begin_ + first};
  if (survey) survey_queries<<<blocks, threads, 0, lane.stream.get()>>>(queries, first, *survey);
  if (documents_.scaling.kind != RowScaling::Kind::none)
    scale_queries<<<blocks, threads, 0, lane.stream.get()>>>(queries, documents_.scaling.kind, shift_, factor_);
  check(cudaGetLastError(), "a kernel");
}

}  // namespace dorm::cuda
