// SPDX-License-Identifier: Apache-2.0
// Events of users as they come from Python.
#pragma once

#include <cstdint>
#include <vector>

#include "arrays.h"
#include "dorm/error.h"
#include "ids.h"

namespace dorm::python {

/// Events of users, row by row, as those of a compressed matrix.
struct EventRows {
  std::vector<std::uint64_t> begin;
  std::vector<std::uint32_t> index;
  std::vector<float> value;

  EventRows(const Vector<std::uint64_t>& b, const Numbers& i, const Vector<float>& v, std::size_t items)
      : begin(b.data(), b.data() + b.shape(0)),
        index(checked_numbers(i, items, "item")),
        value(v.data(), v.data() + v.shape(0)) {
    if (begin.empty() || begin.back() != index.size() || index.size() != value.size())
      throw Error(ErrorCode::bad_input, "the rows of events do not fit");
  }
  std::size_t rows() const { return begin.size() - 1; }
  std::vector<ItemRating> row(std::size_t r) const {
    std::vector<ItemRating> events;
    for (std::size_t k = begin[r]; k < begin[r + 1]; ++k) events.push_back({index[k], value[k]});
    return events;
  }
};

}  // namespace dorm::python
