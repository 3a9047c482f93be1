// SPDX-License-Identifier: Apache-2.0
// a constant past the cutoff n, any gains: all documents start in a tail sorted by score at positions n, n+1, ...; the
// top positions are then filled one by one along best augmenting paths.
#include <algorithm>
#include <cmath>

#include "ranking/oracle/algorithms.h"
#include "ranking/oracle/exchange_kernel.h"
#include "ranking/oracle/ties.h"

namespace dorm::oracle {
namespace {

using namespace exchange;

// Top positions in steps of eight, whatever the instruction set has. `gap` needs three entries more.
constexpr std::size_t kStep = 8;
constexpr std::size_t kMaxStride = (kMaxExchange + 3 + kStep - 1) / kStep * kStep;

// A document with n documents before it in score order whose gains are not larger can stay in the tail: one of them is
// not at the top, and exchanging the two does not hurt. So candidates are the documents that enter the running list of
// the n smallest gains.
struct Search {
  const PreparedQuery& query;
  const double* g;
  const std::uint32_t* order;
  double centre;  // subtracted from every score, which does not change the best ranking
  std::size_t stride;
  double *candidate_g, *candidate_b;
  std::uint32_t* rank;
  std::size_t found = 0;
};

void find_candidates(Search& s) {
  const std::size_t l = s.query.size(), n = s.query.tables->cutoff;
  const double* b = s.query.b.data();
  const double floor = s.query.gains.empty() ? 0 : s.query.gains[0];
  double smallest[kMaxExchange];  // ascending
  for (std::size_t r = 0; r < l; ++r) {
    const double gain = b[s.order[r]];
    if (s.found >= n && gain >= smallest[n - 1]) continue;
    std::size_t hole = std::min(s.found, n - 1);
    for (; hole > 0 && smallest[hole - 1] > gain; --hole) smallest[hole] = smallest[hole - 1];
    smallest[hole] = gain;
    s.candidate_g[s.found] = s.g[s.order[r]] - s.centre;
    s.candidate_b[s.found] = gain;
    s.rank[s.found] = static_cast<std::uint32_t>(r);
    if (++s.found >= n && smallest[n - 1] <= floor) break;
  }
}

// The gap rows, see Candidates.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline void sum_gap_rows(const Search& s, double* gap) {
  const double* c = s.query.tables->c.data();
  for (std::size_t i = 0; i < s.found; ++i) {
    Vector<N> sums[W] = {};
    for (std::size_t r = i == 0 ? s.rank[0] : s.rank[i - 1] + 1; r < s.rank[i]; ++r) {
      const double score = s.g[s.order[r]] - s.centre;
      for (std::size_t w = 0; w < W; ++w) {
        Vector<N> weight;
        load_vector(c + r - 1 + w * N, weight);
        sums[w] += weight * score;
      }
    }
    for (std::size_t w = 0; w < W; ++w) store_vector(sums[w], gap + i * s.stride + w * N);
  }
}

template <std::size_t N>
[[gnu::always_inline]] inline void sum_gaps(const Search& s, double* gap) {
  if (s.stride == kStep)
    sum_gap_rows<N, kStep / N>(s, gap);
  else if (s.stride == 2 * kStep)
    sum_gap_rows<N, 2 * kStep / N>(s, gap);
  else if (s.stride == 4 * kStep)
    sum_gap_rows<N, 4 * kStep / N>(s, gap);
  else
    sum_gap_rows<N, kMaxStride / N>(s, gap);
}

struct ExchangeKernels {
  void (*sum_gaps)(const Search& s, double* gap);
  bool (*fill_top)(Candidates& list);
};

template <std::size_t N>
constexpr ExchangeKernels exchange_kernels(SimdLevel level) {
  return {compiled_for<sum_gaps<N>>(level), compiled_for<fill_top<N>>(level)};
}
constexpr ExchangeKernels kExchangeKernels[] = {exchange_kernels<2>(SimdLevel::portable),
                                                exchange_kernels<4>(SimdLevel::avx2),
                                                exchange_kernels<8>(SimdLevel::avx512)};

// Top documents, then everyone else in score order.
void write_ranking(const Candidates& list, const std::uint32_t* order, std::size_t l, std::uint32_t* ranking) {
  for (std::size_t j = 0; j < list.n; ++j) ranking[j] = order[list.rank[list.at[j]]];
  std::uint32_t* next = ranking + list.n;
  std::size_t from = 0;
  for (std::size_t i = 0; i < list.size; ++i) {
    if (list.top_of[i] == kTail) continue;
    next = std::copy(order + from, order + list.rank[i], next);
    from = list.rank[i] + 1;
  }
  std::copy(order + from, order + l, next);
}

}  // namespace

void rank_exchange(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  const PositionTables& t = *query.tables;
  std::uint32_t* order = reserve(work.order, l);
  sort_descending(g, {order, l}, work.sort, work.level);

  const ExchangeKernels& kernels = kExchangeKernels[static_cast<std::size_t>(work.level)];
  const std::size_t whole = (t.cutoff + 3 + kStep - 1) / kStep * kStep;
  const std::size_t stride = whole <= 2 * kStep ? whole : whole <= 4 * kStep ? 4 * kStep : kMaxStride;
  Search search{.query = query,
                .g = g.data(),
                .order = order,
                .centre = g[order[l / 2]],
                .stride = stride,
                .candidate_g = reserve(work.sorted_g, l),
                .candidate_b = reserve(work.sorted_b, l),
                .rank = reserve(work.list, l)};
  find_candidates(search);
  double* gap = reserve(work.exchange.gap, search.found * stride);
  kernels.sum_gaps(search, gap);

  double* a = reserve(work.key, t.cutoff + 1);
  for (std::size_t j = 0; j <= t.cutoff; ++j) a[j] = t.a[j] - t.a[l - 1];
  Candidates list{.size = search.found,
                  .n = t.cutoff,
                  .stride = stride,
                  .g = search.candidate_g,
                  .b = search.candidate_b,
                  .gap = gap,
                  .rank = search.rank,
                  .a = a,
                  .c = t.c.data(),
                  .close = reserve(work.exchange.close, l),
                  .open = reserve(work.exchange.open, l),
                  .top_of = reserve(work.exchange.top_of, l),
                  .at = {},
                  .tolerance = 0};
  const double largest = *std::max_element(list.b, list.b + list.size), spread = g[order[0]] - g[order[l - 1]];
  list.tolerance = 1e-14 * (std::max(std::abs(t.c[0]), std::abs(t.c[l - 1])) * spread + a[0] * largest);
  std::fill_n(list.top_of, list.size, kTail);
  if (!kernels.fill_top(list)) return rank_paths(query, g, work);
  write_ranking(list, order, l, work.ranking.data());
  settle_ties(query, g, work);
}

}  // namespace dorm::oracle
