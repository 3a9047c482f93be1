// SPDX-License-Identifier: Apache-2.0
// The best position for a document at given prices, max_j c_j g - a_j b - price_j, without looking at all of them.
//
// Positions are cut into blocks. In each, a and price are bounded from below by lines in c, so that the objective
// is at most a linear function of c, largest at one end of the block. Only blocks whose bound beats the best known
// value are searched.
#pragma once

#include <cstddef>

#include "base/vector/cpu.h"
#include "ranking/oracle/workspace.h"

namespace dorm::oracle {

struct PriceBlocks {
  std::size_t positions, block, blocks;
  const double *a, *c,
      *price;  // by position, readable up to a whole vector past the end (price is infinite there)
  const double *first_c, *last_c, *a_slope, *a_base, *price_slope, *price_base;  // by block, whole vectors
};

/// Analyses the prices. `price` must have room for positions + kLanes entries.
PriceBlocks make_price_blocks(std::size_t positions, const double* a, const double* c, double* price,
                              OracleWorkspace::Buffers& work);

/// wish[i] = the largest objective of each document (g_i, b_i), given that `wish` holds a lower bound of it.
void raise_wishes(const PriceBlocks& blocks, std::size_t documents, const double* g, const double* b, double* wish,
                  SimdLevel level);

}  // namespace dorm::oracle
