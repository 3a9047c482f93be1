// SPDX-License-Identifier: Apache-2.0
// a constant past the cutoff n, any gains: all documents start in a tail sorted by score at positions n, n+1, ...;
// the top positions are then filled one by one along best augmenting paths.
//
// A path starts at the new position. A vacant top position j takes the document of another top position, or one
// from the tail; the hole left in the tail is closed by moving everyone behind it up (the path ends), or by
// putting the document of another top position at its place in score order and moving those between by one
// (the path goes on from there). Because the tail is sorted, these moves cost prefix sums and no other move
// inside the tail is better, so a path is a walk over top positions. One pass over the list finds, for every j
// and every stretch of the tail between two top documents, the best document to take: that gives all edges.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "oracle/algorithms.h"
#include "oracle/limits.h"
#include "oracle/ties.h"

namespace dorm::oracle {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kLanes = 8;
constexpr std::uint8_t kTail = 255;
typedef double Lanes __attribute__((vector_size(kLanes * sizeof(double))));

// For each top position the best tail document of one stretch: `close` if those behind it move up, `open` if
// those before it move down; each with the rank of that document.
template <std::size_t W>
struct Stretch {
  Lanes close[W], close_rank[W], open[W], open_rank[W];
};

// Where a top document would stand in the tail.
struct Boundary {
  double up, down;    // prefix costs of moving the tail up and down
  std::size_t index;  // tail documents before it
  std::size_t top;    // its position
};

// The list in score order, and who is at the top.
struct List {
  std::size_t l, n;
  const double *g, *b;              // by rank
  const double *a, *c;              // by position; a is zero from n on
  std::uint8_t* top_of;             // by rank: its top position, or kTail
  std::uint32_t rank_at[kMaxExchange];  // by top position
  double tolerance;
};

template <std::size_t W>
[[gnu::always_inline]] inline void clear(Stretch<W>& s) {
  const Lanes nothing = Lanes{} - kInfinity;
  for (std::size_t w = 0; w < W; ++w) s.close[w] = s.open[w] = s.close_rank[w] = s.open_rank[w] = nothing;
}

// One pass over the list: stretches and the boundaries between them. Lane j is top position j.
template <std::size_t W>
[[gnu::always_inline]] inline std::size_t scan(const List& list, Stretch<W>* stretch, Boundary* boundary) {
  Lanes c[W] = {}, a[W] = {};
  for (std::size_t w = 0; w < W; ++w) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const std::size_t j = w * kLanes + k;
      c[w][k] = j < list.n ? list.c[j] : 0;
      a[w][k] = j < list.n ? list.a[j] : 0;
    }
  }
  Stretch<W> now;
  clear(now);
  const double* tail_c = list.c + list.n;
  double up = 0, down = 0;
  std::size_t index = 0, boundaries = 0;
  for (std::size_t r = 0; r < list.l; ++r) {
    if (list.top_of[r] != kTail) {
      stretch[boundaries] = now;
      boundary[boundaries++] = {up, down, index, list.top_of[r]};
      clear(now);
      continue;
    }
    const double g = list.g[r], b = list.b[r], here = tail_c[index], leave = -here * g;
    const double rank = static_cast<double>(r);
    up += (list.c[list.n + index - 1] - here) * g;
    const double close = leave - up, open = leave + down;
    for (std::size_t w = 0; w < W; ++w) {
      const Lanes enter = c[w] * g - a[w] * b;
      const Lanes closing = enter + close, opening = enter + open;
      const auto closes = closing > now.close[w];
      const auto opens = opening > now.open[w];
      now.close[w] = closes ? closing : now.close[w];
      now.close_rank[w] = closes ? Lanes{} + rank : now.close_rank[w];
      now.open[w] = opens ? opening : now.open[w];
      now.open_rank[w] = opens ? Lanes{} + rank : now.open_rank[w];
    }
    down += (tail_c[index + 1] - here) * g;
    ++index;
  }
  stretch[boundaries] = now;
  boundary[boundaries] = {up, down, index, list.n};
  return boundaries;
}

// edge[k][j]: what vacant position j gains when the document of boundary k leaves its own position, either for
// j itself or for the tail while j takes a tail document.
template <std::size_t W>
[[gnu::always_inline]] inline void make_edges(const List& list, const Stretch<W>* stretch, const Boundary* boundary,
                                              std::size_t boundaries, Lanes (*edge)[W]) {
  Stretch<W> best;
  clear(best);
  for (std::size_t k = 0; k < boundaries; ++k) {
    const Boundary& at = boundary[k];
    const std::uint32_t rank = list.rank_at[at.top];
    const double g = list.g[rank], b = list.b[rank];
    const double leave = list.a[at.top] * b - list.c[at.top] * g;
    const double into_tail = at.up + list.c[list.n + at.index - 1] * g + leave;
    for (std::size_t w = 0; w < W; ++w) {
      best.close[w] = stretch[k].close[w] > best.close[w] ? stretch[k].close[w] : best.close[w];
      Lanes c, a;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        c[lane] = list.c[std::min(w * kLanes + lane, list.n)];
        a[lane] = list.a[std::min(w * kLanes + lane, list.n)];
      }
      const Lanes direct = c * g - a * b + leave, closing = best.close[w] + into_tail;
      edge[k][w] = direct > closing ? direct : closing;
    }
  }
  for (std::size_t k = boundaries; k-- > 0;) {
    const Boundary& at = boundary[k];
    const std::uint32_t rank = list.rank_at[at.top];
    const double g = list.g[rank], b = list.b[rank];
    const double into_tail = list.c[list.n + at.index] * g - at.down + list.a[at.top] * b - list.c[at.top] * g;
    for (std::size_t w = 0; w < W; ++w) {
      best.open[w] = stretch[k + 1].open[w] > best.open[w] ? stretch[k + 1].open[w] : best.open[w];
      const Lanes opening = best.open[w] + into_tail;
      edge[k][w] = edge[k][w] > opening ? edge[k][w] : opening;
    }
  }
}

// Longest paths from the new position over at most `boundaries` edges; fewer edges win ties, which keeps the
// moves of one path from interfering. parent[j] is the position before j.
template <std::size_t W>
[[gnu::always_inline]] inline void longest_paths(const List& list, std::size_t fresh, const Boundary* boundary,
                                                 std::size_t boundaries, const Lanes (*edge)[W], double* length,
                                                 std::size_t* parent) {
  constexpr std::size_t kPositions = W * kLanes;
  std::fill(length, length + kPositions, -kInfinity);
  length[fresh] = 0;
  for (std::size_t k = 0; k < boundaries; ++k) {
    length[boundary[k].top] = edge[k][fresh / kLanes][fresh % kLanes];
    parent[boundary[k].top] = fresh;
  }
  bool changed = true;
  for (std::size_t round = 1; round < boundaries && changed; ++round) {
    double before[kPositions];
    std::copy(length, length + kPositions, before);
    changed = false;
    for (std::size_t k = 0; k < boundaries; ++k) {
      const std::size_t top = boundary[k].top;
      double sum[kPositions];
      bool better = false;
      for (std::size_t j = 0; j < kPositions; ++j) {
        sum[j] = before[j] + edge[k][j / kLanes][j % kLanes];
        better |= sum[j] > length[top] + list.tolerance;
      }
      if (!better) continue;
      const std::size_t from = static_cast<std::size_t>(std::max_element(sum, sum + kPositions) - sum);
      length[top] = sum[from];
      parent[top] = from;
      changed = true;
    }
  }
}

// The rank of the tail document that gives edge[k][j]; kTail-free answer `rank_at` means the direct move.
template <std::size_t W>
[[gnu::always_inline]] inline std::uint32_t document_for(const List& list, const Stretch<W>* stretch,
                                                         const Boundary* boundary, std::size_t boundaries,
                                                         std::size_t k, std::size_t j) {
  const Boundary& at = boundary[k];
  const std::size_t w = j / kLanes, lane = j % kLanes;
  const std::uint32_t own = list.rank_at[at.top];
  const double g = list.g[own];
  double best = list.c[j] * g - list.a[j] * list.b[own];
  std::uint32_t rank = own;
  for (std::size_t m = 0; m <= boundaries; ++m) {
    const bool closing = m <= k;
    const double gain = closing ? stretch[m].close[w][lane] + at.up + list.c[list.n + at.index - 1] * g
                                : stretch[m].open[w][lane] - at.down + list.c[list.n + at.index] * g;
    if (gain > best) {
      best = gain;
      rank = static_cast<std::uint32_t>(closing ? stretch[m].close_rank[w][lane] : stretch[m].open_rank[w][lane]);
    }
  }
  return rank;
}

// Fills top position `fresh`. False if the path met itself, which rounding could cause.
template <std::size_t W>
[[gnu::always_inline]] inline bool augment(List& list, std::size_t fresh) {
  Stretch<W> stretch[kMaxExchange + 1];
  Boundary boundary[kMaxExchange + 1];
  Lanes edge[kMaxExchange][W];
  double length[W * kLanes];
  std::size_t parent[W * kLanes], boundary_of[W * kLanes];
  const std::size_t boundaries = scan<W>(list, stretch, boundary);
  make_edges<W>(list, stretch, boundary, boundaries, edge);
  longest_paths<W>(list, fresh, boundary, boundaries, edge, length, parent);
  for (std::size_t k = 0; k < boundaries; ++k) boundary_of[boundary[k].top] = k;

  double best = -kInfinity;
  std::size_t last = fresh;
  std::uint32_t taken = 0;
  for (std::size_t j = fresh + 1; j-- > 0;) {  // the new position first: the shortest path wins ties
    for (std::size_t m = 0; m <= boundaries; ++m) {
      const double total = length[j] + stretch[m].close[j / kLanes][j % kLanes];
      if (total > best + (j == last ? 0 : list.tolerance)) {
        best = total;
        last = j;
        taken = static_cast<std::uint32_t>(stretch[m].close_rank[j / kLanes][j % kLanes]);
      }
    }
  }
  std::uint32_t before[kMaxExchange];
  std::copy_n(list.rank_at, fresh, before);
  list.rank_at[last] = taken;
  std::size_t steps = 0;
  for (std::size_t j = last; j != fresh; j = parent[j]) {
    const std::uint32_t old = list.rank_at[j];
    list.rank_at[j] = before[j];
    list.rank_at[parent[j]] = document_for<W>(list, stretch, boundary, boundaries, boundary_of[j], parent[j]);
    list.rank_at[j] = old;
    if (++steps > boundaries) return false;
  }
  for (std::size_t j = 0; j < fresh; ++j) list.top_of[before[j]] = kTail;
  for (std::size_t j = 0; j <= fresh; ++j) {
    if (list.top_of[list.rank_at[j]] != kTail) return false;
    list.top_of[list.rank_at[j]] = static_cast<std::uint8_t>(j);
  }
  return true;
}

[[gnu::always_inline]] inline bool fill_top(List& list) {
  for (std::size_t fresh = 0; fresh < list.n; ++fresh) {
    const bool filled = fresh < kLanes ? augment<1>(list, fresh)
                        : fresh < 2 * kLanes ? augment<2>(list, fresh)
                                             : augment<kMaxExchange / kLanes>(list, fresh);
    if (!filled) return false;
  }
  return true;
}

bool fill_top_portable(List& list) { return fill_top(list); }
#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) bool fill_top_avx2(List& list) { return fill_top(list); }
__attribute__((target("avx512f,avx512dq,avx512vl"))) bool fill_top_avx512(List& list) { return fill_top(list); }
#endif

bool fill_top_at(SimdLevel level, List& list) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (level == SimdLevel::avx512) return fill_top_avx512(list);
  if (level == SimdLevel::avx2) return fill_top_avx2(list);
#endif
  static_cast<void>(level);
  return fill_top_portable(list);
}

}  // namespace

void rank_exchange(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  const PositionTables& t = *query.tables;
  std::uint32_t* order = reserve(work.order, l);
  sort_descending(g, {order, l}, work.sort);
  double *sorted_g = reserve(work.sorted_g, l), *sorted_b = reserve(work.sorted_b, l);
  double *a = reserve(work.key, t.cutoff + 1);
  const double centre = g[order[l / 2]];  // a common shift of the scores changes nothing
  double largest = 0;
  for (std::size_t r = 0; r < l; ++r) {
    sorted_g[r] = g[order[r]] - centre;
    sorted_b[r] = query.b[order[r]];
    largest = std::max(largest, sorted_b[r]);
  }
  for (std::size_t j = 0; j <= t.cutoff; ++j) a[j] = t.a[j] - t.a[l - 1];
  List list{l, t.cutoff, sorted_g, sorted_b, a, t.c.data(), reserve(work.exchange.top_of, l), {}, 0};
  const double spread = std::max(std::abs(sorted_g[0]), std::abs(sorted_g[l - 1]));
  list.tolerance = 1e-14 * (std::max(std::abs(t.c[0]), std::abs(t.c[l - 1])) * spread + a[0] * largest);
  std::fill_n(list.top_of, l, kTail);
  if (!fill_top_at(work.level, list)) return rank_paths(query, g, work);
  for (std::size_t j = 0; j < list.n; ++j) work.ranking[j] = order[list.rank_at[j]];
  for (std::size_t r = 0, j = list.n; r < l; ++r) {
    if (list.top_of[r] == kTail) work.ranking[j++] = order[r];
  }
  settle_ties(query, g, work);
}

}  // namespace dorm::oracle
