// SPDX-License-Identifier: Apache-2.0
// Per-thread scratch of the oracles. Vectors only grow.
#pragma once

#include <cstdint>
#include <vector>

#include "base/vector/sort.h"
#include "dorm/oracle.h"
#include "ranking/assign/grouped_assignment.h"

namespace dorm {

struct OracleWorkspace::Buffers {
  std::vector<std::uint32_t> ranking;             // the answer: document at each position
  std::vector<std::uint32_t> order;               // documents by descending score
  std::vector<std::uint32_t> list, list2, list3;  // documents, in the sense of each algorithm
  std::vector<double> key;                        // what is sorted, when it is not the score
  std::vector<double> sorted_g, sorted_b;         // scores and gains in an order
  SortWorkspace sort;
  SimdLevel level = simd_level();

  struct Merge {
    std::vector<std::uint32_t> cursors, next_cursors;  // one row of class cursors per state
    std::vector<double> value, next_value;
    std::vector<std::uint64_t> key, next_key;
    std::vector<std::uint32_t> slot, stamp;  // hash table of the next frontier
    std::vector<std::uint16_t> trace;        // parent and class of every state
    std::vector<std::size_t> level_start;
    std::uint32_t generation = 0;
  } merge;

  struct Exchange {
    std::vector<std::uint8_t> top_of;  // by candidate: the top position, or none
    std::vector<double> gap;           // what stands between candidates
    std::vector<double> close, open;   // by candidate, see exchange_kernel.h
  } exchange;

  struct Paths {
    std::vector<double> price, wish, distance, parent, blocked, settled, blocks;
    std::vector<std::uint32_t> position_of, done;
    std::vector<std::uint32_t> unplaced;
  } paths;

  struct Grouped {
    std::vector<double> value;               // positions x columns
    std::vector<std::uint32_t> member;       // the document behind each entry of value
    std::vector<std::uint32_t> identity;     // 0, 1, 2, ...: every column a group of its own
    std::vector<std::uint32_t> room, place;  // by group
    GroupedAssignment assignment;
  } grouped;
};

namespace oracle {

/// Makes room for at least `size` entries; never shrinks, so that steady state does not allocate.
template <class T>
T* reserve(std::vector<T>& buffer, std::size_t size) {
  if (buffer.size() < size) buffer.resize(size);
  return buffer.data();
}

}  // namespace oracle
}  // namespace dorm
