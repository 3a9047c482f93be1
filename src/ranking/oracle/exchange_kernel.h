// SPDX-License-Identifier: Apache-2.0
// The inner part of the exchange: filling the top positions along best augmenting paths. See exchange.cpp.
//
// A path starts at the new position. A vacant top position j takes the document of another top position, or one from
// the tail; the hole left in the tail is closed by moving everyone behind it up (the path ends), or by putting the
// document of another top position at its place in score order and moving those between by one (the path goes on from
// there). Because the tail is sorted, these moves cost prefix sums and no other move inside the tail is better, so a
// path is a walk over top positions. One pass over the tail finds, for every j and every stretch of the tail between
// two top documents, the best document to take: that gives all edges.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/numeric.h"
#include "base/vector/lanes_of.h"
#include "ranking/oracle/limits.h"

namespace dorm::oracle::exchange {

inline constexpr std::uint8_t kTail = 255;

// Lanes are top positions: W vectors of N, N being what the instruction set has.
template <std::size_t N>
using Vector = typename LanesOf<N>::Doubles;

// For each top position the best tail document of one stretch: `close` if those behind it move up, `open` if those
// before it move down.
template <std::size_t N, std::size_t W>
struct Stretch {
  Vector<N> close[W], open[W];
};

// Where a top document would stand in the tail.
struct Boundary {
  double up, down;  // prefix costs of moving the tail up and down
  double close_weight,
      open_weight;        // its weight there after a hole before it closed, or one behind it opened
  std::size_t top;        // where it stands
  std::size_t candidate;  // which document it is
};

// The candidates in score order, and which of them are at the top. Between candidates stand documents that stay in the
// tail whatever happens; row i of `gap` holds, for the documents between candidates i - 1 and i,
//   gap[q] = sum_r c[r + q - 1] g_r,
// r being their place in score order, from 0: with m documents before them at the top they stand at c[r + q - 1]
// for q = n + 1 - m.
struct Candidates {
  std::size_t size, n, stride;
  const double *g, *b, *gap;       // by candidate
  const std::uint32_t* rank;       // by candidate: place in score order, from 0
  const double *a, *c;             // by position; a is zero from n on
  double *close, *open;            // by candidate of the tail: what leaving it brings beside the new place
  std::uint8_t* top_of;            // by candidate: its top position, or kTail
  std::uint32_t at[kMaxExchange];  // by top position: its candidate
  double tolerance;
};

template <std::size_t N, std::size_t W>
struct Weights {
  Vector<N> c[W], a[W];
};

template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline void clear(Stretch<N, W>& s) {
  const Vector<N> nothing = Vector<N>{} - kInfinity;
  for (std::size_t w = 0; w < W; ++w) s.close[w] = s.open[w] = nothing;
}

template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline void load(const Candidates& list, Weights<N, W>& weights) {
  double c[W * N], a[W * N];
  for (std::size_t j = 0; j < W * N; ++j) {
    c[j] = list.c[std::min(j, list.n)];
    a[j] = list.a[std::min(j, list.n)];
  }
  std::memcpy(weights.c, c, sizeof c);
  std::memcpy(weights.a, a, sizeof a);
}

// One pass over the candidates: stretches and the boundaries between them. Lane j is top position j.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline std::size_t scan(const Candidates& list, const Weights<N, W>& weights,
                                               Stretch<N, W>* stretch, Boundary* boundary) {
  Stretch<N, W> now;
  clear(now);
  double up = 0, down = 0;
  std::size_t boundaries = 0;
  for (std::size_t i = 0; i < list.size; ++i) {
    const double* gap = list.gap + i * list.stride + (list.n + 1 - boundaries);
    up += gap[-1] - gap[0];
    down += gap[1] - gap[0];
    const double g = list.g[i];
    const double* here = list.c + (list.n + list.rank[i] - boundaries);
    if (list.top_of[i] != kTail) {
      stretch[boundaries] = now;
      boundary[boundaries++] = {up, down, here[-1], here[0], list.top_of[i], i};
      clear(now);
      continue;
    }
    const double b = list.b[i], leave = -here[0] * g;
    up += (here[-1] - here[0]) * g;
    const double close = leave - up, open = leave + down;
    list.close[i] = close;
    list.open[i] = open;
    for (std::size_t w = 0; w < W; ++w) {
      const Vector<N> enter = weights.c[w] * g - weights.a[w] * b;
      const Vector<N> closing = enter + close, opening = enter + open;
      now.close[w] = closing > now.close[w] ? closing : now.close[w];
      now.open[w] = opening > now.open[w] ? opening : now.open[w];
    }
    down += (here[1] - here[0]) * g;
  }
  stretch[boundaries] = now;
  return boundaries;
}

// edge[k][j]: what vacant position j gains when the document of boundary k leaves its own position, either for j itself
// or for the tail while j takes a tail document.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline void make_edges(const Candidates& list, const Weights<N, W>& weights,
                                              const Stretch<N, W>* stretch, const Boundary* boundary,
                                              std::size_t boundaries, Vector<N> (*edge)[W]) {
  Stretch<N, W> best;
  clear(best);
  for (std::size_t k = 0; k < boundaries; ++k) {
    const Boundary& at = boundary[k];
    const double g = list.g[at.candidate], b = list.b[at.candidate];
    const double leave = list.a[at.top] * b - list.c[at.top] * g, into_tail = at.up + at.close_weight * g;
    for (std::size_t w = 0; w < W; ++w) {
      best.close[w] = stretch[k].close[w] > best.close[w] ? stretch[k].close[w] : best.close[w];
      const Vector<N> direct = weights.c[w] * g - weights.a[w] * b, closing = best.close[w] + into_tail;
      edge[k][w] = (direct > closing ? direct : closing) + leave;
    }
  }
  for (std::size_t k = boundaries; k-- > 0;) {
    const Boundary& at = boundary[k];
    const double g = list.g[at.candidate], b = list.b[at.candidate];
    const double leave = list.a[at.top] * b - list.c[at.top] * g, into_tail = at.open_weight * g - at.down;
    for (std::size_t w = 0; w < W; ++w) {
      best.open[w] = stretch[k + 1].open[w] > best.open[w] ? stretch[k + 1].open[w] : best.open[w];
      const Vector<N> opening = (best.open[w] + into_tail) + leave;
      edge[k][w] = edge[k][w] > opening ? edge[k][w] : opening;
    }
  }
}

// reach[j]: the most that can still be gained once position j is vacant, over paths of at most `boundaries` edges;
// next[j]: the boundary the path goes on to, or negative where it ends. Fewer edges win ties, which keeps the moves of
// one path from interfering.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline void longest_paths(double tolerance, const Boundary* boundary, std::size_t boundaries,
                                                 const Vector<N> (*edge)[W], Vector<N>* reach, Vector<N>* next) {
  bool changed = true;
  for (std::size_t round = 0; round < boundaries && changed; ++round) {
    Vector<N> before[W];
    double from[W * N];
    for (std::size_t w = 0; w < W; ++w) before[w] = reach[w] + tolerance;
    std::memcpy(from, reach, sizeof from);
    for (std::size_t k = 0; k < boundaries; ++k) {
      const double onward = from[boundary[k].top], name = static_cast<double>(k);
      for (std::size_t w = 0; w < W; ++w) {
        const Vector<N> total = edge[k][w] + onward;
        const auto better = total > before[w];
        next[w] = better ? Vector<N>{} + name : next[w];
        reach[w] = better ? total : reach[w];
        before[w] = better ? total : before[w];
      }
    }
    std::uint64_t old_bits[W * N], new_bits[W * N], differing = 0;
    std::memcpy(old_bits, from, sizeof old_bits);
    std::memcpy(new_bits, reach, sizeof new_bits);
    for (std::size_t j = 0; j < W * N; ++j) differing |= old_bits[j] ^ new_bits[j];
    changed = differing != 0;
  }
}

// The tail document of candidates [first, last) that is best for position j, `leaving` being close or open: the one
// whose lane is the best of its stretch.
[[gnu::always_inline]] inline std::uint32_t best_of_tail(const Candidates& list, const double* leaving, std::size_t j,
                                                         std::size_t first, std::size_t last) {
  double best = -kInfinity;
  std::size_t answer = first;
  for (std::size_t i = first; i < last; ++i) {
    const double gain = (list.c[j] * list.g[i] - list.a[j] * list.b[i]) + leaving[i];
    if (list.top_of[i] != kTail || !(gain > best)) continue;
    best = gain;
    answer = i;
  }
  return static_cast<std::uint32_t>(answer);
}

// Who takes position j on edge[k][j]: the document of boundary k itself, or one of the tail.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline std::uint32_t taker(const Candidates& list, const Stretch<N, W>* stretch,
                                                  const Boundary* boundary, std::size_t boundaries, std::size_t k,
                                                  std::size_t j) {
  const std::size_t w = j / N, lane = j % N;
  const Boundary& at = boundary[k];
  const double g = list.g[at.candidate];
  double best = list.c[j] * g - list.a[j] * list.b[at.candidate];
  std::size_t from = boundaries + 1;
  for (std::size_t m = 0; m <= boundaries; ++m) {
    const double gain = m <= k ? stretch[m].close[w][lane] + (at.up + at.close_weight * g)
                               : stretch[m].open[w][lane] + (at.open_weight * g - at.down);
    if (gain > best) {
      best = gain;
      from = m;
    }
  }
  if (from > boundaries) return static_cast<std::uint32_t>(at.candidate);
  return best_of_tail(list, from <= k ? list.close : list.open, j, from > 0 ? boundary[from - 1].candidate + 1 : 0,
                      from < boundaries ? boundary[from].candidate : list.size);
}

// Moves everyone along the path from `fresh`. False if the path met itself, which only rounding could cause.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline bool follow(Candidates& list, std::size_t fresh, const Stretch<N, W>* stretch,
                                          const Boundary* boundary, std::size_t boundaries, const double* next) {
  std::uint32_t before[kMaxExchange];
  std::copy_n(list.at, fresh, before);
  std::size_t j = fresh;
  for (std::size_t steps = 0; next[j] >= 0; ++steps) {
    const auto k = static_cast<std::size_t>(next[j]);
    list.at[j] = taker<N, W>(list, stretch, boundary, boundaries, k, j);
    j = boundary[k].top;
    if (steps > boundaries) return false;
  }
  list.at[j] = best_of_tail(list, list.close, j, 0, list.size);
  for (std::size_t top = 0; top < fresh; ++top) list.top_of[before[top]] = kTail;
  for (std::size_t top = 0; top <= fresh; ++top) {
    if (list.top_of[list.at[top]] != kTail) return false;
    list.top_of[list.at[top]] = static_cast<std::uint8_t>(top);
  }
  return true;
}

// Fills top position `fresh`.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline bool augment(Candidates& list, const Weights<N, W>& weights, std::size_t fresh) {
  Stretch<N, W> stretch[W * N + 1];
  Boundary boundary[W * N];
  Vector<N> edge[W * N][W];
  Vector<N> reach[W], next[W];
  const std::size_t boundaries = scan(list, weights, stretch, boundary);
  make_edges(list, weights, stretch, boundary, boundaries, edge);
  for (std::size_t w = 0; w < W; ++w) {
    next[w] = Vector<N>{} - 1.0;
    reach[w] = stretch[0].close[w];
    for (std::size_t m = 1; m <= boundaries; ++m)
      reach[w] = stretch[m].close[w] > reach[w] ? stretch[m].close[w] : reach[w];
  }
  longest_paths<N, W>(list.tolerance, boundary, boundaries, edge, reach, next);
  double hop[W * N];
  std::memcpy(hop, next, sizeof hop);
  return follow<N, W>(list, fresh, stretch, boundary, boundaries, hop);
}

// Fills top positions from `fresh` on, as many as there are lanes.
template <std::size_t N, std::size_t W>
[[gnu::always_inline]] inline bool fill_lanes(Candidates& list, std::size_t& fresh) {
  Weights<N, W> weights;
  load(list, weights);
  for (; fresh < std::min(list.n, N * W); ++fresh)
    if (!augment<N, W>(list, weights, fresh)) return false;
  return true;
}

template <std::size_t N>
[[gnu::always_inline]] inline bool fill_top(Candidates& list) {
  std::size_t fresh = 0;
  return fill_lanes<N, 8 / N>(list, fresh) && (list.n <= 8 || fill_lanes<N, 16 / N>(list, fresh)) &&
         (list.n <= 16 || fill_lanes<N, 32 / N>(list, fresh)) &&
         (list.n <= 32 || fill_lanes<N, kMaxExchange / N>(list, fresh));
}

}  // namespace dorm::oracle::exchange
