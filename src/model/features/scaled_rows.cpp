// SPDX-License-Identifier: Apache-2.0
#include "model/features/scaled_rows.h"

#include <algorithm>

#include "base/page_supply.h"
#include "base/parallel.h"
#include "base/vector/ordered_sum.h"
#include "data/scale/scale_rows.h"
#include "data/storage.h"

namespace dorm {

std::uint64_t dense_bytes(const Dataset& data) {
  return data.num_documents() * dense_stride(data.num_features()) * sizeof(float);
}

std::uint64_t default_kept_bytes(std::uint64_t feature_bytes) {
  constexpr std::uint64_t kSmall = std::uint64_t{512} << 20, kShare = 32;
  return feature_bytes <= kSmall ? feature_bytes : feature_bytes / kShare;
}

ScaledRows::View::View(const ScaledRows& owner, std::unique_ptr<Buffer> buffer, const DenseRows& rows)
    : owner_(&owner), buffer_(std::move(buffer)), rows_(rows) {}

ScaledRows::View::~View() {
  if (buffer_) owner_->give_back(std::move(buffer_), last_);
}

ScaledRows::ScaledRows(Dataset data, Scaling scaling, std::uint64_t kept_bytes, std::size_t threads, const Visit& visit)
    : data_(std::move(data)),
      scaling_(std::move(scaling)),
      threads_(thread_count(threads)),
      stride_(dense_stride(data_.num_features())),
      numbers_per_query_(num_scale_numbers(scaling_, data_.num_features())) {
  require_fitted(scaling_, data_);
  if (kept_bytes < dense_bytes(data_) && numbers_per_query_ > 0) {
    known_queries_ = std::min<std::size_t>(data_.num_queries(), kept_bytes / (numbers_per_query_ * sizeof(float)));
    known_ = PageBuffer<float>(known_queries_ * numbers_per_query_);
    kept_bytes -= known_.size() * sizeof(float);
  }
  const std::uint64_t documents = kept_bytes / std::max<std::uint64_t>(1, stride_ * sizeof(float));
  while (kept_queries_ < data_.num_queries() && data_.first_document(kept_queries_ + 1) <= documents) ++kept_queries_;
  kept_ = PageBuffer<float>(data_.first_document(kept_queries_) * stride_);
  const std::size_t visited = visit ? data_.num_queries() : std::max(known_queries_, kept_queries_);
  if (visited == 0) return;
  PageSupply pages;
  parallel_for(kPieces, threads, [&](std::size_t piece, std::size_t) {
    std::vector<float> scratch;
    const std::size_t begin = piece_begin(data_.num_queries(), kPieces, piece);
    const std::size_t end = std::min(visited, piece_begin(data_.num_queries(), kPieces, piece + 1));
    char* provided = kept_place(begin);
    for (std::size_t q = begin; q < end; ++q) {
      provided = pages.provide(provided, kept_place(q + 1), kept_place(end));
      prepare(q, q + 1 < end ? q + 1 : q, scratch, visit, piece);
    }
    let_go(data_, begin, std::min(end, kept_queries_));
  });
}

// Giving many small pages back takes as long as a pass over them.
ScaledRows::~ScaledRows() {
  constexpr std::size_t kBytesPerNanosecond = 16;
  parallel_for(kPieces, threads_worth(threads_, kept_.size() * sizeof(float) / kBytesPerNanosecond),
               [&](std::size_t piece, std::size_t) {
                 kept_.discard(piece_begin(kept_.size(), kPieces, piece),
                               piece_begin(kept_.size(), kPieces, piece + 1));
               });
}

char* ScaledRows::kept_place(std::size_t q) {
  return reinterpret_cast<char*>(kept_.data() + data_.first_document(std::min(q, kept_queries_)) * stride_);
}

void ScaledRows::prepare(std::size_t q, std::size_t next, std::vector<float>& scratch, const Visit& visit,
                         std::size_t piece) {
  DenseRows rows = dense_rows(data_.query(q));
  if (next != q) {
    const DenseRows upcoming = dense_rows(data_.query(next));
    rows.upcoming = {upcoming.data, upcoming.rows * upcoming.stride};
  }
  if (q >= kept_queries_ && scratch.size() < rows.rows * stride_) scratch.resize(rows.rows * stride_);
  float* const out = q < kept_queries_ ? kept_.data() + data_.first_document(q) * stride_ : scratch.data();
  if (q < known_queries_)
    scale_rows_noting(scaling_, rows, out, stride_, known_.data() + q * numbers_per_query_);
  else
    scale_rows(scaling_, rows, out, stride_);
  if (visit) visit(q, {out, rows.rows, rows.columns, stride_}, piece);
}

DenseRows ScaledRows::source(std::size_t q) const {
  if (q >= kept_queries_) return dense_rows(data_.query(q));
  const std::size_t first = data_.first_document(q);
  return {kept_.data() + first * stride_, data_.first_document(q + 1) - first, data_.num_features(), stride_};
}

ScaledRows::View ScaledRows::query(std::size_t q) const {
  const DenseRows from = source(q);
  if (q < kept_queries_) return View(from);
  std::unique_ptr<Buffer> buffer = take_buffer(q);
  if (buffer->query != q) {
    buffer->query = kNoQuery;
    if (buffer->values.size() < from.rows * stride_) buffer->values.resize(from.rows * stride_);
    if (q < known_queries_)
      scale_rows_again(scaling_, from, buffer->values.data(), stride_, known_.data() + q * numbers_per_query_);
    else
      scale_rows(scaling_, from, buffer->values.data(), stride_);
    buffer->query = q;
  }
  const DenseRows held = {buffer->values.data(), from.rows, from.columns, stride_, {}, true};
  return View(*this, std::move(buffer), held);
}

std::unique_ptr<ScaledRows::Buffer> ScaledRows::take_buffer(std::size_t q) const {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.reserve(++made_);
    return std::make_unique<Buffer>();
  }
  auto found = std::find_if(free_.begin(), free_.end(), [q](const auto& buffer) { return buffer->query == q; });
  if (found == free_.end()) found = free_.begin();
  std::unique_ptr<Buffer> buffer = std::move(*found);
  free_.erase(found);
  return buffer;
}

void ScaledRows::give_back(std::unique_ptr<Buffer> buffer, bool last) const {
  const std::lock_guard lock(mutex_);
  free_.insert(last ? free_.begin() : free_.end(), std::move(buffer));
}

}  // namespace dorm
