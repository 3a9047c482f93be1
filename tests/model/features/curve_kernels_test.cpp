// SPDX-License-Identifier: Apache-2.0
// The arithmetic of curves against its definition, on every level of instructions.
#include "model/features/curve_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/rng.h"
#include "support/simd_levels.h"

namespace dorm {
namespace {

// Numbers of pieces whose tables fill one register, two, and none.
TEST(CurveKernels, AddUpTablesOnEveryLevelOfInstructions) {
  for (const std::size_t pieces : {1, 3, 8, 9, 16, 40}) {
    Rng rng(pieces);
    constexpr std::size_t kFeatures = 5, kDocuments = 45;
    std::vector<CurveSlots> slots;
    for (std::size_t j = 0; j < kFeatures; ++j) {
      const auto count = static_cast<std::uint32_t>(std::max(kLeastSlots, std::bit_ceil(pieces)));
      slots.push_back({static_cast<std::uint32_t>(j) * count, count, CurveSlots::shift_of(pieces)});
    }
    const std::size_t cells = kFeatures * slots[0].count;
    std::vector<double> level(cells), slope(cells), coefficients(kDocuments), scores(kDocuments), expected(kDocuments);
    for (std::size_t s = 0; s < cells; ++s) level[s] = rng.normal(), slope[s] = 1e-3 * rng.normal();
    for (std::size_t i = 0; i < kDocuments; i += 2) coefficients[i] = rng.normal();
    std::vector<std::uint16_t> codes(kFeatures * kDocuments + kCodePadding);
    std::vector<double> sums(2 * cells), expected_sums(2 * cells);
    for (std::size_t j = 0; j < kFeatures; ++j)
      for (std::size_t i = 0; i < kDocuments; ++i) {
        const std::size_t piece = rng.below(pieces);
        const auto code = static_cast<std::uint16_t>((piece << slots[j].shift) + rng.below(1U << slots[j].shift));
        codes[j * kDocuments + i] = code;
        const std::size_t slot = slots[j].first + piece;
        expected[i] += level[slot] + slope[slot] * code;
        expected_sums[2 * slot] += coefficients[i];
        expected_sums[2 * slot + 1] += coefficients[i] * code;
      }
    for (const SimdLevel each : test::simd_levels()) {
      std::fill(sums.begin(), sums.end(), 0.0);
      score_codes(slots, codes.data(), level.data(), slope.data(), scores, codes, each);
      add_codes(slots, codes.data(), coefficients, sums.data(), each);
      EXPECT_EQ(scores, expected) << pieces;
      for (std::size_t s = 0; s < sums.size(); ++s) EXPECT_NEAR(sums[s], expected_sums[s], 1e-9) << pieces;
    }
  }
}

TEST(CurveKernels, EvaluateCurvesOnEveryLevelOfInstructions) {
  for (const std::size_t pieces : {1, 4, 8, 9, 16, 40}) {
    Rng rng(pieces);
    constexpr std::size_t kColumns = 19, kRows = 13;
    std::vector<CurveTable> tables(kColumns);
    for (CurveTable& table : tables) {
      for (std::size_t k = 1; k < pieces; ++k) table.knots.push_back(static_cast<double>(k) / 8 - 1);
      std::copy_n(table.knots.begin(), std::min<std::size_t>(8, table.knots.size()), table.search.begin());
      for (std::vector<double>* each : {&table.level, &table.slope, &table.start}) {
        each->resize(std::max(kLeastSlots, std::bit_ceil(pieces)));
        for (double& x : *each) x = rng.normal();
      }
      table.weight = rng.normal();
      table.low = -1, table.high = 1.5;
      table.missing = rng.normal();
    }
    for (const bool gaps : {false, true}) {
      std::vector<double> rows(kColumns * kRows), expected(kRows, 0.25);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k] = gaps && rng.below(4) == 0 ? NAN
                  : rng.below(3) == 0       ? static_cast<double>(rng.below(9)) / 8 - 0.5
                                            : 3 * rng.normal();
        const CurveTable& table = tables[k % kColumns];
        const double x = rows[k], inside = std::clamp(x, table.low, table.high);
        std::size_t b = 0;
        while (b < table.knots.size() && x >= table.knots[b]) ++b;
        expected[k / kColumns] += std::isnan(x)
                                      ? table.missing
                                      : table.weight * x + table.level[b] + table.slope[b] * (inside - table.start[b]);
      }
      std::vector<double> first;
      for (const SimdLevel each : test::simd_levels()) {
        std::vector<double> scores(kRows, 0.25);
        add_curves(tables, rows.data(), kColumns, scores, gaps, each);
        if (first.empty()) first = scores;
        EXPECT_EQ(scores, first) << pieces;
        for (std::size_t i = 0; i < kRows; ++i) EXPECT_NEAR(scores[i], expected[i], 1e-12) << pieces << " " << gaps;
      }
    }
  }
}

}  // namespace
}  // namespace dorm
