// SPDX-License-Identifier: Apache-2.0
// Lists on a GPU: their numbers are held there, their rows by CudaRows or brought in every call.
#include <algorithm>
#include <numeric>

#include "device/cuda/cuda_rows.cuh"
#include "device/cuda/list_kernels.cuh"

namespace dorm::cuda {
namespace {

constexpr std::uint32_t kMostSharedDocuments = 1024;

using Kernel = void(View);

template <Visit kVisit>
Kernel* kernel_for(std::uint32_t columns) {
  if (columns > kThreads) return visit_pieces<kVisit, 0, true>;
  if constexpr (kVisit == Visit::pull_back) return visit_pieces<kVisit, 0, false>;
  Kernel* kernel = nullptr;
  with_chunks(columns, [&]<int kChunks>() { kernel = visit_pieces<kVisit, kChunks, false>; });
  return kernel;
}

class CudaLists final : public ListDevice {
 public:
  CudaLists(CudaRows& rows, DeviceLists lists)
      : rows_(rows), lists_(std::move(lists)), longest_(rows.documents().longest()) {
    const std::lock_guard lock(rows_.mutex());
    rows_.use();
    view_.columns = rows_.columns();
    view_.features = static_cast<std::uint32_t>(rows_.documents().features);
    view_.shared_documents = static_cast<std::uint32_t>(std::min<std::size_t>(longest_, kMostSharedDocuments));
    const bool wide = view_.columns > kThreads;
    require_shared_memory(rows_.gpu(),
                          shared_bytes(view_.columns, view_.shared_documents, Visit::linearize, wide) +
                              kThreads * 4 * sizeof(double) + 1024,  // and what kernels have besides
                          view_.features);
    put_numbers();
    const auto held = [&](std::size_t piece) { return last_query(piece) <= rows_.resident_queries(); };
    while (resident_pieces_ < lists_.num_pieces() && held(resident_pieces_)) ++resident_pieces_;
  }

  Trouble set_reference(std::span<const double> reference) override {
    return call([&] { reference_.put(reference); });
  }

  Trouble refer(ReferenceOrder order, std::span<const double> w, std::size_t& changed) override {
    return call([&] {
      view_.w = rows_.put_weights(w, stream_);
      if (order == ReferenceOrder::gain)
        visit_all<Visit::refer_by_gain>();
      else
        visit_all<Visit::refer_by_score>();
      std::vector<std::uint32_t> flags(lists_.num_lists());
      changed_.get(0, flags, stream_);
      changed = std::accumulate(flags.begin(), flags.end(), std::size_t{0});
    });
  }

  Trouble linearize(std::span<const double> w, GroupSums& out) override {
    return call([&] {
      view_.w = rows_.put_weights(w, stream_);
      visit_all<Visit::linearize>();
      fetch_sums(out);
    });
  }

  Trouble pull_back(std::span<const double> coefficients, GroupSums& out) override {
    return call([&] {
      keys_.put(coefficients);
      visit_all<Visit::pull_back>();
      fetch_sums(out);
    });
  }

 private:
  template <class Body>
  Trouble call(const Body& body) {
    return guarded([&] {
      const std::lock_guard lock(rows_.mutex());
      rows_.use();
      body();
    });
  }

  std::size_t first_query(std::size_t piece) const { return lists_.query[lists_.piece_begin[piece]]; }
  std::size_t last_query(std::size_t piece) const { return lists_.query[lists_.piece_begin[piece + 1] - 1] + 1; }
  bool long_lists() const { return longest_ > kMostSharedDocuments; }

  template <class T>
  static const T* put(Buffer<T>& buffer, const std::vector<T>& values) {
    buffer = Buffer<T>(std::span<const T>(values));
    return buffer.get();
  }

  void put_numbers() {
    const std::size_t documents = rows_.documents().num_documents(), size = view_.features + 2;
    view_.query_begin = rows_.query_begin();
    view_.query = put(query_, lists_.query);
    view_.piece_begin = put(piece_begin_, lists_.piece_begin);
    put(group_begin_, lists_.group_begin);
    view_.share = put(share_, lists_.share);
    put_gains();
    view_.ideal = put(ideal_, lists_.ideal);
    view_.kappa = put(kappa_, lists_.kappa);
    view_.table = put(table_, lists_.table);
    view_.cutoff = put(cutoff_, lists_.cutoff);
    view_.c = put(c_, lists_.c);
    view_.a = put(a_, lists_.a);
    if (lists_.linearizes()) {
      reference_ = Buffer<double>(documents);
      reference_.clear(stream_);
      changed_ = Buffer<std::uint32_t>(lists_.num_lists());
    }
    view_.reference = reference_.get();
    view_.changed = changed_.get();
    sums_ = Buffer<double>(lists_.num_pieces() * size);
    group_sums_ = Buffer<double>(lists_.num_groups() * size);
    view_.sums = sums_.get();
    fetched_ = std::make_unique<Pinned<double>>(lists_.num_groups() * size);
    if (long_lists()) scores_ = Buffer<double>(documents);
    if (long_lists() || !lists_.linearizes()) {
      keys_ = Buffer<double>(documents);
      chosen_ = Buffer<std::uint32_t>(documents);
    }
    view_.scores = scores_.get();
    view_.keys = keys_.get();
    view_.chosen = chosen_.get();
  }

  /// By way of memory that the GPU copies from, which is there already: 8 bytes per document are much to ask for.
  void put_gains() {
    if (!lists_.linearizes()) return;
    const DeviceDocuments& documents = rows_.documents();
    gain_ = Buffer<double>(documents.num_documents());
    view_.gain = gain_.get();
    Staging<double> staging(documents.longest());
    const std::size_t queries = documents.num_queries();
    for (std::size_t first = 0, last = 0; first < queries; first = last) {
      const std::uint64_t begin = documents.query_begin[first];
      while (last < queries && documents.query_begin[last + 1] - begin <= staging.size()) ++last;
      rows_.run_over(first, last, [&](std::size_t from, std::size_t to) {
        lists_.gains(from, to, staging.get() + (documents.query_begin[from] - begin));
      });
      gain_.put(begin, staging.get(), documents.query_begin[last] - begin, stream_);
    }
  }

  template <Visit kVisit>
  void visit_pieces_of(const float* rows, std::uint64_t first_document, std::size_t first, std::size_t last) {
    if (first == last) return;
    View view = view_;
    view.rows = rows;
    view.first_piece = static_cast<std::uint32_t>(first);
    view.first_document = first_document;
    const std::size_t shared = shared_bytes(view.columns, view.shared_documents, kVisit, view.columns > kThreads);
    Kernel* const kernel = kernel_for<kVisit>(view.columns);
    allow_shared_memory(kernel, rows_.gpu());
    kernel<<<static_cast<unsigned>(last - first), kThreads, shared, stream_.get()>>>(view);
    check(cudaGetLastError(), "a kernel");
  }

  /// What is held, then the other pieces in parts.
  template <Visit kVisit>
  void visit_all() {
    visit_pieces_of<kVisit>(rows_.resident_rows(), 0, 0, resident_pieces_);
    for (std::size_t first = resident_pieces_, last = first; first < lists_.num_pieces(); first = last) {
      const std::size_t begin = first_query(first), end = rows_.end_of_part(begin);
      while (last < lists_.num_pieces() && last_query(last) <= end) ++last;
      stream_.wait();
      const float* const rows = rows_.bring(begin, last_query(last - 1));
      visit_pieces_of<kVisit>(rows, rows_.documents().query_begin[begin], first, last);
    }
    if (resident_pieces_ < lists_.num_pieces()) stream_.wait();  // others may want the buffer
  }

  void fetch_sums(GroupSums& out) {
    const std::size_t groups = lists_.num_groups(), features = view_.features, size = features + 2;
    add_pieces<<<static_cast<unsigned>(groups), 128, 0, stream_.get()>>>(
        sums_.get(), group_begin_.get(), static_cast<std::uint32_t>(size), group_sums_.get());
    check(cudaGetLastError(), "a kernel");
    group_sums_.get(0, {fetched_->get(), groups * size}, stream_);
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

  CudaRows& rows_;
  DeviceLists lists_;
  std::size_t longest_;
  std::size_t resident_pieces_ = 0;
  Stream stream_;
  View view_ = {};
  Buffer<std::uint32_t> query_, piece_begin_, group_begin_, table_, cutoff_, chosen_, changed_;
  Buffer<double> share_, gain_, reference_, ideal_, kappa_, c_, a_, scores_, keys_, sums_, group_sums_;
  std::unique_ptr<Pinned<double>> fetched_;
};

}  // namespace

std::unique_ptr<ListDevice> CudaRows::make_lists(DeviceLists lists, Trouble& trouble) {
  std::unique_ptr<ListDevice> made;
  trouble = guarded([&] { made = std::make_unique<CudaLists>(*this, std::move(lists)); });
  return made;
}

}  // namespace dorm::cuda
