// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "base/device/cuda/cuda_rows.cuh"
#include "base/device/cuda/row_kernels.cuh"

namespace dorm::cuda {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{64} << 20;

/// Bytes that are needed beside rows, lists included.
std::uint64_t bytes_of_numbers(const DeviceDocuments& documents) {
  constexpr std::uint64_t kPerDocument = 8 + 16 + 12, kPerQuery = 64, kMostGroups = 1024;
  const std::uint64_t pieces = documents.num_documents() / (kDocumentsOfPiece / 2) + kMostGroups;
  return documents.num_documents() * kPerDocument + documents.num_queries() * kPerQuery +
         pieces * (documents.features + 2) * sizeof(double);
}

std::unique_ptr<RowDevice> make_cuda_rows(int card, DeviceDocuments documents, RowSource source,
                                          const DeviceLimits& limits, std::string& trouble) {
  std::unique_ptr<RowDevice> made;
  trouble = guarded([&] { made = std::make_unique<CudaRows>(card, std::move(documents), std::move(source), limits); });
  return made;
}

void wake(int card) {
  guarded([&] {
    use_card(card);
    check(cudaFree(nullptr), "the card");
    give_staging(take_staging(0));
  });
}

constexpr CudaModule kModule = {wake, make_cuda_rows};

}  // namespace

CudaRows::CudaRows(int card, DeviceDocuments documents, RowSource source, const DeviceLimits& limits)
    : card_(use_card(card)),
      documents_(std::move(documents)),
      source_(std::move(source)),
      query_begin_(std::span<const std::uint64_t>(documents_.query_begin)),
      shift_(std::span<const double>(documents_.scaling.shift)),
      factor_(std::span<const double>(documents_.scaling.factor)),
      weights_(documents_.stride()),
      sent_(std::make_unique<Pinned<double>>(documents_.stride())) {
  plan(limits);
  carrier_.emplace(card_.number, documents_, source_, query_begin_.get(), shift_.get(), factor_.get());
  if (plan_.resident_queries > 0) carrier_->send(0, plan_.resident_queries, true, rows_.get());
  if (plan_.part_bytes == 0) carrier_.reset();
}

void CudaRows::plan(const DeviceLimits& limits) {
  const std::uint64_t available = available_bytes(card_, limits.bytes, kReserve);
  plan_ = plan_memory(documents_, bytes_of_numbers(documents_), available, card_.name);
  if (!plan_.trouble.empty()) throw Failure(plan_.trouble);
  rows_ = Buffer<float>(documents_.bytes(0, plan_.resident_queries) / sizeof(float));
  part_ = Buffer<float>(plan_.part_bytes / sizeof(float));
}

DeviceReport CudaRows::report() const { return {card_.name, rows_.bytes() + part_.bytes(), plan_.resident_queries}; }

const float* CudaRows::bring(std::size_t first, std::size_t last) {
  carrier_->send(first, last, false, part_.get());
  return part_.get();
}

std::size_t CudaRows::end_of_part(std::size_t first) const {
  std::size_t last = first + 1;
  while (last < documents_.num_queries() && documents_.bytes(first, last + 1) <= plan_.part_bytes) ++last;
  return last;
}

void CudaRows::run_over(std::size_t first, std::size_t last,
                        const std::function<void(std::size_t, std::size_t)>& body) const {
  const std::size_t parts = std::min(last - first, 4 * source_.workers);
  source_.run(parts, [&](std::size_t part, std::size_t) {
    body(first + (last - first) * part / parts, first + (last - first) * (part + 1) / parts);
  });
}

const double* CudaRows::put_weights(std::span<const double> w, const Stream& stream) {
  std::fill_n(sent_->get(), documents_.stride(), 0.0);
  std::copy(w.begin(), w.end(), sent_->get());
  check(cudaMemcpyAsync(weights_.get(), sent_->get(), weights_.bytes(), cudaMemcpyHostToDevice, stream.get()),
        "weights to the card");
  return weights_.get();
}

template <class Body>
void CudaRows::visit(const Body& body) {
  const std::size_t queries = documents_.num_queries();
  if (plan_.resident_queries > 0) body(rows_.get(), 0, plan_.resident_queries);
  for (std::size_t first = plan_.resident_queries, last = first; first < queries; first = last) {
    stream_.wait();
    last = end_of_part(first);
    body(bring(first, last), first, last);
  }
}

RowDevice::Trouble CudaRows::centred_squares(double& sum) {
  return guarded([&] {
    const std::lock_guard lock(mutex_);
    use();
    const Buffer<double> squares(documents_.num_queries());
    visit([&](const float* rows, std::size_t first, std::size_t last) {
      const QueryRows queries{const_cast<float*>(rows), columns() * 4, static_cast<std::uint32_t>(documents_.features),
                              query_begin_.get() + first};
      add_centred_squares<<<static_cast<unsigned>(last - first), kThreads, 0, stream_.get()>>>(queries,
                                                                                               squares.get() + first);
      check(cudaGetLastError(), "a kernel");
    });
    std::vector<double> found(documents_.num_queries());
    squares.get(found, stream_);
    sum = std::accumulate(found.begin(), found.end(), 0.0);
  });
}

RowDevice::Trouble CudaRows::scores(std::span<const double> w, std::span<double> out) {
  return guarded([&] {
    const std::lock_guard lock(mutex_);
    use();
    const double* const weights = put_weights(w, stream_);
    const Buffer<double> scores(documents_.num_documents());
    const std::size_t shared = documents_.stride() * sizeof(double);
    with_chunks(columns(), [&]<int kChunks>() {
      allow_shared_memory(score_documents<kChunks>, card_);
      visit([&](const float* rows, std::size_t first, std::size_t last) {
        const std::uint64_t begin = documents_.query_begin[first], count = documents_.query_begin[last] - begin;
        if (count == 0) return;
        const auto blocks = static_cast<unsigned>((count + kScoredAtOnce - 1) / kScoredAtOnce);
        score_documents<kChunks>
            <<<blocks, kThreads, shared, stream_.get()>>>(rows, columns(), count, weights, scores.get() + begin);
        check(cudaGetLastError(), "a kernel");
      });
    });
    scores.get(out, stream_);
  });
}

}  // namespace dorm::cuda

extern "C" const void* dorm_cuda_module() { return &dorm::cuda::kModule; }
