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

#include "base/lanes.h"
#include "base/numeric.h"
#include "ranking/oracle/limits.h"

namespace dorm::oracle::exchange {

inline constexpr std::uint8_t kTail = 255;
inline constexpr std::size_t kMaxStride = (kMaxExchange + 3 + kLanes - 1) / kLanes * kLanes;

// For each top position the best tail document of one stretch: `close` if those behind it move up, `open` if those
// before it move down; each with that candidate.
template <std::size_t W>
struct Stretch {
  Lanes close[W], close_by[W], open[W], open_by[W];
};

// Where a top document would stand in the tail.
struct Boundary {
  double up, down;  // prefix costs of moving the tail up and down
  double close_weight,
      open_weight;  // its weight there after a hole before it closed, or one behind it opened
  std::size_t top;  // where it stands
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
  std::uint8_t* top_of;            // by candidate: its top position, or kTail
  std::uint32_t at[kMaxExchange];  // by top position: its candidate
  double tolerance;
};

template <std::size_t W>
struct Weights {
  Lanes c[W], a[W];
};

template <std::size_t W>
[[gnu::always_inline]] inline void clear(Stretch<W>& s) {
  const Lanes nothing = Lanes{} - kInfinity;
  for (std::size_t w = 0; w < W; ++w) s.close[w] = s.open[w] = s.close_by[w] = s.open_by[w] = nothing;
}

template <std::size_t W>
[[gnu::always_inline]] inline void load(const Candidates& list, Weights<W>& weights) {
  double c[W * kLanes], a[W * kLanes];
  for (std::size_t w = 0; w < W; ++w) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t j = std::min(w * kLanes + lane, list.n);
      c[w * kLanes + lane] = list.c[j];
      a[w * kLanes + lane] = list.a[j];
    }
  }
  std::memcpy(weights.c, c, sizeof c);
  std::memcpy(weights.a, a, sizeof a);
}

// One pass over the candidates: stretches and the boundaries between them. Lane j is top position j.
template <std::size_t W>
[[gnu::always_inline]] inline std::size_t scan(const Candidates& list, const Weights<W>& weights, Stretch<W>* stretch,
                                               Boundary* boundary) {
  Stretch<W> now;
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
      boundary[boundaries++] = {up, down, here[-1], here[0], list.top_of[i]};
      clear(now);
      continue;
    }
    const double b = list.b[i], leave = -here[0] * g, name = static_cast<double>(i);
    up += (here[-1] - here[0]) * g;
    const double close = leave - up, open = leave + down;
    for (std::size_t w = 0; w < W; ++w) {
      const Lanes enter = weights.c[w] * g - weights.a[w] * b;
      const Lanes closing = enter + close, opening = enter + open;
      const auto closes = closing > now.close[w];
      const auto opens = opening > now.open[w];
      now.close[w] = closes ? closing : now.close[w];
      now.close_by[w] = closes ? Lanes{} + name : now.close_by[w];
      now.open[w] = opens ? opening : now.open[w];
      now.open_by[w] = opens ? Lanes{} + name : now.open_by[w];
    }
    down += (here[1] - here[0]) * g;
  }
  stretch[boundaries] = now;
  return boundaries;
}

// edge[k][j]: what vacant position j gains when the document of boundary k leaves its own position, either for j itself
// or for the tail while j takes a tail document.
template <std::size_t W>
[[gnu::always_inline]] inline void make_edges(const Candidates& list, const Weights<W>& weights,
                                              const Stretch<W>* stretch, const Boundary* boundary,
                                              std::size_t boundaries, Lanes (*edge)[W]) {
  Stretch<W> best;
  clear(best);
  for (std::size_t k = 0; k < boundaries; ++k) {
    const Boundary& at = boundary[k];
    const double g = list.g[list.at[at.top]], b = list.b[list.at[at.top]];
    const double leave = list.a[at.top] * b - list.c[at.top] * g, into_tail = at.up + at.close_weight * g;
    for (std::size_t w = 0; w < W; ++w) {
      best.close[w] = stretch[k].close[w] > best.close[w] ? stretch[k].close[w] : best.close[w];
      const Lanes direct = weights.c[w] * g - weights.a[w] * b, closing = best.close[w] + into_tail;
      edge[k][w] = (direct > closing ? direct : closing) + leave;
    }
  }
  for (std::size_t k = boundaries; k-- > 0;) {
    const Boundary& at = boundary[k];
    const double g = list.g[list.at[at.top]], b = list.b[list.at[at.top]];
    const double leave = list.a[at.top] * b - list.c[at.top] * g, into_tail = at.open_weight * g - at.down;
    for (std::size_t w = 0; w < W; ++w) {
      best.open[w] = stretch[k + 1].open[w] > best.open[w] ? stretch[k + 1].open[w] : best.open[w];
      const Lanes opening = (best.open[w] + into_tail) + leave;
      edge[k][w] = edge[k][w] > opening ? edge[k][w] : opening;
    }
  }
}

// reach[j]: the most that can still be gained once position j is vacant, over paths of at most `boundaries` edges;
// next[j]: the boundary the path goes on to, or negative where it ends. Fewer edges win ties, which keeps the moves of
// one path from interfering.
template <std::size_t W>
[[gnu::always_inline]] inline void longest_paths(double tolerance, const Boundary* boundary, std::size_t boundaries,
                                                 const Lanes (*edge)[W], Lanes* reach, Lanes* next) {
  bool changed = true;
  for (std::size_t round = 0; round < boundaries && changed; ++round) {
    Lanes before[W];
    double from[W * kLanes];
    for (std::size_t w = 0; w < W; ++w) before[w] = reach[w] + tolerance;
    std::memcpy(from, reach, sizeof from);
    for (std::size_t k = 0; k < boundaries; ++k) {
      const double onward = from[boundary[k].top], name = static_cast<double>(k);
      for (std::size_t w = 0; w < W; ++w) {
        const Lanes total = edge[k][w] + onward;
        const auto better = total > before[w];
        next[w] = better ? Lanes{} + name : next[w];
        reach[w] = better ? total : reach[w];
        before[w] = better ? total : before[w];
      }
    }
    double after[W * kLanes];
    std::memcpy(after, reach, sizeof after);
    changed = false;
    for (std::size_t j = 0; j < W * kLanes; ++j) changed |= after[j] != from[j];
  }
}

// Who takes position j on edge[k][j]: the document of boundary k itself, or one of the tail.
template <std::size_t W>
[[gnu::always_inline]] inline std::uint32_t taker(const Candidates& list, const Stretch<W>* stretch, const Boundary& at,
                                                  std::uint32_t own, std::size_t boundaries, std::size_t k,
                                                  std::size_t j) {
  const std::size_t w = j / kLanes, lane = j % kLanes;
  const double g = list.g[own];
  double best = list.c[j] * g - list.a[j] * list.b[own];
  std::uint32_t answer = own;
  for (std::size_t m = 0; m <= boundaries; ++m) {
    const bool closing = m <= k;
    const double gain = closing ? stretch[m].close[w][lane] + (at.up + at.close_weight * g)
                                : stretch[m].open[w][lane] + (at.open_weight * g - at.down);
    if (gain > best) {
      best = gain;
      answer = static_cast<std::uint32_t>(closing ? stretch[m].close_by[w][lane] : stretch[m].open_by[w][lane]);
    }
  }
  return answer;
}

// Moves everyone along the path from `fresh`; end_by[j] is who j takes from the tail where the path ends. False if the
// path met itself, which only rounding could cause.
template <std::size_t W>
[[gnu::always_inline]] inline bool follow(Candidates& list, std::size_t fresh, const Stretch<W>* stretch,
                                          const Boundary* boundary, std::size_t boundaries, const double* next,
                                          const double* end_by) {
  std::uint32_t before[kMaxExchange];
  std::copy_n(list.at, fresh, before);
  std::size_t j = fresh;
  for (std::size_t steps = 0; next[j] >= 0; ++steps) {
    const auto k = static_cast<std::size_t>(next[j]);
    const std::size_t vacated = boundary[k].top;
    list.at[j] = taker<W>(list, stretch, boundary[k], before[vacated], boundaries, k, j);
    j = vacated;
    if (steps > boundaries) return false;
  }
  list.at[j] = static_cast<std::uint32_t>(end_by[j]);
  for (std::size_t top = 0; top < fresh; ++top) list.top_of[before[top]] = kTail;
  for (std::size_t top = 0; top <= fresh; ++top) {
    if (list.top_of[list.at[top]] != kTail) return false;
    list.top_of[list.at[top]] = static_cast<std::uint8_t>(top);
  }
  return true;
}

// Fills top position `fresh`.
template <std::size_t W>
[[gnu::always_inline]] inline bool augment(Candidates& list, std::size_t fresh) {
  Weights<W> weights;
  Stretch<W> stretch[W * kLanes + 1];
  Boundary boundary[W * kLanes];
  Lanes edge[W * kLanes][W];
  Lanes reach[W], end_by[W], next[W];
  load(list, weights);
  const std::size_t boundaries = scan(list, weights, stretch, boundary);
  make_edges(list, weights, stretch, boundary, boundaries, edge);
  for (std::size_t w = 0; w < W; ++w) {
    next[w] = Lanes{} - 1.0;
    reach[w] = stretch[0].close[w];
    end_by[w] = stretch[0].close_by[w];
    for (std::size_t m = 1; m <= boundaries; ++m) {
      const auto better = stretch[m].close[w] > reach[w];
      end_by[w] = better ? stretch[m].close_by[w] : end_by[w];
      reach[w] = better ? stretch[m].close[w] : reach[w];
    }
  }
  longest_paths<W>(list.tolerance, boundary, boundaries, edge, reach, next);
  double hop[W * kLanes], taken[W * kLanes];
  std::memcpy(hop, next, sizeof hop);
  std::memcpy(taken, end_by, sizeof taken);
  return follow<W>(list, fresh, stretch, boundary, boundaries, hop, taken);
}

[[gnu::always_inline]] inline bool fill_top(Candidates& list) {
  for (std::size_t fresh = 0; fresh < list.n; ++fresh) {
    const bool filled = fresh < kLanes       ? augment<1>(list, fresh)
                        : fresh < 2 * kLanes ? augment<2>(list, fresh)
                        : fresh < 4 * kLanes ? augment<4>(list, fresh)
                                             : augment<kMaxExchange / kLanes>(list, fresh);
    if (!filled) return false;
  }
  return true;
}

}  // namespace dorm::oracle::exchange
