// SPDX-License-Identifier: Apache-2.0
// The inner loops against plain arithmetic in double, and against each other bit for bit.
#include "model/kernel/tile_ops.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/random_data.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

struct Tiles {
  std::size_t columns;
  std::vector<float> rows, panel;
  const float* x[kRowsAtOnce];

  explicit Tiles(std::size_t width) : columns(width) {
    Rng rng(width);
    for (std::size_t i = 0; i < kRowsAtOnce * columns; ++i) rows.push_back(static_cast<float>(rng.normal()));
    for (std::size_t i = 0; i < kPanel * columns; ++i) panel.push_back(static_cast<float>(rng.normal()));
    for (std::size_t r = 0; r < kRowsAtOnce; ++r) x[r] = rows.data() + r * columns;
  }
};

TEST(TileOps, ProductsAndDistancesAreThoseOfTheDefinition) {
  for (const std::size_t columns : {1u, 7u, 46u, 300u}) {
    const Tiles tiles(columns);
    std::vector<float> products(kRowsAtOnce * kPanel), distances(kRowsAtOnce * kPanel);
    tile_ops(simd_level()).products(tiles.x, columns, tiles.panel.data(), products.data());
    tile_ops(simd_level()).distances(tiles.x, columns, tiles.panel.data(), distances.data());
    for (std::size_t r = 0; r < kRowsAtOnce; ++r)
      for (std::size_t lane = 0; lane < kPanel; ++lane) {
        double product = 0, distance = 0;
        for (std::size_t c = 0; c < columns; ++c) {
          const double a = tiles.x[r][c], b = tiles.panel[c * kPanel + lane];
          product += a * b;
          distance += (a - b) * (a - b);
        }
        EXPECT_NEAR(products[r * kPanel + lane], product, 2e-6 * static_cast<double>(columns + 10));
        EXPECT_NEAR(distances[r * kPanel + lane], distance, 1e-5 * distance);
      }
  }
}

TEST(TileOps, EveryInstructionSetGivesTheSameBits) {
  const Tiles tiles(46);
  std::vector<std::vector<float>> results;
  for (const SimdLevel level : test::simd_levels()) {
    const TileOps& ops = tile_ops(level);
    std::vector<float> out(2 * kRowsAtOnce * kPanel);
    ops.products(tiles.x, 46, tiles.panel.data(), out.data());
    ops.distances(tiles.x, 46, tiles.panel.data(), out.data() + kRowsAtOnce * kPanel);
    ops.decay(0.01f, out.data() + kRowsAtOnce * kPanel, kRowsAtOnce * kPanel);
    results.push_back(std::move(out));
  }
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(TileOps, DecayIsTheExponentialFunction) {
  std::vector<float> values;
  for (double x = 0; x < 100; x += 0.0371) values.push_back(static_cast<float>(x));
  values.resize(values.size() / kPanel * kPanel);
  std::vector<float> out = values;
  tile_ops(simd_level()).decay(1, out.data(), out.size());
  EXPECT_EQ(out[0], 1.0f);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = std::exp(-static_cast<double>(values[i]));
    if (values[i] < 86.5f)
      EXPECT_NEAR(out[i], exact, 3e-7 * exact) << values[i];
    else
      EXPECT_NEAR(out[i], exact, 1e-37) << values[i];
  }
}

}  // namespace
}  // namespace dorm
