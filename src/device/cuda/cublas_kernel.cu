// SPDX-License-Identifier: Apache-2.0
// Kernel values on a GPU: products by cuBLAS, the rest by kernel_values.cuh. Documents are taken in parts of one
// height, the last one filled up with what is there, so that cuBLAS is asked for the same shape again and again and
// answers with the same bits. The host fills one part and takes another while the GPU works on a third; what is sent
// back comes in pieces, each of which is taken while the next is on its way.
#include <cublas_v2.h>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>

#include "device/cuda/gpu.cuh"
#include "device/cuda/kernel_values.cuh"
#include "device/cuda/memory.cuh"
#include "device/cuda/staging.cuh"
#include "device/cuda_module.h"

namespace dorm::cuda {
namespace {

constexpr std::uint64_t kReserve = std::uint64_t{128} << 20;
constexpr std::size_t kSlots = 2;
constexpr std::size_t kMostPieces = 4;                          // of a part that is sent back
constexpr std::size_t kLeastPieceBytes = std::size_t{1} << 20;  // below which one more costs more than it hides

void check_blas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Failure(std::string(what) + ": " + cublasGetStatusString(status) + " (" + cublasGetStatusName(status) + ")");
}

class Blas {
 public:
  explicit Blas(const Stream& stream) {
    check_blas(cublasCreate(&handle_), "cuBLAS");
    check_blas(cublasSetStream(handle_, stream.get()), "cuBLAS");
  }
  ~Blas() { cublasDestroy(handle_); }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// At least one, which then has nothing to do.
unsigned blocks_of(std::size_t count) {
  return static_cast<unsigned>(std::max<std::size_t>(1, (count + kEntries - 1) / kEntries));
}

/// A dimension as cuBLAS takes it: above 0 even where there is nothing.
int stride_of(std::size_t size) { return static_cast<int>(std::max<std::size_t>(1, size)); }

template <class T>
void clear(const Buffer<T>& buffer, const Stream& stream) {
  if (buffer.bytes() > 0) check(cudaMemsetAsync(buffer.get(), 0, buffer.bytes(), stream.get()), "memory of the GPU");
}

template <class T>
void send_numbers(const T* from, std::size_t count, T* target, const Stream& stream) {
  if (count > 0)
    check(cudaMemcpyAsync(target, from, count * sizeof(T), cudaMemcpyHostToDevice, stream.get()), "rows to the GPU");
}

/// What one part of the documents has of its own, so that two are under way.
template <class T>
struct Slot {
  float* rows = nullptr;  // these three in pinned memory
  std::uint32_t* codes = nullptr;
  T* fetched = nullptr;
  Buffer<T> made;
  Event computed;
  std::array<Event, kMostPieces> arrived;  // by piece
  std::size_t first = 0, last = 0;
};

template <class T>
class Slots {
 public:
  Slots(const KernelNumbers& numbers, std::size_t height, std::size_t width)
      : width_(width),
        piece_rows_(std::max((height + kMostPieces - 1) / kMostPieces,
                             kLeastPieceBytes / std::max<std::size_t>(1, width * sizeof(T)))),
        staging_(kSlots * (room<float>(height * numbers.columns) + room<std::uint32_t>(height * numbers.codes) +
                           room<T>(height * width))) {
    char* at = staging_.get();
    for (Slot<T>& slot : slots_) {
      slot.rows = cut<float>(at, height * numbers.columns);
      slot.codes = cut<std::uint32_t>(at, height * numbers.codes);
      slot.fetched = cut<T>(at, height * width);
      slot.made = Buffer<T>(height * width);
    }
  }

  /// That of a part, by its number.
  Slot<T>& of(std::size_t part) { return slots_[part % kSlots]; }
  std::size_t width() const { return width_; }            // numbers of a document
  std::size_t piece_rows() const { return piece_rows_; }  // documents whose numbers come back together

 private:
  template <class U>
  static std::size_t room(std::size_t count) {
    constexpr std::size_t kAlignment = 256;
    return (count * sizeof(U) + kAlignment - 1) / kAlignment * kAlignment;
  }
  template <class U>
  static U* cut(char*& at, std::size_t count) {
    return reinterpret_cast<U*>(std::exchange(at, at + room<U>(count)));
  }

  std::size_t width_, piece_rows_;
  Staging<char> staging_;
  std::array<Slot<T>, kSlots> slots_;
};

class CublasKernel final : public KernelDevice {
 public:
  CublasKernel(int gpu, KernelNumbers numbers, const DeviceLimits& limits)
      : numbers_(std::move(numbers)), gpu_(use_gpu(gpu)), blas_(stream_) {
    plan_ = plan_kernel(numbers_, available_bytes(gpu_, limits.bytes, kReserve), gpu_.name);
    if (!plan_.trouble.empty()) throw Failure(plan_.trouble);
    allocate();
    hold_right();
  }
  /// What a call that failed has left behind may still use memory that goes to another user.
  ~CublasKernel() override {
    cudaStreamSynchronize(stream_.get());
    cudaStreamSynchronize(back_.get());
  }

  DeviceReport report() const override { return {gpu_.name, plan_.bytes, 0}; }

  Trouble values(std::size_t count, const FillDocuments& fill, const TakeValues& take) override {
    return guarded([&] {
      use();
      Slots<float>& slots = make_slots(values_, numbers_.width());
      in_parts<float>(
          count, fill, slots, [&](Slot<float>& slot) { finish_values(slot.made.get()); }, take);
    });
  }

  Trouble scores(std::size_t count, const FillDocuments& fill, std::span<double> out) override {
    return guarded([&] {
      use();
      Slots<double>& slots = make_slots(scores_, 1);
      in_parts<double>(
          count, fill, slots, [&](Slot<double>& slot) { finish_scores(slot.made.get()); },
          [&](std::size_t first, std::size_t last, const double* scores) {
            std::copy_n(scores, last - first, out.data() + first);
          });
    });
  }

 private:
  void use() const { check(cudaSetDevice(gpu_.number), "the GPU"); }

  template <class T>
  Slots<T>& make_slots(std::unique_ptr<Slots<T>>& slots, std::size_t width) {
    if (!slots) slots = std::make_unique<Slots<T>>(numbers_, plan_.height, width);
    return *slots;
  }

  void allocate() {
    const std::size_t entries = plan_.height * numbers_.size;
    const bool one_term = numbers_.terms.size() <= 1;
    bool one_part = true;
    for (const KernelTerm& term : numbers_.terms) one_part = one_part && term.parts.size() == 1;
    right_ = Buffer<double>(numbers_.size * numbers_.columns);
    right_codes_ = Buffer<std::uint32_t>(std::span<const std::uint32_t>(numbers_.row_codes));
    right_norms_ = Buffer<double>(numbers_.size * numbers_.decays());
    triangle_ = Buffer<double>(std::span<const double>(numbers_.triangle));
    coefficients_ = Buffer<double>(std::span<const double>(numbers_.coefficients));
    came_ = Buffer<float>(plan_.height * numbers_.columns);
    left_ = Buffer<double>(plan_.height * numbers_.columns);
    left_codes_ = Buffer<std::uint32_t>(plan_.height * numbers_.codes);
    left_norms_ = Buffer<double>(plan_.height * numbers_.decays());
    product_ = Buffer<double>(entries);
    if (!one_part) term_ = Buffer<double>(entries);
    if (!one_term) sum_ = Buffer<double>(entries);
    sums_ = !one_term ? sum_.get() : !one_part ? term_.get() : product_.get();
    // What fills up the last part is some document, or zeros.
    clear(came_, stream_);
    clear(left_codes_, stream_);
  }

  /// The right-hand documents, as doubles, with their norms.
  void hold_right() {
    for (std::size_t first = 0; first < numbers_.size; first += plan_.height) {
      const std::size_t count = std::min(plan_.height, numbers_.size - first) * numbers_.columns;
      send_numbers(numbers_.rows.data() + first * numbers_.columns, count, came_.get(), stream_);
      to<float, double>(came_.get(), count, right_.get() + first * numbers_.columns);
    }
    make_norms(right_.get(), numbers_.size, right_norms_.get());
    stream_.wait();
    numbers_.rows = {};
    numbers_.row_codes = {};
    numbers_.triangle = {};
    numbers_.coefficients = {};
  }

  template <class From, class To>
  void to(const From* from, std::size_t count, To* target) const {
    if (count == 0) return;
    convert<<<std::min(blocks_of(count), 65535U), kEntries, 0, stream_.get()>>>(from, count, target);
    check(cudaGetLastError(), "a kernel");
  }

  void make_norms(const double* rows, std::size_t count, double* out) const {
    for (const KernelTerm& term : numbers_.terms)
      for (const KernelPart& part : term.parts) {
        if (part.form != KernelPart::Form::decay) continue;
        squared_norms<<<blocks_of(count * kWarp), kEntries, 0, stream_.get()>>>(
            rows + part.first, static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(numbers_.columns),
            static_cast<std::uint32_t>(part.columns), out);
        check(cudaGetLastError(), "a kernel");
        out += count;
      }
  }

  /// product_ = <x, y> over some columns of all left-hand documents x and right-hand ones y.
  void multiply(std::size_t first, std::size_t columns) const {
    const double one = 1, zero = 0;
    const int stride = stride_of(numbers_.columns);
    const auto right = static_cast<int>(numbers_.size);
    check_blas(cublasDgemm(blas_.get(), CUBLAS_OP_T, CUBLAS_OP_N, right, static_cast<int>(plan_.height),
                           static_cast<int>(columns), &one, right_.get() + first, stride, left_.get() + first, stride,
                           &zero, product_.get(), stride_of(numbers_.size)),
               "a product of cuBLAS");
  }

  dim3 grid() const { return {blocks_of(numbers_.size), static_cast<unsigned>(plan_.height)}; }

  void add_terms() const {
    std::size_t decay = 0;
    for (std::size_t t = 0; t < numbers_.terms.size(); ++t) {
      const KernelTerm& term = numbers_.terms[t];
      for (std::size_t p = 0; p < term.parts.size(); ++p) {
        const KernelPart& part = term.parts[p];
        const bool equal = part.form == KernelPart::Form::equal;
        if (!equal) multiply(part.first, part.columns);
        const PartWork work = {.form = part.form,
                               .gamma = part.gamma,
                               .coef0 = part.coef0,
                               .weight = term.weight,
                               .degree = part.degree,
                               .first = p == 0,
                               .last = p + 1 == term.parts.size(),
                               .first_term = t == 0,
                               .codes = static_cast<std::uint32_t>(numbers_.codes),
                               .columns = static_cast<std::uint32_t>(numbers_.size),
                               .product = product_.get(),
                               .left_norm = left_norms_.get() + decay * plan_.height,
                               .right_norm = right_norms_.get() + decay * numbers_.size,
                               .left_codes = equal ? left_codes_.get() + part.first : nullptr,
                               .right_codes = equal ? right_codes_.get() + part.first : nullptr,
                               .term = term_.get(),
                               .sum = sums_};
        add_part<<<grid(), kEntries, 0, stream_.get()>>>(work);
        check(cudaGetLastError(), "a kernel");
        if (part.form == KernelPart::Form::decay) ++decay;
      }
    }
  }

  bool waves() const { return numbers_.terms.empty(); }

  void finish_values(float* out) const {
    if (waves()) {
      make_waves<<<grid(), kEntries, 0, stream_.get()>>>(product_.get(), static_cast<std::uint32_t>(numbers_.size),
                                                         numbers_.wave_factor, out);
      return check(cudaGetLastError(), "a kernel");
    }
    const auto size = static_cast<int>(numbers_.size);
    const double one = 1;
    if (triangle_.bytes() > 0)
      check_blas(cublasDtrsm(blas_.get(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                             size, static_cast<int>(plan_.height), &one, triangle_.get(), stride_of(numbers_.size),
                             sums_, stride_of(numbers_.size)),
                 "a triangle of cuBLAS");
    to<double, float>(sums_, plan_.height * numbers_.size, out);
  }

  void finish_scores(double* out) const {
    sum_values<<<static_cast<unsigned>(plan_.height), kEntries, 0, stream_.get()>>>(
        sums_, static_cast<std::uint32_t>(numbers_.size), waves(), numbers_.wave_factor, coefficients_.get(), out);
    check(cudaGetLastError(), "a kernel");
  }

  /// finish(slot): makes what is fetched of the sums; take(first, last, numbers): is given it, in order.
  template <class T, class Finish, class Take>
  void in_parts(std::size_t count, const FillDocuments& fill, Slots<T>& slots, const Finish& finish, const Take& take) {
    // A call that failed may have left work behind, which reads and writes the slots.
    stream_.wait();
    back_.wait();
    for (std::size_t k = 0; k < kSlots; ++k) slots.of(k).first = slots.of(k).last = 0;
    std::size_t part = 0;
    for (std::size_t first = 0; first < count; first += plan_.height, ++part) {
      Slot<T>& slot = slots.of(part);
      end(slot, slots, take);
      const std::size_t last = std::min(count, first + plan_.height);
      if (!fill(first, last, slot.rows, slot.codes)) throw Failure("the rows of the documents could not be read");
      send(slot, last - first);
      if (waves())
        multiply(0, numbers_.columns);
      else
        add_terms();
      finish(slot);
      slot.computed.record(stream_);
      slot.first = first;
      slot.last = last;
      fetch(slot, slots);
    }
    for (std::size_t k = 0; k < kSlots; ++k) end(slots.of(part + k), slots, take);
  }

  /// Sends back what was made, piece by piece, once it is there. The stream of the work does not wait for that: what it
  /// makes next goes to another slot.
  template <class T>
  void fetch(const Slot<T>& slot, const Slots<T>& slots) const {
    slot.computed.hold(back_);
    in_pieces(slot, slots, [&](std::size_t piece, std::size_t begin, std::size_t rows) {
      const std::size_t at = begin * slots.width(), numbers = rows * slots.width();
      if (numbers > 0)
        check(cudaMemcpyAsync(slot.fetched + at, slot.made.get() + at, numbers * sizeof(T), cudaMemcpyDeviceToHost,
                              back_.get()),
              "values from the GPU");
      slot.arrived[piece].record(back_);
    });
  }

  /// Takes the part that is in the slot, if any, piece by piece as they arrive. With the last one there, the GPU has
  /// read the rows of the slot and nothing writes to it, so that it is free for another part.
  template <class T, class Take>
  void end(Slot<T>& slot, const Slots<T>& slots, const Take& take) const {
    in_pieces(slot, slots, [&](std::size_t piece, std::size_t begin, std::size_t rows) {
      slot.arrived[piece].wait();
      take(slot.first + begin, slot.first + begin + rows, slot.fetched + begin * slots.width());
    });
    slot.first = slot.last = 0;
  }

  /// body(piece, begin, rows) for the documents of the slot, counted from its first.
  template <class T, class Body>
  static void in_pieces(const Slot<T>& slot, const Slots<T>& slots, const Body& body) {
    const std::size_t count = slot.last - slot.first;
    for (std::size_t piece = 0; piece * slots.piece_rows() < count; ++piece) {
      const std::size_t begin = piece * slots.piece_rows();
      body(piece, begin, std::min(slots.piece_rows(), count - begin));
    }
  }

  template <class T>
  void send(const Slot<T>& slot, std::size_t count) const {
    send_numbers(slot.rows, count * numbers_.columns, came_.get(), stream_);
    send_numbers(slot.codes, count * numbers_.codes, left_codes_.get(), stream_);
    to<float, double>(came_.get(), plan_.height * numbers_.columns, left_.get());
    make_norms(left_.get(), plan_.height, left_norms_.get());
  }

  KernelNumbers numbers_;
  Card gpu_;
  Stream stream_, back_;  // of the work, and of what is sent back
  Blas blas_;
  KernelPlan plan_;
  Buffer<double> right_, right_norms_, triangle_, coefficients_, left_, left_norms_, product_, term_, sum_;
  Buffer<float> came_;
  Buffer<std::uint32_t> right_codes_, left_codes_;
  double* sums_ = nullptr;
  std::unique_ptr<Slots<float>> values_;
  std::unique_ptr<Slots<double>> scores_;
};

std::unique_ptr<KernelDevice> make_cublas_kernel(int gpu, KernelNumbers numbers, const DeviceLimits& limits,
                                                 std::string& trouble) {
  std::unique_ptr<KernelDevice> made;
  trouble = guarded([&] { made = std::make_unique<CublasKernel>(gpu, std::move(numbers), limits); });
  return made;
}

constexpr CublasModule kModule = {make_cublas_kernel};

}  // namespace

// What this module keeps: modules share no memory.

}  // namespace dorm::cuda

extern "C" const void* dorm_cublas_module() { return &dorm::cuda::kModule; }
