// SPDX-License-Identifier: Apache-2.0
#include "ranking/oracle/price_blocks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "base/vector/lanes.h"

namespace dorm::oracle {
namespace {

constexpr std::size_t kChunk = 8;  // vectors of blocks between two tests

[[gnu::always_inline]] inline bool any_above(const Lanes& x, double level) {
  double lane[kLanes];
  store_lanes(x, lane);
  int above = 0;
  for (double v : lane) above |= v > level;
  return above != 0;
}

[[gnu::always_inline]] inline double search(const PriceBlocks& p, std::size_t first, std::size_t last, double g,
                                            double b, double best) {
  Lanes top = Lanes{} + best;
  for (std::size_t j = first; j < last; j += kLanes) {
    Lanes a, c, price;
    load_lanes(p.a + j, a);
    load_lanes(p.c + j, c);
    load_lanes(p.price + j, price);
    const Lanes x = c * g - a * b - price;
    top = x > top ? x : top;
  }
  double lane[kLanes];
  store_lanes(top, lane);
  return *std::max_element(lane, lane + kLanes);
}

[[gnu::always_inline]] inline double raise(const PriceBlocks& p, double g, double b, double best) {
  double bound[kChunk * kLanes];
  for (std::size_t start = 0; start < p.blocks; start += kChunk * kLanes) {
    const std::size_t end = std::min(start + kChunk * kLanes, p.blocks);
    Lanes top = Lanes{} - kInfinity;
    for (std::size_t k = start; k < end; k += kLanes) {
      Lanes a_slope, price_slope, a_base, price_base, first_c, last_c;
      load_lanes(p.a_slope + k, a_slope);
      load_lanes(p.price_slope + k, price_slope);
      load_lanes(p.a_base + k, a_base);
      load_lanes(p.price_base + k, price_base);
      load_lanes(p.first_c + k, first_c);
      load_lanes(p.last_c + k, last_c);
      const Lanes slope = g - a_slope * b - price_slope;
      const Lanes x = slope * (slope > 0.0 ? first_c : last_c) - a_base * b - price_base;
      store_lanes(x, bound + (k - start));
      top = x > top ? x : top;
    }
    if (!any_above(top, best)) continue;
    for (std::size_t k = start; k < end; ++k) {
      if (bound[k - start] <= best) continue;
      best = search(p, k * p.block, std::min((k + 1) * p.block, p.positions), g, b, best);
    }
  }
  return best;
}

[[gnu::always_inline]] inline void raise_all(const PriceBlocks& p, std::size_t documents, const double* g,
                                             const double* b, double* wish) {
  for (std::size_t i = 0; i < documents; ++i) {
    wish[i] = p.blocks == 0 ? search(p, 0, p.positions, g[i], b[i], wish[i]) : raise(p, g[i], b[i], wish[i]);
  }
}

// A line in c below `y` on [first, last): the slope of its chord, and the base that just touches.
void bound_from_below(const double* c, const double* y, std::size_t first, std::size_t last, double& slope,
                      double& base) {
  const double spread = c[first] - c[last - 1];
  slope = spread > 0 ? (y[first] - y[last - 1]) / spread : 0;
  base = kInfinity;
  for (std::size_t j = first; j < last; ++j) base = std::min(base, y[j] - slope * c[j]);
}

}  // namespace

PriceBlocks make_price_blocks(std::size_t positions, const double* a, const double* c, double* price,
                              OracleWorkspace::Buffers& work) {
  std::fill_n(price + positions, kLanes, kInfinity);
  if (positions < 512) return {positions, 0, 0, a, c, price, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
  // The square root balances bounds against searches.
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(positions)) / 2);
  const std::size_t block = std::max<std::size_t>(kLanes, root / kLanes * kLanes);
  const std::size_t used = (positions + block - 1) / block, blocks = (used + kLanes - 1) / kLanes * kLanes;
  double* table = reserve(work.paths.blocks, 6 * blocks);
  std::fill_n(table, 6 * blocks, 0.0);
  double* column[6];
  for (std::size_t k = 0; k < 6; ++k) column[k] = table + k * blocks;
  std::fill(column[5] + used, column[5] + blocks, kInfinity);
  for (std::size_t k = 0; k < used; ++k) {
    const std::size_t first = k * block, last = std::min(first + block, positions);
    column[0][k] = c[first];
    column[1][k] = c[last - 1];
    bound_from_below(c, a, first, last, column[2][k], column[3][k]);
    bound_from_below(c, price, first, last, column[4][k], column[5][k]);
  }
  return {positions, block, blocks, a, c, price, column[0], column[1], column[2], column[3], column[4], column[5]};
}

void raise_wishes(const PriceBlocks& blocks, std::size_t documents, const double* g, const double* b, double* wish,
                  SimdLevel level) {
  compiled_for<raise_all>(level)(blocks, documents, g, b, wish);
}

}  // namespace dorm::oracle
