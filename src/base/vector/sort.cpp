// SPDX-License-Identifier: Apache-2.0
#include "base/vector/sort.h"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace dorm {
namespace {

using Item = SortWorkspace::Item;

bool before(const Item& x, const Item& y) { return x.score > y.score || (x.score == y.score && x.index < y.index); }

void insertion_sort(Item* first, Item* last) {
  for (Item* here = first + 1; here < last; ++here) {
    const Item item = *here;
    Item* hole = here;
    for (; hole > first && before(item, hole[-1]); --hole) *hole = hole[-1];
    *hole = item;
  }
}

// Lists up to this length are sorted by counting; the best limit was measured.
constexpr std::size_t kCountLimit = 96;
constexpr std::size_t kInsertionLimit = 24;
constexpr std::size_t kCacheLimit = 4096;  // lists that sort in the first-level caches
constexpr std::size_t kParts = 256;        // parts of longer ones

#if defined(__x86_64__) && defined(__GNUC__)
// The position of document i is the number of larger scores plus the number of equal scores before it. Eight documents
// at a time: earlier ones count when >=, later ones when >, the eight themselves by both rules.
__attribute__((target("avx512f,avx512dq,avx512vl"))) void count_ranks_avx512(const double* g, std::size_t l,
                                                                             std::uint32_t* order) {
  const __m512i one = _mm512_set1_epi64(1);
  for (std::size_t block = 0; block < l; block += 8) {
    const std::size_t lanes = std::min<std::size_t>(8, l - block);
    const __mmask8 live = static_cast<__mmask8>((1u << lanes) - 1);
    const __m512d mine = _mm512_maskz_loadu_pd(live, g + block);
    __m512i even = _mm512_setzero_si512(), odd = even;
    std::size_t j = 0;
    for (; j + 2 <= block; j += 2) {
      even = _mm512_mask_add_epi64(even, _mm512_cmp_pd_mask(_mm512_set1_pd(g[j]), mine, _CMP_GE_OQ), even, one);
      odd = _mm512_mask_add_epi64(odd, _mm512_cmp_pd_mask(_mm512_set1_pd(g[j + 1]), mine, _CMP_GE_OQ), odd, one);
    }
    for (j = block; j < block + lanes; ++j) {
      const __m512d other = _mm512_set1_pd(g[j]);
      const auto later = static_cast<__mmask8>(~((2u << (j - block)) - 1));
      const auto wins = static_cast<__mmask8>(_mm512_cmp_pd_mask(other, mine, _CMP_GT_OQ) |
                                              (_mm512_cmp_pd_mask(other, mine, _CMP_EQ_OQ) & later));
      even = _mm512_mask_add_epi64(even, wins, even, one);
    }
    for (; j + 2 <= l; j += 2) {
      even = _mm512_mask_add_epi64(even, _mm512_cmp_pd_mask(_mm512_set1_pd(g[j]), mine, _CMP_GT_OQ), even, one);
      odd = _mm512_mask_add_epi64(odd, _mm512_cmp_pd_mask(_mm512_set1_pd(g[j + 1]), mine, _CMP_GT_OQ), odd, one);
    }
    for (; j < l; ++j) {
      even = _mm512_mask_add_epi64(even, _mm512_cmp_pd_mask(_mm512_set1_pd(g[j]), mine, _CMP_GT_OQ), even, one);
    }
    alignas(64) std::uint64_t rank[8];
    _mm512_store_si512(rank, _mm512_add_epi64(even, odd));
    for (std::size_t k = 0; k < lanes; ++k) order[rank[k]] = static_cast<std::uint32_t>(block + k);
  }
}

__attribute__((target("avx2"))) void count_ranks_avx2(const double* g, std::size_t l, std::uint32_t* order) {
  const std::size_t whole = l / 4 * 4;
  for (std::size_t block = 0; block < whole; block += 4) {
    const __m256d mine = _mm256_loadu_pd(g + block);
    const __m256i index =
        _mm256_add_epi64(_mm256_set1_epi64x(static_cast<long long>(block)), _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i rank = _mm256_setzero_si256();
    for (std::size_t j = 0; j < block; ++j) {
      const __m256d wins = _mm256_cmp_pd(_mm256_set1_pd(g[j]), mine, _CMP_GE_OQ);
      rank = _mm256_sub_epi64(rank, _mm256_castpd_si256(wins));
    }
    for (std::size_t j = block; j < block + 4; ++j) {
      const __m256d other = _mm256_set1_pd(g[j]);
      const __m256i later = _mm256_cmpgt_epi64(index, _mm256_set1_epi64x(static_cast<long long>(j)));
      const __m256d tie = _mm256_and_pd(_mm256_cmp_pd(other, mine, _CMP_EQ_OQ), _mm256_castsi256_pd(later));
      const __m256d wins = _mm256_or_pd(_mm256_cmp_pd(other, mine, _CMP_GT_OQ), tie);
      rank = _mm256_sub_epi64(rank, _mm256_castpd_si256(wins));
    }
    for (std::size_t j = block + 4; j < l; ++j) {
      const __m256d wins = _mm256_cmp_pd(_mm256_set1_pd(g[j]), mine, _CMP_GT_OQ);
      rank = _mm256_sub_epi64(rank, _mm256_castpd_si256(wins));
    }
    alignas(32) std::uint64_t ranks[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(ranks), rank);
    for (std::size_t k = 0; k < 4; ++k) order[ranks[k]] = static_cast<std::uint32_t>(block + k);
  }
  for (std::size_t i = whole; i < l; ++i) {
    std::size_t rank = 0;
    for (std::size_t j = 0; j < i; ++j) rank += g[j] >= g[i];
    for (std::size_t j = i + 1; j < l; ++j) rank += g[j] > g[i];
    order[rank] = static_cast<std::uint32_t>(i);
  }
}
#endif

// Linear interpolation between the largest and the smallest score: bucket numbers grow as scores fall.
struct Interpolation {
  double top, scale;
  std::size_t operator()(double score) const {
    return static_cast<std::size_t>(static_cast<std::int64_t>((top - score) * scale));
  }
};

// Puts items into `to` by bucket, buckets first_bucket .. first_bucket + buckets - 1, and sorts what shares one.
void sort_buckets(const Item* from, std::size_t count, Item* to, const Interpolation& bucket, std::size_t first_bucket,
                  std::size_t buckets, std::uint32_t* start) {
  std::fill(start, start + buckets + 1, 0u);
  for (std::size_t i = 0; i < count; ++i) ++start[bucket(from[i].score) - first_bucket + 1];
  for (std::size_t k = 0; k < buckets; ++k) start[k + 1] += start[k];
  for (std::size_t i = 0; i < count; ++i) to[start[bucket(from[i].score) - first_bucket]++] = from[i];
  // Every start has moved to the end of its bucket.
  for (std::size_t k = 0, first = 0; k < buckets; ++k) {
    const std::size_t last = start[k];
    if (last - first > kInsertionLimit)
      std::sort(to + first, to + last, before);
    else if (last - first > 1)
      insertion_sort(to + first, to + last);
    first = last;
  }
}

// Long lists are first split into parts that fit the cache, each a range of 2^shift buckets.
const Item* sort_parts(std::size_t l, const Interpolation& bucket, SortWorkspace& work) {
  std::size_t shift = 0;
  while (l >> shift > kParts) ++shift;
  std::uint32_t* part = work.start.data() + l + 1;
  std::fill(part, part + kParts + 2, 0u);
  Item *items = work.items.data(), *other = work.items.data() + l;
  for (std::size_t i = 0; i < l; ++i) ++part[(bucket(items[i].score) >> shift) + 1];
  for (std::size_t k = 0; k <= kParts; ++k) part[k + 1] += part[k];
  for (std::size_t i = 0; i < l; ++i) other[part[bucket(items[i].score) >> shift]++] = items[i];
  for (std::size_t k = 0, first = 0; k <= kParts; ++k) {
    const std::size_t last = part[k];
    sort_buckets(other + first, last - first, items + first, bucket, k << shift, std::size_t{1} << shift,
                 work.start.data());
    first = last;
  }
  return items;
}

void bucket_sort(std::span<const double> g, std::span<std::uint32_t> order, SortWorkspace& work) {
  const std::size_t l = g.size();
  double top = g[0], bottom = g[0];
  for (double x : g) {
    top = x > top ? x : top;
    bottom = x < bottom ? x : bottom;
  }
  if (top == bottom) {
    for (std::size_t i = 0; i < l; ++i) order[i] = static_cast<std::uint32_t>(i);
    return;
  }
  if (work.items.size() < 2 * l) {
    work.items.resize(2 * l);
    work.start.resize(l + 1 + kParts + 2);
  }
  const Item* sorted = work.items.data();
  for (std::size_t i = 0; i < l; ++i) work.items[i] = {g[i], static_cast<std::uint32_t>(i)};
  const Interpolation bucket{top, static_cast<double>(l - 1) / (top - bottom)};
  if (!std::isfinite(bucket.scale) || !std::isfinite(top - bottom)) {
    std::sort(work.items.data(), work.items.data() + l, before);
  } else if (l <= kCacheLimit) {
    sort_buckets(work.items.data(), l, work.items.data() + l, bucket, 0, l, work.start.data());
    sorted += l;
  } else {
    sorted = sort_parts(l, bucket, work);
  }
  for (std::size_t r = 0; r < l; ++r) order[r] = sorted[r].index;
}

}  // namespace

void sort_descending(std::span<const double> scores, std::span<std::uint32_t> order, SortWorkspace& work,
                     SimdLevel level) {
  const std::size_t l = scores.size();
#if defined(__x86_64__) && defined(__GNUC__)
  if (l <= kCountLimit && level == SimdLevel::avx512) return count_ranks_avx512(scores.data(), l, order.data());
  if (l <= kCountLimit / 2 && level == SimdLevel::avx2) return count_ranks_avx2(scores.data(), l, order.data());
#endif
  static_cast<void>(level);
  if (l <= kInsertionLimit) {
    Item items[kInsertionLimit];
    for (std::size_t i = 0; i < l; ++i) items[i] = {scores[i], static_cast<std::uint32_t>(i)};
    insertion_sort(items, items + l);
    for (std::size_t r = 0; r < l; ++r) order[r] = items[r].index;
    return;
  }
  bucket_sort(scores, order, work);
}

}  // namespace dorm
