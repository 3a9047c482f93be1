// SPDX-License-Identifier: Apache-2.0
// The kernels that visit lists. A block of threads takes a piece: its lists one after the other. All sums are in double
// precision and in an order that neither the GPU nor its load changes, so a call gives the same bits again.
#pragma once

#include <cstdint>

#include "device/cuda/score_rows.cuh"

namespace dorm::cuda {

enum class Visit { linearize, refer_by_score, refer_by_gain, pull_back };

__host__ __device__ constexpr bool refers(Visit visit) {
  return visit == Visit::refer_by_score || visit == Visit::refer_by_gain;
}

/// Pointers into the memory of the GPU.
struct View {
  const float* rows;  // of the documents from first_document on
  std::uint64_t first_document;
  std::uint32_t first_piece;
  std::uint32_t columns;  // features and padding, in groups of four
  std::uint32_t features;
  std::uint32_t shared_documents;  // lists up to this length have their numbers in shared memory

  const std::uint64_t* query_begin;
  const std::uint32_t *query, *piece_begin;
  const double *share, *gain, *ideal, *kappa, *c, *a;
  double* reference;
  const std::uint32_t *table, *cutoff;

  const double* w;         // 4 columns numbers
  double* scores;          // by document, of long lists
  double* keys;            // by document, of long lists; of Visit::pull_back the coefficients
  std::uint32_t* chosen;   // by document, of long lists
  double* sums;            // by piece: features, value, loss
  std::uint32_t* changed;  // by list, when referred to
};

/// Bytes of shared memory of a block.
inline std::size_t shared_bytes(std::uint32_t columns, std::uint32_t shared_documents, Visit visit, bool wide) {
  std::size_t bytes = visit == Visit::pull_back ? 0 : std::size_t{columns} * 4 * sizeof(double);
  if (wide && !refers(visit)) bytes += std::size_t{columns} * 4 * sizeof(double);
  return bytes + std::size_t{shared_documents} * (2 * sizeof(double) + sizeof(std::uint32_t));
}

/// Numbers of the list at hand, in shared memory or, for a long list, in that of the GPU.
struct ListScratch {
  double *scores, *keys;  // keys: then coefficients
  std::uint32_t* chosen;  // ranks, then the documents with a coefficient
};

/// What documents are sorted by: a number, or one and then another.
struct PlainKeys {
  using Key = double;
  const double* keys;
  __device__ double operator[](int i) const { return keys[i]; }
  __device__ static double lowest() { return -INFINITY; }
};
struct Pair {
  double first, second;
  __device__ bool operator>(const Pair& other) const {
    return first > other.first || (first == other.first && second > other.second);
  }
  __device__ bool operator>=(const Pair& other) const { return !(other > *this); }
  __device__ bool operator==(const Pair& other) const { return first == other.first && second == other.second; }
};
struct PairKeys {
  using Key = Pair;
  const double *first, *second;
  __device__ Pair operator[](int i) const { return {first[i], second[i]}; }
  __device__ static Pair lowest() { return {-INFINITY, -INFINITY}; }
};

/// How many documents stand before i when sorted by key, equal ones by index.
template <class Keys>
__device__ std::uint32_t rank_of(const Keys& keys, int size, int i) {
  const typename Keys::Key key = keys[i];
  std::uint32_t rank = 0;
  int j = 0;
  for (; j + 4 <= i; j += 4)
    rank += (keys[j] >= key) + (keys[j + 1] >= key) + (keys[j + 2] >= key) + (keys[j + 3] >= key);
  for (; j < i; ++j) rank += keys[j] >= key;
  for (j = i + 1; j + 4 <= size; j += 4)
    rank += (keys[j] > key) + (keys[j + 1] > key) + (keys[j + 2] > key) + (keys[j + 3] > key);
  for (; j < size; ++j) rank += keys[j] > key;
  return rank;
}

/// Gathers the documents of which `on` holds, in their order; `count` of them were found before.
__device__ inline void gather(bool on, int i, std::uint32_t* chosen, int& count) {
  __shared__ int of_warp[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned votes = __ballot_sync(0xffffffffu, on);
  if (lane == 0) of_warp[warp] = __popc(votes);
  __syncthreads();
  int place = count;
  for (int k = 0; k < kWarps; ++k) {
    if (k < warp) place += of_warp[k];
    count += of_warp[k];
  }
  if (on) chosen[place + __popc(votes & ((1u << lane) - 1))] = i;
  __syncthreads();
}

/// A key that at least `wanted` documents reach: of the highest keys of the threads' shares, the wanted-th. At most
/// kThreads are wanted.
template <class Keys>
__device__ typename Keys::Key reached_by(const Keys& keys, int size, std::uint32_t wanted) {
  using Key = typename Keys::Key;
  __shared__ Key highest[kThreads];
  __shared__ Key found;
  Key mine = Keys::lowest();
  for (int i = threadIdx.x; i < size; i += kThreads)
    if (keys[i] > mine) mine = keys[i];
  highest[threadIdx.x] = mine;
  __syncthreads();
  std::uint32_t rank = 0;
  for (int k = 0; k < kThreads; ++k)
    rank += highest[k] > mine || (highest[k] == mine && k < static_cast<int>(threadIdx.x));
  if (rank + 1 == wanted) found = mine;
  __syncthreads();
  return found;
}

/// Ranks of all documents in `ranks`; those from `cutoff` on are all called cutoff. In a long list only documents that
/// reach what the cutoff-th reaches are compared.
template <class Keys>
__device__ void rank_all(const Keys& keys, std::uint32_t* ranks, int size, std::uint32_t cutoff) {
  int count = kThreads + 1;
  if (size > kThreads && cutoff > 0 && cutoff <= kThreads) {
    const typename Keys::Key least = reached_by(keys, size, cutoff);
    count = 0;
    for (int base = 0; base < size; base += kThreads) {
      const int i = base + threadIdx.x;
      gather(i < size && keys[i] >= least, i, ranks, count);
    }
  }
  if (count > kThreads) {
    for (int i = threadIdx.x; i < size; i += kThreads) ranks[i] = rank_of(keys, size, i);
    __syncthreads();
    return;
  }
  const int own = threadIdx.x < count ? ranks[threadIdx.x] : 0;
  const typename Keys::Key key = keys[own];
  std::uint32_t rank = 0;
  for (int k = 0; k < count; ++k) {
    const int other = ranks[k];
    rank += keys[other] > key || (keys[other] == key && other < own);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < size; i += kThreads) ranks[i] = cutoff;
  __syncthreads();
  if (threadIdx.x < count) ranks[own] = rank;
  __syncthreads();
}

/// Sums of a piece that a thread keeps: four columns of every rows_-th document with a coefficient, value and loss.
struct ThreadSums {
  double direction[4] = {0, 0, 0, 0};
  double value = 0, loss = 0;
};

/// Adds coefficient times row over the documents that were gathered.
template <bool kWide>
__device__ void add_rows(const float4* rows, std::uint32_t columns, const ListScratch& list, int count, double scale,
                         ThreadSums& sums, double* wide_sums) {
  if constexpr (kWide) {
    for (std::uint32_t column = threadIdx.x; column < columns; column += kThreads) {
      double x = 0, y = 0, z = 0, t = 0;
      for (int k = 0; k < count; ++k) {
        const std::uint32_t i = list.chosen[k];
        const double coefficient = scale * list.keys[i];
        const float4 row = rows[static_cast<std::size_t>(i) * columns + column];
        x = fma(coefficient, static_cast<double>(row.x), x);
        y = fma(coefficient, static_cast<double>(row.y), y);
        z = fma(coefficient, static_cast<double>(row.z), z);
        t = fma(coefficient, static_cast<double>(row.w), t);
      }
      double* const sum = wide_sums + 4 * column;
      sum[0] += x, sum[1] += y, sum[2] += z, sum[3] += t;
    }
  } else {
    const int rows_at_once = kThreads / columns, first = threadIdx.x / columns;
    const std::uint32_t column = threadIdx.x % columns;
    if (first >= rows_at_once) return;
#pragma unroll 4
    for (int k = first; k < count; k += rows_at_once) {
      const std::uint32_t i = list.chosen[k];
      const double coefficient = scale * list.keys[i];
      const float4 row = rows[static_cast<std::size_t>(i) * columns + column];
      sums.direction[0] = fma(coefficient, static_cast<double>(row.x), sums.direction[0]);
      sums.direction[1] = fma(coefficient, static_cast<double>(row.y), sums.direction[1]);
      sums.direction[2] = fma(coefficient, static_cast<double>(row.z), sums.direction[2]);
      sums.direction[3] = fma(coefficient, static_cast<double>(row.w), sums.direction[3]);
    }
  }
}

/// The most violated ranking by sorting: coefficients z0 - c in list.keys, documents with one in list.chosen. Returns
/// their number; value and loss are added to the sums of the threads.
__device__ inline int separate(const View& view, std::uint32_t q, std::uint64_t first, int size,
                               const ListScratch& list, ThreadSums& sums) {
  const double kappa = view.kappa[q], share = view.share[q];
  const std::uint32_t cutoff = view.cutoff[q], table = view.table[q];
  for (int i = threadIdx.x; i < size; i += kThreads) list.keys[i] = list.scores[i] - kappa * view.gain[first + i];
  __syncthreads();
  rank_all(PlainKeys{list.keys}, list.chosen, size, cutoff);
  int count = 0;
  for (int base = 0; base < size; base += kThreads) {
    const int i = base + threadIdx.x;
    bool on = false;
    if (i < size) {
      const std::uint32_t at = table + min(list.chosen[i], cutoff);
      const double delta = view.reference[first + i] - view.c[at];
      const double gained = view.a[at] * view.gain[first + i];
      sums.loss -= share * gained;
      sums.value -= share * (gained + delta * list.scores[i]);
      list.keys[i] = delta;
      on = delta != 0;
    }
    gather(on, i, list.chosen, count);
  }
  if (threadIdx.x == 0) {
    sums.loss += share * view.ideal[q];
    sums.value += share * view.ideal[q];
  }
  return count;
}

/// z0 of a list: c at the places of its documents when sorted, by gain first or by score alone.
template <Visit kVisit>
__device__ void refer_list(const View& view, std::uint32_t q, std::uint64_t first, int size, const ListScratch& list) {
  const std::uint32_t cutoff = view.cutoff[q], table = view.table[q];
  if constexpr (kVisit == Visit::refer_by_gain)
    rank_all(PairKeys{view.gain + first, list.scores}, list.chosen, size, cutoff);
  else
    rank_all(PlainKeys{list.scores}, list.chosen, size, cutoff);
  int changed = 0;
  for (int i = threadIdx.x; i < size; i += kThreads) {
    const double coefficient = view.c[table + min(list.chosen[i], cutoff)];
    changed |= view.reference[first + i] != coefficient;
    view.reference[first + i] = coefficient;
  }
  changed = __syncthreads_or(changed);
  if (threadIdx.x == 0) view.changed[q] = changed != 0;
}

/// Adds what the threads have kept, in their order, and writes the sums of the piece.
template <bool kWide>
__device__ void write_sums(const View& view, const ThreadSums& sums, const double* wide_sums, double* out) {
  __shared__ double kept[kThreads * 4];
  __syncthreads();
  if constexpr (kWide) {
    for (std::uint32_t j = threadIdx.x; j < view.features; j += kThreads) out[j] = wide_sums[j];
  } else {
    for (int k = 0; k < 4; ++k) kept[threadIdx.x * 4 + k] = sums.direction[k];
    __syncthreads();
    const int rows_at_once = kThreads / view.columns;
    for (std::uint32_t j = threadIdx.x; j < view.features; j += kThreads) {
      double sum = 0;
      for (int k = 0; k < rows_at_once; ++k) sum += kept[(k * view.columns + j / 4) * 4 + j % 4];
      out[j] = sum;
    }
    __syncthreads();
  }
  kept[threadIdx.x] = sums.value;
  kept[kThreads + threadIdx.x] = sums.loss;
  __syncthreads();
  if (threadIdx.x < 2) {
    double sum = 0;
    for (int k = 0; k < kThreads; ++k) sum += kept[threadIdx.x * kThreads + k];
    out[view.features + threadIdx.x] = sum;
  }
}

template <Visit kVisit, int kChunks, bool kWide>
__global__ void __launch_bounds__(kThreads) visit_pieces(const View view) {
  constexpr bool kSums = !refers(kVisit);
  extern __shared__ double shared[];
  double* const w = shared;
  double* const wide_sums = w + (kVisit == Visit::pull_back ? 0 : 4 * view.columns);
  double* const numbers = wide_sums + (kWide && kSums ? 4 * view.columns : 0);
  if constexpr (kVisit != Visit::pull_back)
    for (std::uint32_t j = threadIdx.x; j < 4 * view.columns; j += kThreads) w[j] = view.w[j];
  if constexpr (kWide && kSums)
    for (std::uint32_t j = threadIdx.x; j < 4 * view.columns; j += kThreads) wide_sums[j] = 0;
  __syncthreads();
  const std::uint32_t piece = view.first_piece + blockIdx.x;
  ThreadSums sums;
  for (std::uint32_t q = view.piece_begin[piece]; q < view.piece_begin[piece + 1]; ++q) {
    const std::uint64_t first = view.query_begin[view.query[q]];
    const int size = static_cast<int>(view.query_begin[view.query[q] + 1] - first);
    const auto* const rows = reinterpret_cast<const float4*>(view.rows) + (first - view.first_document) * view.columns;
    ListScratch list{numbers, numbers + view.shared_documents,
                     reinterpret_cast<std::uint32_t*>(numbers + 2 * view.shared_documents)};
    if (size > static_cast<int>(view.shared_documents))
      list = {view.scores + first, view.keys + first, view.chosen + first};
    if constexpr (kVisit != Visit::pull_back) {
      score_rows<kChunks>(rows, view.columns, size, w, list.scores);
      __syncthreads();
    }
    if constexpr (refers(kVisit)) {
      refer_list<kVisit>(view, q, first, size, list);
    } else {
      int count = 0;
      double scale = 1;
      if constexpr (kVisit == Visit::linearize) {
        count = separate(view, q, first, size, list, sums);
        scale = view.share[q];
      } else {
        list.keys = view.keys + first;
        for (int base = 0; base < size; base += kThreads) {
          const int i = base + threadIdx.x;
          gather(i < size && list.keys[i] != 0, i, list.chosen, count);
        }
      }
      add_rows<kWide>(rows, view.columns, list, count, scale, sums, wide_sums);
    }
    __syncthreads();
  }
  if constexpr (kSums) write_sums<kWide>(view, sums, wide_sums, view.sums + std::size_t{piece} * (view.features + 2));
}

/// Adds the pieces of every group, in order.
static __global__ void add_pieces(const double* sums, const std::uint32_t* group_begin, std::uint32_t size,
                                  double* out) {
  const std::uint32_t group = blockIdx.x;
  for (std::uint32_t j = threadIdx.x; j < size; j += blockDim.x) {
    double sum = 0;
    for (std::uint32_t piece = group_begin[group]; piece < group_begin[group + 1]; ++piece)
      sum += sums[std::size_t{piece} * size + j];
    out[std::size_t{group} * size + j] = sum;
  }
}

}  // namespace dorm::cuda
