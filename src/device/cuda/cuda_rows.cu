// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "device/cuda/cuda_rows.cuh"
#include "device/cuda/row_kernels.cuh"

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

std::unique_ptr<RowDevice> make_cuda_rows(int gpu, DeviceDocuments documents, RowSource source,
                                          const DeviceLimits& limits, std::string& trouble) {
  std::unique_ptr<RowDevice> made;
  trouble = guarded([&] { made = std::make_unique<CudaRows>(gpu, std::move(documents), std::move(source), limits); });
  return made;
}

void wake(int gpu) {
  guarded([&] {
    use_gpu(gpu);
    check(cudaFree(nullptr), "the GPU");
    give_staging(take_staging(0));
  });
}

constexpr CudaModule kModule = {wake, make_cuda_rows};

}  // namespace

CudaRows::CudaRows(int gpu, DeviceDocuments documents, RowSource source, const DeviceLimits& limits)
    : gpu_(use_gpu(gpu)),
      documents_(std::move(documents)),
      source_(std::move(source)),
      query_begin_(std::span<const std::uint64_t>(documents_.query_begin)),
      shift_(std::span<const double>(documents_.scaling.shift)),
      factor_(std::span<const double>(documents_.scaling.factor)),
      weights_(documents_.stride()),
      sent_(std::make_unique<Pinned<double>>(documents_.stride())) {
  plan(limits);
  carrier_.emplace(gpu_.number, documents_, source_, query_begin_.get(), shift_.get(), factor_.get());
  const SurveyView view = surveyed_ ? surveyed_->view() : SurveyView{};
  if (plan_.resident_queries > 0) carrier_->send(0, plan_.resident_queries, rows_.get(), surveyed_ ? &view : nullptr);
  if (plan_.part_bytes == 0) carrier_.reset();
}

// One after the other: what is free when it is asked for is still free when it is taken.
void CudaRows::plan(const DeviceLimits& limits) {
  static std::mutex planning;
  const std::lock_guard lock(planning);
  gpu_.free_bytes = free_bytes();
  const std::uint64_t available = available_bytes(gpu_, limits.bytes, kReserve);
  plan_ = plan_memory(documents_, bytes_of_numbers(documents_), available, gpu_.name);
  if (!plan_.trouble.empty()) throw Failure(plan_.trouble);
  rows_ = Buffer<float>(documents_.bytes(0, plan_.resident_queries) / sizeof(float));
  part_ = Buffer<float>(plan_.part_bytes / sizeof(float));
  // A survey goes before there are lists, which then need the room.
  const bool room = documents_.bytes(0, documents_.num_queries()) + Surveyed::bytes(documents_) <= available;
  if (!documents_.hash.added.empty() && plan_.part_bytes == 0 && room) surveyed_.emplace(documents_);
}

std::uint64_t CudaRows::Surveyed::bytes(const DeviceDocuments& documents) {
  return documents.num_documents() * sizeof(std::uint64_t) +
         documents.num_queries() * documents.features * (sizeof(double) + 2 * sizeof(float));
}

CudaRows::Surveyed::Surveyed(const DeviceDocuments& documents)
    : added(std::span<const std::uint64_t>(documents.hash.added)),
      crossed(std::span<const std::uint64_t>(documents.hash.crossed)),
      hash(documents.num_documents()),
      sum(documents.num_queries() * documents.features),
      low(documents.num_queries() * documents.features),
      high(documents.num_queries() * documents.features) {}

RowDevice::Trouble CudaRows::survey(const RowSurveyor& to, bool& known) {
  known = surveyed_.has_value();
  return guarded([&] {
    if (!known) return;
    const std::lock_guard lock(mutex_);
    use();
    tell_statistics(to);
    tell_hashes(to);
    surveyed_.reset();
  });
}

void CudaRows::tell_hashes(const RowSurveyor& to) {
  const Staging<std::uint64_t> staging(documents_.longest());
  const std::size_t queries = documents_.num_queries();
  for (std::size_t first = 0, last = 0; first < queries; first = last) {
    const std::uint64_t begin = documents_.query_begin[first];
    while (last < queries && documents_.query_begin[last + 1] - begin <= staging.size()) ++last;
    surveyed_->hash.get(begin, {staging.get(), documents_.query_begin[last] - begin}, stream_);
    run_over(first, last, [&](std::size_t from, std::size_t to_query) {
      to.hashes(from, to_query, staging.get() + (documents_.query_begin[from] - begin));
    });
  }
}

void CudaRows::tell_statistics(const RowSurveyor& to) {
  constexpr unsigned kColumns = 64;  // few threads, which have many queries each: on many multiprocessors
  const std::size_t parts = documents_.part_begin.size() - 1, features = documents_.features;
  const Buffer<std::uint64_t> part_begin{std::span<const std::uint64_t>(
      std::vector<std::uint64_t>(documents_.part_begin.begin(), documents_.part_begin.end()))};
  const Buffer<double> found(parts * 3 * features);
  const dim3 blocks(static_cast<unsigned>(parts), static_cast<unsigned>((features + kColumns - 1) / kColumns));
  add_surveys<<<blocks, kColumns, 0, stream_.get()>>>(surveyed_->view(), query_begin_.get(), part_begin.get(),
                                                      static_cast<std::uint32_t>(features), found.get());
  check(cudaGetLastError(), "a kernel");
  std::vector<double> numbers(parts * 3 * features);
  found.get(0, numbers, stream_);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::span<const double> of_part = std::span(numbers).subspan(part * 3 * features, 3 * features);
    to.statistics(part, of_part.first(features), of_part.subspan(features, features), of_part.last(features));
  }
}

DeviceReport CudaRows::report() const { return {gpu_.name, rows_.bytes() + part_.bytes(), plan_.resident_queries}; }

const float* CudaRows::bring(std::size_t first, std::size_t last) {
  carrier_->send(first, last, part_.get());
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
        "weights to the GPU");
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
    squares.get(0, found, stream_);
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
    require_shared_memory(gpu_, shared, documents_.features);
    with_chunks(columns(), [&]<int kChunks>() {
      allow_shared_memory(score_documents<kChunks>, gpu_);
      visit([&](const float* rows, std::size_t first, std::size_t last) {
        const std::uint64_t begin = documents_.query_begin[first], count = documents_.query_begin[last] - begin;
        if (count == 0) return;
        const auto blocks = static_cast<unsigned>((count + kScoredAtOnce - 1) / kScoredAtOnce);
        score_documents<kChunks>
            <<<blocks, kThreads, shared, stream_.get()>>>(rows, columns(), count, weights, scores.get() + begin);
        check(cudaGetLastError(), "a kernel");
      });
    });
    scores.get(0, out, stream_);
  });
}

}  // namespace dorm::cuda

extern "C" const void* dorm_cuda_module() { return &dorm::cuda::kModule; }
