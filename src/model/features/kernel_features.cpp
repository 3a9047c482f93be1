// SPDX-License-Identifier: Apache-2.0
#include "model/features/kernel_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/vector/ordered_sum.h"
#include "dorm/error.h"
#include "model/kernel/device_kernel.h"

namespace dorm {
namespace {

std::vector<std::size_t> block_offsets(const Dataset& data) {
  std::vector<std::size_t> begin(1, 0);
  for (std::size_t q = 0; q < data.num_queries(); ++q)
    begin.push_back(begin.back() + data.query(q).size() * data.query(q).size());
  return begin;
}

std::uint64_t left_for_rows(std::uint64_t cache_bytes, std::size_t block_entries) {
  const std::uint64_t blocks = block_entries * sizeof(float);
  if (blocks > cache_bytes / 2)
    throw Error(ErrorCode::bad_option,
                fmt::format("the cache is {:.3f} GB, but the kernel values within queries alone take {:.3f} GB, which "
                            "should be half of it at most; allow more, or take an approximation",
                            static_cast<double>(cache_bytes) / 1e9, static_cast<double>(blocks) / 1e9));
  return cache_bytes - blocks;
}

// sum_i |phi_i - mean|^2 of one query.
double scatter(std::span<const float> block, std::size_t size) {
  double diagonal = 0, all = 0;
  for (std::size_t i = 0; i < size; ++i) diagonal += static_cast<double>(block[i * size + i]);
  for (const float value : block) all += static_cast<double>(value);
  const double sum = size > 0 ? diagonal - all / static_cast<double>(size) : 0.0;
  return sum < 0 ? 0 : sum;  // what is not a number stays so
}

// The columns a query's documents occupy, from a multiple of the tile on.
std::vector<float> query_blocks(const KernelColumns& columns, const Documents& documents,
                                std::span<const std::size_t> begin, std::size_t threads) {
  const Dataset& data = documents.data();
  std::vector<float> blocks(begin.back());
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const std::size_t size = data.query(q).size(), first = data.first_document(q);
    const std::size_t aligned = first / KernelColumns::kTile * KernelColumns::kTile;
    const std::size_t width = first + size - aligned;
    std::vector<std::uint32_t> rows(size);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
    std::vector<float> values(size * width);
    columns.compute(documents, rows, aligned, first + size, values.data(), width);
    for (std::size_t i = 0; i < size; ++i)
      std::copy_n(values.data() + i * width + (first - aligned), size, blocks.data() + begin[q] + i * size);
  });
  return blocks;
}

}  // namespace

KernelFeatures::KernelFeatures(const Kernel& kernel, const Dataset& data, std::uint64_t cache_bytes,
                               const ComputeOptions& place)
    : documents_(data),
      block_begin_(block_offsets(data)),
      gram_(columns_at(place, kernel, documents_), documents_, left_for_rows(cache_bytes, block_begin_.back()),
            place.threads) {
  if (place.on_device())
    take_blocks();
  else
    blocks_ = query_blocks(gram_.kernel_columns(), documents_, block_begin_, place.threads);
}

// All rows once: the first of them are then kept, and a block has the bits of its rows.
void KernelFeatures::take_blocks() {
  blocks_.resize(block_begin_.back());
  gram_.each_row([&](std::size_t i, const float* row) {
    const std::size_t q = documents_.query_of(i), first = data().first_document(q), size = data().query(q).size();
    float* const block = blocks_.data() + block_begin_[q];
    for (std::size_t j = first; j < first + size; ++j)  // below the diagonal, and what it mirrors
      if (j <= i) block[(i - first) * size + (j - first)] = block[(j - first) * size + (i - first)] = row[j];
  });
}

float KernelFeatures::entry(std::uint32_t i, std::uint32_t j) const {
  const std::size_t q = documents_.query_of(i), first = data().first_document(q);
  return blocks_[block_begin_[q] + (i - first) * (data().first_document(q + 1) - first) + (j - first)];
}

double KernelFeatures::inner(const Plane& x, const Plane& y) const {
  if (x.columns.empty() || y.columns.empty()) return 0;
  // In one order, whichever comes first: the sum is then symmetric to the last bit.
  const bool swapped = std::tie(y.columns, y.direction) < std::tie(x.columns, x.direction);
  const Plane &a = swapped ? y : x, &b = swapped ? x : y;
  if (documents_.query_of(a.columns[0]) != documents_.query_of(b.columns[0])) {
    std::vector<double> w(dimension(), 0.0);
    add(1.0, a, w);
    return dot(w, b);
  }
  double sum = 0;
  for (std::size_t k = 0; k < a.columns.size(); ++k) {
    double row = 0;
    for (std::size_t m = 0; m < b.columns.size(); ++m)
      row += static_cast<double>(entry(a.columns[k], b.columns[m])) * static_cast<double>(b.direction[m]);
    sum += static_cast<double>(a.direction[k]) * row;
  }
  return sum;
}

void KernelFeatures::add_documents(std::span<const std::uint32_t> documents, std::span<const double> coefficients,
                                   std::span<double> w) const {
  for (std::size_t k = 0; k < documents.size(); ++k) w[documents[k]] += coefficients[k];
  gram_.accumulate(documents, coefficients, w.subspan(documents_.size()));
}

double KernelFeatures::centred_norm(std::size_t) const {
  double sum = 0;
  for (std::size_t q = 0; q < data().num_queries(); ++q)
    sum += scatter({blocks_.data() + block_begin_[q], block_begin_[q + 1] - block_begin_[q]}, data().query(q).size());
  return documents_.size() > 0 ? sum / static_cast<double>(documents_.size()) : 0.0;
}

double centred_kernel_norm(const Kernel& kernel, const Dataset& data, std::size_t threads) {
  const double total = ordered_sum(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    const Documents documents(data.select(std::span(&q, 1)));
    const std::size_t size = documents.size();
    std::vector<std::uint32_t> all(size);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<float> block(size * size);
    kernel.against(documents)->compute(documents, all, 0, size, block.data(), size);
    return scatter(block, size);
  });
  const auto documents = static_cast<double>(data.num_documents());
  return documents > 0 ? total / documents : 0.0;
}

}  // namespace dorm
