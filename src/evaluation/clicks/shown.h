// SPDX-License-Identifier: Apache-2.0
// What a log says of one context: documents of queries, and where they were seen how often.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dorm/clicks/clicks.h"

namespace dorm {

/// A document at one position.
struct ShownCell {
  std::uint32_t place = 0;  // in Shown::positions
  double impressions = 0, clicks = 0;
};

struct Shown {
  std::vector<std::uint32_t> positions;  // that occur, increasing
  struct Document {
    std::uint32_t query = 0, document = 0;  // numbers of the ClickCounts
    std::span<const ShownCell> cells;       // by increasing place
  };
  std::size_t num_documents() const { return query_.size(); }
  Document document(std::size_t i) const {
    return {query_[i], document_[i], std::span(cells_).subspan(first_[i], first_[i + 1] - first_[i])};
  }
  /// Calls visit(first, end) with the documents of each query.
  void for_each_query(const std::function<void(std::size_t first, std::size_t end)>& visit) const;

  std::vector<std::uint32_t> query_ = {}, document_ = {};
  std::vector<std::size_t> first_ = {0};
  std::vector<ShownCell> cells_ = {};
};

/// The rows of one context, rankers taken together; rows without impressions are left out.
Shown shown_in(const ClickCounts& counts, std::uint32_t context);

}  // namespace dorm
