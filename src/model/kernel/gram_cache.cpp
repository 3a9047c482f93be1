// SPDX-License-Identifier: Apache-2.0
#include "model/kernel/gram_cache.h"

#include <algorithm>

#include "base/vector/vector_ops.h"

namespace dorm {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
// Sweeps visit the rows in random order, so the row used longest ago is often the next one asked for. A row is given up
// only when it has not been used for as long as this many sweeps over all rows take.
constexpr std::uint64_t kStaleSweeps = 3;
constexpr std::size_t kSlotsLookedAt = 8;
constexpr std::size_t kPiece = 512;            // columns a thread takes at a time
constexpr std::size_t kWorthThreads = 200000;  // multiply-adds below which threads cost more than they bring
constexpr std::size_t kComputeCost = 60;       // of one kernel value, in multiply-adds; a guess

std::size_t rows_within(std::uint64_t bytes, std::size_t width) {
  const std::uint64_t row = width * sizeof(float);
  const std::uint64_t scratch = GramCache::kScratchRows * row;
  return bytes > scratch ? static_cast<std::size_t>((bytes - scratch) / row) : 0;
}

}  // namespace

GramCache::GramCache(std::unique_ptr<const KernelColumns> columns, const Documents& left, std::uint64_t bytes,
                     std::size_t threads)
    : columns_(std::move(columns)),
      left_(left),
      capacity_(std::min(left.size(), rows_within(bytes, width()))),
      pool_(thread_count(threads)),
      kept_(capacity_ * width()),
      scratch_(kScratchRows * width()),
      slot_of_(left.size(), kNone) {}

std::uint64_t GramCache::bytes() const { return (row_in_.size() + kScratchRows) * width() * sizeof(float); }

void GramCache::drop() const {
  const std::lock_guard lock(mutex_);
  capacity_ = 0;
  kept_ = PageBuffer<float>();
  std::fill(slot_of_.begin(), slot_of_.end(), kNone);
  row_in_.clear();
  last_use_.clear();
}

// A place to keep this row in, or null. Slots are filled in order; later the hand goes round and gives up the first
// row that is stale.
float* GramCache::slot_for(std::uint32_t row) const {
  std::size_t slot = row_in_.size();
  if (slot < capacity_) {
    row_in_.push_back(row);
    last_use_.push_back(clock_);
  } else {
    if (capacity_ == 0) return nullptr;
    std::size_t looked = 0;
    for (; looked < kSlotsLookedAt; ++looked, hand_ = (hand_ + 1) % capacity_)
      if (last_use_[hand_] + kStaleSweeps * rows() < clock_) break;
    if (looked == kSlotsLookedAt) return nullptr;
    slot = hand_;
    slot_of_[row_in_[slot]] = kNone;
    row_in_[slot] = row;
    last_use_[slot] = clock_;
  }
  slot_of_[row] = static_cast<std::uint32_t>(slot);
  return kept_.data() + slot * width();
}

// Finds the rows, at most kScratchRows, and says which have to be computed and where to.
void GramCache::fetch(std::span<const std::uint32_t> rows, Chunk& chunk) const {
  chunk.missing.clear();
  chunk.target.clear();
  chunk.row.clear();
  for (const std::uint32_t row : rows) {
    ++clock_;
    if (const std::uint32_t slot = slot_of_[row]; slot != kNone) {
      ++hits_;
      last_use_[slot] = clock_;
      chunk.row.push_back(kept_.data() + slot * width());
      continue;
    }
    ++misses_;
    float* target = slot_for(row);
    if (target == nullptr) target = scratch_.data() + chunk.missing.size() * width();
    chunk.missing.push_back(row);
    chunk.target.push_back(target);
    chunk.row.push_back(target);
  }
}

// Where rows are not made piece by piece, nothing is missing from then on.
void GramCache::make_whole(Chunk& chunk) const {
  if (!chunk.missing.empty() && columns_->compute_rows(left_, chunk.missing, chunk.target)) chunk.missing.clear();
}

void GramCache::compute(const Chunk& chunk, std::size_t first, std::size_t last) const {
  // Four rows at a time, as the tiles are made, from wherever they go to.
  std::vector<float> values(4 * (last - first));
  for (std::size_t i = 0; i < chunk.missing.size(); i += 4) {
    const std::size_t some = std::min<std::size_t>(4, chunk.missing.size() - i);
    columns_->compute(left_, std::span(chunk.missing).subspan(i, some), first, last, values.data(), last - first);
    for (std::size_t r = 0; r < some; ++r)
      std::copy_n(values.data() + r * (last - first), last - first, chunk.target[i + r] + first);
  }
}

std::size_t GramCache::pieces(std::size_t work) const {
  return work < kWorthThreads ? 1 : (columns() + kPiece - 1) / kPiece;
}

void GramCache::accumulate(std::span<const std::uint32_t> rows, std::span<const double> coefficients,
                           std::span<double> out) const {
  const std::lock_guard lock(mutex_);
  const DenseKernels& kernels = dense_kernels(simd_level());
  Chunk chunk;
  for (std::size_t begin = 0; begin < rows.size(); begin += kScratchRows) {
    const std::size_t some = std::min(kScratchRows, rows.size() - begin);
    if (poll_) poll_();
    fetch(rows.subspan(begin, some), chunk);
    make_whole(chunk);
    const std::span<const double> scale = coefficients.subspan(begin, some);
    const std::size_t count = pieces((some + chunk.missing.size() * kComputeCost) * columns());
    const auto body = [&](std::size_t index, std::size_t) {
      const std::size_t first = count == 1 ? 0 : index * kPiece;
      const std::size_t last = count == 1 ? columns() : std::min(columns(), first + kPiece);
      compute(chunk, first, last);
      std::size_t r = 0;
      for (; r + 4 <= some; r += 4) {
        const float* const four[4] = {chunk.row[r] + first, chunk.row[r + 1] + first, chunk.row[r + 2] + first,
                                      chunk.row[r + 3] + first};
        kernels.axpy4(scale.data() + r, four, out.data() + first, last - first);
      }
      for (; r < some; ++r) kernels.axpy_f(scale[r], chunk.row[r] + first, out.data() + first, last - first);
    };
    if (count == 1)
      body(0, 0);
    else
      pool_.run(count, body);
  }
}

void GramCache::multiply(std::span<const double> v, std::span<double> out) const {
  const DenseKernels& kernels = dense_kernels(simd_level());
  each_row([&](std::size_t i, const float* row) { out[i] = kernels.dot_fd(row, v.data(), columns()); });
}

void GramCache::each_row(const std::function<void(std::size_t i, const float* row)>& body) const {
  const std::lock_guard lock(mutex_);
  Chunk chunk;
  std::vector<std::uint32_t> some;
  for (std::size_t begin = 0; begin < rows(); begin += kScratchRows) {
    some.clear();
    if (poll_) poll_();
    for (std::size_t i = begin; i < std::min(rows(), begin + kScratchRows); ++i)
      some.push_back(static_cast<std::uint32_t>(i));
    fetch(some, chunk);
    make_whole(chunk);
    const std::size_t count = pieces(chunk.missing.size() * kComputeCost * columns());
    const auto piece = [&](std::size_t index, std::size_t) {
      const std::size_t first = count == 1 ? 0 : index * kPiece;
      compute(chunk, first, count == 1 ? columns() : std::min(columns(), first + kPiece));
    };
    if (count == 1)
      piece(0, 0);
    else
      pool_.run(count, piece);
    for (std::size_t i = 0; i < some.size(); ++i) body(begin + i, chunk.row[i]);
  }
}

}  // namespace dorm
