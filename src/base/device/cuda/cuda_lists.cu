// SPDX-License-Identifier: Apache-2.0
// Lists on a card. The rows of as many pieces as fit are held there; those of the others are sent in every call, in
// parts: the host prepares rows while others travel, beside which the card's work takes no time.
#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <optional>

#include "base/device/cuda/card.cuh"
#include "base/device/cuda/kernels.cuh"
#include "base/device/cuda/memory.cuh"
#include "base/device/cuda_module.h"

namespace dorm::cuda {
namespace {

constexpr std::uint64_t kStagingBytes = std::uint64_t{16} << 20;
constexpr std::uint32_t kMostSharedDocuments = 1024;
constexpr double kShareOfFree = 0.95;
constexpr std::uint64_t kReserve = std::uint64_t{64} << 20;  // for code, streams and rounding of allocations

using Kernel = void (*)(View);

template <Visit kVisit>
Kernel kernel_for(std::uint32_t columns) {
  if (columns > kThreads) return visit_pieces<kVisit, 0, true>;
  if constexpr (kVisit == Visit::pull_back) {
    return visit_pieces<kVisit, 0, false>;
  } else {
    switch ((columns + kLanes - 1) / kLanes) {
      case 1:
        return visit_pieces<kVisit, 1, false>;
      case 2:
        return visit_pieces<kVisit, 2, false>;
      case 3:
        return visit_pieces<kVisit, 3, false>;
      case 4:
        return visit_pieces<kVisit, 4, false>;
      case 5:
        return visit_pieces<kVisit, 5, false>;
      case 6:
        return visit_pieces<kVisit, 6, false>;
      default:
        return visit_pieces<kVisit, 0, false>;
    }
  }
}

/// Runs what may fail; what went wrong as text.
template <class Body>
std::string guarded(const Body& body) {
  try {
    body();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Rows to the card in parts of a fixed size: filled by the host in one of two buffers while the other travels.
class RowCarrier {
 public:
  RowCarrier(const DeviceLists& lists, const FillRows& fill) : lists_(lists), fill_(fill) {
    std::uint64_t bytes = kStagingBytes;
    for (std::size_t q = 0; q < lists.num_lists(); ++q) bytes = std::max(bytes, bytes_of(q, q + 1));
    for (auto& buffer : staging_) buffer = std::make_unique<Pinned<float>>(bytes / sizeof(float));
  }

  /// Rows of lists [first, last) to `target`, in the order of the stream.
  void send(std::size_t first, std::size_t last, float* target, const Stream& stream) {
    const std::uint64_t room = staging_[0]->size() * sizeof(float);
    for (std::size_t q = first; q < last;) {
      std::size_t end = q + 1;
      while (end < last && bytes_of(q, end + 1) <= room) ++end;
      Pinned<float>& buffer = *staging_[next_];
      travelled_[next_].wait();
      if (!fill_(q, end, buffer.get())) throw Failure("the rows of the documents could not be read");
      const std::uint64_t bytes = bytes_of(q, end);
      check(cudaMemcpyAsync(target, buffer.get(), bytes, cudaMemcpyHostToDevice, stream.get()), "rows to the card");
      travelled_[next_].record(stream);
      next_ = 1 - next_;
      target += bytes / sizeof(float);
      q = end;
    }
  }

 private:
  std::uint64_t bytes_of(std::size_t first, std::size_t last) const {
    return (lists_.list_begin[last] - lists_.list_begin[first]) * lists_.stride() * sizeof(float);
  }

  const DeviceLists& lists_;
  FillRows fill_;
  std::array<std::unique_ptr<Pinned<float>>, 2> staging_;
  std::array<Event, 2> travelled_;
  int next_ = 0;
};

class CudaLists final : public ListDevice {
 public:
  CudaLists(int card, DeviceLists lists, const FillRows& fill, const DeviceLimits& limits)
      : lists_(std::move(lists)), card_(use_card(card)), longest_(lists_.longest()) {
    view_.columns = static_cast<std::uint32_t>(lists_.stride() / 4);
    view_.features = static_cast<std::uint32_t>(lists_.features);
    view_.shared_documents = static_cast<std::uint32_t>(std::min<std::size_t>(longest_, kMostSharedDocuments));
    require_shared_memory();
    plan(limits);
    put_numbers();
    carrier_.emplace(lists_, fill);
    carrier_->send(0, lists_.piece_begin[plan_.resident_pieces], rows_.get(), stream_);
    stream_.wait();
    if (plan_.part_bytes == 0) carrier_.reset();
  }

  DeviceReport report() const override {
    return {card_.name, bytes_ + rows_.bytes() + part_.bytes(), lists_.piece_begin[plan_.resident_pieces]};
  }

  Trouble set_reference(std::span<const double> reference) override {
    return guarded([&] {
      use();
      reference_.put(reference);
    });
  }

  Trouble linearize(std::span<const double> w, GroupSums& out) override {
    return guarded([&] {
      use();
      put_weights(w);
      visit_all<Visit::linearize>();
      fetch_sums(out);
    });
  }

  Trouble scores(std::span<const double> w, std::span<double> out) override {
    return guarded([&] {
      use();
      put_weights(w);
      visit_all<Visit::scores>();
      check(cudaMemcpyAsync(out.data(), scores_.get(), out.size_bytes(), cudaMemcpyDeviceToHost, stream_.get()),
            "scores from the card");
      stream_.wait();
    });
  }

  Trouble pull_back(std::span<const double> coefficients, GroupSums& out) override {
    return guarded([&] {
      use();
      keys_.put(coefficients);
      visit_all<Visit::pull_back>();
      fetch_sums(out);
    });
  }

 private:
  void use() const { check(cudaSetDevice(card_.number), "the card"); }

  void require_shared_memory() const {
    const bool wide = view_.columns > kThreads;
    const std::size_t bytes = shared_bytes(view_.columns, view_.shared_documents, Visit::linearize, wide) +
                              kThreads * 4 * sizeof(double) + 1024;
    if (bytes > card_.shared_bytes)
      throw Failure(card_.name + " cannot hold the sums of " + std::to_string(view_.features) +
                    " features in its shared memory (" + std::to_string(card_.shared_bytes) + " bytes, " +
                    std::to_string(bytes) + " needed); expected fewer features, or the device cpu");
  }

  bool linearizes() const { return !lists_.gain.empty(); }
  bool long_lists() const { return longest_ > kMostSharedDocuments; }

  void plan(const DeviceLimits& limits) {
    const auto documents = static_cast<double>(lists_.num_documents());
    const double per_document = 8 + (linearizes() ? 16 : 0) + (linearizes() && !long_lists() ? 0 : 12);
    const auto numbers = static_cast<std::uint64_t>(
        documents * per_document + static_cast<double>(lists_.num_lists()) * 48 +
        static_cast<double>((lists_.num_pieces() + lists_.num_groups()) * (lists_.features + 2)) * 8 +
        static_cast<double>(lists_.c.size()) * 16);
    auto available = static_cast<std::uint64_t>(kShareOfFree * static_cast<double>(card_.free_bytes));
    available -= std::min(available, kReserve);
    if (limits.bytes > 0) available = std::min<std::uint64_t>(available, limits.bytes);
    plan_ = plan_memory(lists_, numbers, available, card_.name);
    if (!plan_.trouble.empty()) throw Failure(plan_.trouble);
    rows_ = Buffer<float>(row_bytes(lists_, 0, plan_.resident_pieces) / sizeof(float));
    part_ = Buffer<float>(plan_.part_bytes / sizeof(float));
  }

  template <class T>
  const T* put(Buffer<T>& buffer, const std::vector<T>& values) {
    buffer = Buffer<T>(std::span<const T>(values));
    bytes_ += buffer.bytes();
    return buffer.get();
  }

  void put_numbers() {
    view_.list_begin = put(list_begin_, lists_.list_begin);
    view_.piece_begin = put(piece_begin_, lists_.piece_begin);
    put(group_begin_, lists_.group_begin);
    view_.share = put(share_, lists_.share);
    view_.gain = put(gain_, lists_.gain);
    view_.ideal = put(ideal_, lists_.ideal);
    view_.kappa = put(kappa_, lists_.kappa);
    view_.table = put(table_, lists_.table);
    view_.cutoff = put(cutoff_, lists_.cutoff);
    view_.c = put(c_, lists_.c);
    view_.a = put(a_, lists_.a);
    if (linearizes()) reference_ = Buffer<double>(lists_.num_documents());
    view_.reference = reference_.get();
    bytes_ += reference_.bytes();
    const std::size_t size = lists_.features + 2;
    sums_ = Buffer<double>(lists_.num_pieces() * size);
    group_sums_ = Buffer<double>(lists_.num_groups() * size);
    weights_ = Buffer<double>(lists_.stride());
    view_.sums = sums_.get();
    view_.w = weights_.get();
    bytes_ += sums_.bytes() + group_sums_.bytes() + weights_.bytes();
    fetched_ = std::make_unique<Pinned<double>>(lists_.num_groups() * size);
    sent_ = std::make_unique<Pinned<double>>(lists_.stride());
    scores_ = Buffer<double>(lists_.num_documents());
    if (long_lists() || !linearizes()) {
      keys_ = Buffer<double>(lists_.num_documents());
      chosen_ = Buffer<std::uint32_t>(lists_.num_documents());
    }
    view_.scores = scores_.get();
    view_.keys = keys_.get();
    view_.chosen = chosen_.get();
    bytes_ += scores_.bytes() + keys_.bytes() + chosen_.bytes();
  }

  void put_weights(std::span<const double> w) {
    std::fill_n(sent_->get(), lists_.stride(), 0.0);
    std::copy(w.begin(), w.end(), sent_->get());
    check(cudaMemcpyAsync(weights_.get(), sent_->get(), weights_.bytes(), cudaMemcpyHostToDevice, stream_.get()),
          "weights to the card");
  }

  /// As much as there is: the same for all lists, which several threads may visit with the same kernel.
  void allow_shared_memory(Kernel kernel) const {
    cudaFuncAttributes attributes;
    check(cudaFuncGetAttributes(&attributes, kernel), "a kernel");
    const auto most = static_cast<int>(card_.shared_bytes - attributes.sharedSizeBytes);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most), "shared memory of the card");
  }

  template <Visit kVisit>
  void visit_pieces_of(const float* rows, std::size_t first, std::size_t last) {
    if (first == last) return;
    View view = view_;
    view.rows = rows;
    view.first_piece = static_cast<std::uint32_t>(first);
    view.first_document = lists_.list_begin[lists_.piece_begin[first]];
    const std::size_t shared = shared_bytes(view.columns, view.shared_documents, kVisit, view.columns > kThreads);
    const Kernel kernel = kernel_for<kVisit>(view.columns);
    allow_shared_memory(kernel);
    kernel<<<static_cast<unsigned>(last - first), kThreads, shared, stream_.get()>>>(view);
    check(cudaGetLastError(), "a kernel");
  }

  /// What is held, then the other pieces in parts.
  template <Visit kVisit>
  void visit_all() {
    visit_pieces_of<kVisit>(rows_.get(), 0, plan_.resident_pieces);
    for (std::size_t first = plan_.resident_pieces; first < lists_.num_pieces();) {
      const std::size_t last = pieces_that_fit(lists_, first, plan_.part_bytes);
      carrier_->send(lists_.piece_begin[first], lists_.piece_begin[last], part_.get(), stream_);
      visit_pieces_of<kVisit>(part_.get(), first, last);
      first = last;
    }
  }

  void fetch_sums(GroupSums& out) {
    const std::size_t groups = lists_.num_groups(), features = lists_.features, size = features + 2;
    add_pieces<<<static_cast<unsigned>(groups), 128, 0, stream_.get()>>>(
        sums_.get(), group_begin_.get(), static_cast<std::uint32_t>(size), group_sums_.get());
    check(cudaGetLastError(), "a kernel");
    check(
        cudaMemcpyAsync(fetched_->get(), group_sums_.get(), group_sums_.bytes(), cudaMemcpyDeviceToHost, stream_.get()),
        "sums from the card");
    stream_.wait();
    out.value.resize(groups);
    out.loss.resize(groups);
    out.direction.resize(groups * features);
    for (std::size_t group = 0; group < groups; ++group) {
      const double* const sum = fetched_->get() + group * size;
      std::copy_n(sum, features, &out.direction[group * features]);
      out.value[group] = sum[features];
      out.loss[group] = sum[features + 1];
    }
  }

  DeviceLists lists_;
  Card card_;
  std::size_t longest_;
  Stream stream_;
  ResidentPlan plan_;
  View view_ = {};
  std::uint64_t bytes_ = 0;  // beside rows
  Buffer<float> rows_, part_;
  Buffer<std::uint64_t> list_begin_;
  Buffer<std::uint32_t> piece_begin_, group_begin_, table_, cutoff_, chosen_;
  Buffer<double> share_, gain_, reference_, ideal_, kappa_, c_, a_, scores_, keys_, sums_, group_sums_, weights_;
  std::unique_ptr<Pinned<double>> fetched_, sent_;
  std::optional<RowCarrier> carrier_;
};

std::unique_ptr<ListDevice> make_cuda_lists(int card, DeviceLists lists, const FillRows& fill,
                                            const DeviceLimits& limits, std::string& trouble) {
  std::unique_ptr<ListDevice> made;
  trouble = guarded([&] { made = std::make_unique<CudaLists>(card, std::move(lists), fill, limits); });
  return made;
}

void wake(int card) {
  guarded([&] {
    use_card(card);
    check(cudaFree(nullptr), "the card");
  });
}

constexpr CudaModule kModule = {wake, make_cuda_lists};

}  // namespace
}  // namespace dorm::cuda

extern "C" const void* dorm_cuda_module() { return &dorm::cuda::kModule; }
