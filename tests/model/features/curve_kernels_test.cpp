// SPDX-License-Identifier: Apache-2.0
// The arithmetic of curves against its definition, on every level of instructions.
#include "model/features/curve_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/rng.h"
#include "model/features/curve_values.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

/// Features of so many pieces in codes, and tables of them.
struct RandomCodes {
  std::size_t documents, pieces;
  std::vector<CurveSlots> slots;
  std::vector<std::uint16_t> codes;
  std::vector<double> level, slope, coefficients;

  RandomCodes(std::size_t documents_, std::size_t pieces_, Rng& rng) : documents(documents_), pieces(pieces_) {
    constexpr std::size_t kFeatures = 11;
    const auto count = static_cast<std::uint32_t>(std::max(kLeastSlots, std::bit_ceil(pieces)));
    for (std::size_t j = 0; j < kFeatures; ++j)
      slots.push_back({static_cast<std::uint32_t>(j) * count, count, CurveSlots::shift_of(pieces),
                       static_cast<std::uint32_t>(pieces), kFeatures + j * pieces});
    codes.resize(kFeatures * documents + kCodePadding);
    for (std::size_t k = 0; k < kFeatures * documents; ++k)
      codes[k] = static_cast<std::uint16_t>((rng.below(pieces) << slots[0].shift) + rng.below(1U << slots[0].shift));
    for (std::size_t s = 0; s < cells(); ++s) level.push_back(rng.normal()), slope.push_back(1e-3 * rng.normal());
    for (std::size_t i = 0; i < documents; ++i) coefficients.push_back(rng.below(3) == 0 ? 0.0 : rng.normal());
  }
  std::size_t cells() const { return slots.size() * slots[0].count; }
  std::size_t code(std::size_t j, std::size_t i) const { return codes[j * documents + i]; }
  std::size_t piece(std::size_t j, std::size_t i) const { return code(j, i) >> slots[j].shift; }
};

// Numbers of pieces whose tables fill one register, two, and none; numbers of documents beside those of blocks.
constexpr std::size_t kPieces[] = {1, 3, 8, 9, 16, 40}, kDocuments[] = {1, 7, 8, 33, 45, 64, 131};

TEST(CurveKernels, AddUpTablesOnEveryLevelOfInstructions) {
  Rng rng(1);
  for (const std::size_t pieces : kPieces)
    for (const std::size_t documents : kDocuments) {
      const RandomCodes random(documents, pieces, rng);
      std::vector<double> scores(documents), expected(documents), expected_sums(2 * random.cells());
      for (std::size_t j = 0; j < random.slots.size(); ++j)
        for (std::size_t i = 0; i < documents; ++i) {
          const CurveSlots& slots = random.slots[j];
          const std::size_t slot = slots.first + random.piece(j, i);
          const auto code = static_cast<double>(random.code(j, i));
          expected[i] += random.level[slot] + random.slope[slot] * code;
          expected_sums[slots.first + slot] += random.coefficients[i];
          expected_sums[slots.first + slot + slots.count] += random.coefficients[i] * code;
        }
      for (const SimdLevel each : test::simd_levels()) {
        std::vector<double> sums(2 * random.cells());
        score_codes(random.slots, random.codes.data(), random.level.data(), random.slope.data(), scores, random.codes,
                    each);
        add_codes(random.slots, random.codes.data(), random.coefficients, sums.data(), each);
        EXPECT_EQ(scores, expected) << pieces << " " << documents;
        EXPECT_EQ(sums, expected_sums) << pieces << " " << documents;
      }
    }
}

// What a document has of each rise, written out: 1 behind it, 0 before it, its share of it inside.
TEST(CurveKernels, FoldSumsToDirectionsOnEveryLevelOfInstructions) {
  Rng rng(2);
  for (const std::size_t pieces : kPieces)
    for (const bool lines : {true, false}) {
      RandomCodes random(45, pieces, rng);
      for (CurveSlots& slots : random.slots) slots.rises -= lines ? 0 : 1;
      const std::size_t features = random.slots.size();
      std::vector<double> expected(features * (1 + pieces)), sums(2 * random.cells()), first;
      const double most = static_cast<double>((1U << random.slots[0].shift) - 1);
      for (std::size_t j = 0; j < features; ++j)
        for (std::size_t i = 0; i < random.documents; ++i) {
          const CurveSlots& slots = random.slots[j];
          const std::size_t piece = random.piece(j, i);
          const auto place = static_cast<double>(random.code(j, i) - (piece << slots.shift));
          const double c = random.coefficients[i];
          expected[j] += c * (random.level[slots.first + piece] + random.slope[slots.first + piece] * place);
          for (std::size_t b = 0; b < slots.rises; ++b)
            expected[slots.weight + b] += b < piece ? c : lines && b == piece ? c * place / most : 0;
        }
      add_codes(random.slots, random.codes.data(), random.coefficients, sums.data());
      for (const SimdLevel each : test::simd_levels()) {
        std::vector<double> direction(expected.size() + kRisePadding);
        fold_codes(random.slots, sums.data(), random.level.data(), random.slope.data(), lines, direction.data(), each);
        for (std::size_t j = 0; j < features; ++j) {
          EXPECT_NEAR(direction[j], expected[j], 1e-7) << pieces << " " << lines;
          for (std::size_t k = random.slots[j].weight; k < random.slots[j].weight + random.slots[j].rises; ++k)
            EXPECT_NEAR(direction[k], expected[k], 1e-11) << pieces << " " << lines << " " << k;
        }
        if (first.empty()) first = direction;
        EXPECT_EQ(direction, first) << pieces << " " << lines;
      }
    }
}

CurveTable random_table(std::size_t pieces, Rng& rng) {
  CurveTable table;
  std::vector<double> knots;
  for (std::size_t k = 1; k < pieces; ++k) knots.push_back(static_cast<double>(k) / 8 - 1);
  table.set_knots(knots);
  for (std::vector<double>* each : {&table.level, &table.slope, &table.start}) {
    each->resize(std::max(kLeastSlots, std::bit_ceil(pieces)));
    for (double& x : *each) x = rng.normal();
  }
  table.weight = rng.normal();
  table.low = -1, table.high = 1.5;
  table.missing = rng.normal();
  return table;
}

double value_of(const CurveTable& table, double x) {
  if (std::isnan(x)) return table.missing;
  std::size_t b = 0;
  while (b < table.knots.size() && x >= table.knots[b]) ++b;
  const double inside = std::clamp(x, table.low, table.high);
  return (table.weight * x + table.level[b]) + table.slope[b] * (inside - table.start[b]);
}

// Values scaled before, and scaled on the way; columns and rows beside those of blocks.
TEST(CurveKernels, EvaluateCurvesOnEveryLevelOfInstructions) {
  Rng rng(3);
  for (const std::size_t pieces : {1, 4, 8, 9, 16, 40})
    for (const std::size_t rows : {1, 7, 13, 64, 75, 130})
      for (const std::size_t columns : {1, 8, 19})
        for (const bool gaps : {false, true}) {
          std::vector<CurveTable> tables;
          for (std::size_t j = 0; j < columns; ++j) {
            tables.push_back(random_table(pieces, rng));
            tables.back().set_scaling(rng.normal(), j == 3 ? 0.0 : rng.uniform());
          }
          const std::size_t stride = columns + 3;
          std::vector<float> raw(rows * stride);
          std::vector<double> scaled(raw.size()), expected(rows, 0.25), of_raw(rows, 0.25);
          for (std::size_t k = 0; k < raw.size(); ++k) {
            const std::size_t j = k % stride, i = k / stride;
            raw[k] = gaps && rng.below(4) == 0 ? NAN
                     : rng.below(3) == 0       ? static_cast<float>(rng.below(9)) / 8 - 0.5F
                                               : static_cast<float>(3 * rng.normal());
            scaled[k] = static_cast<double>(raw[k]);
            if (j >= columns) continue;
            expected[i] += value_of(tables[j], scaled[k]);
            of_raw[i] += value_of(tables[j], (scaled[k] - tables[j].shift) * tables[j].factor);
          }
          for (const SimdLevel each : test::simd_levels()) {
            std::vector<double> scores(rows, 0.25), others(rows, 0.25);
            add_curves(tables, {.scaled = scaled.data(), .stride = stride}, scores, gaps, each);
            add_curves(tables, {.raw = raw.data(), .stride = stride, .upcoming = raw}, others, gaps, each);
            EXPECT_EQ(scores, expected) << pieces << " " << rows << " " << columns << " " << gaps;
            EXPECT_EQ(others, of_raw) << pieces << " " << rows << " " << columns << " " << gaps;
          }
        }
}

// Knots in 32 bits are where the scaled value reaches the knot, to the last bit, however large the shift.
TEST(CurveKernels, ScaleKnotsBackExactly) {
  Rng rng(4);
  for (const double shift : {0.0, 1e-3, -0.5, 1e9, -3e38})
    for (const double factor : {1.0, 1e-6, 3e5, 1e-30, 0.0}) {
      CurveTable table;
      table.set_knots(std::vector<double>{-1e30, -1, -1e-12, 0, 0.25, 1, 1e30});
      table.set_scaling(shift, factor);
      constexpr float kMost = std::numeric_limits<float>::max();
      for (std::size_t k = 0; k < table.knots.size(); ++k) {
        const float least = table.raw_knots[k];
        const auto reached = [&](float v) { return (static_cast<double>(v) - shift) * factor >= table.knots[k]; };
        EXPECT_EQ(reached(kMost), least <= kMost) << shift << " " << factor << " " << k;
        EXPECT_EQ(reached(-kMost), least == -kMost) << shift << " " << factor << " " << k;
        if (!std::isfinite(least)) continue;
        EXPECT_TRUE(reached(least)) << shift << " " << factor << " " << k;
        if (least > -kMost) {
          EXPECT_FALSE(reached(std::nextafter(least, -kMost))) << shift << " " << factor << " " << k;
        }
      }
    }
}

}  // namespace
}  // namespace dorm
