// SPDX-License-Identifier: Apache-2.0
// Recommenders on splits of ratings: one cell is a method on one split. Finished cells are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dorm/lab/collaborative.h"
#include "lab/compare/cell_store.h"
#include "lab/experiment/data_sets.h"
#include "lab/experiment/experiments.h"

namespace dorm {

/// A line of a table: a method of collaborative_catalog(), how it is run, and on what it can learn.
struct Contender {
  const char* method;
  std::size_t rank = 20;
  bool chosen = false;  // the parameter by choose_collaborative
  bool without = true;  // whether it can do without known facts of the items
  bool facts = false;   // whether it can use them
  bool raters = false;  // also by who has rated what: implicit feedback and neighbours of items
  std::string label() const;
};

struct RatingsCell {
  Contender contender;
  std::size_t given = 0;    // ratings of each user to train on
  std::uint64_t split = 0;  // seed
  bool facts = false;
  bool popular = false;  // on popular_part() instead of all ratings
};

/// As many users and films as the paper had: the 1075 films rated most often, and 100 users drawn among those who have
/// rated at least 60 of them (50 to train on, 10 to test), so that they are the same for every number given.
Ratings popular_part(const Ratings& ratings);

/// The measures of a record's columns; a value per user with test ratings.
const std::vector<std::string>& rating_measures();

/// Records in the order of the cells, several computed side by side; nothing when the observer stopped it.
std::optional<std::vector<CellRecord>> run_ratings_cells(const std::vector<RatingsCell>& cells, const RatingsData& data,
                                                         const Laboratory& laboratory);

}  // namespace dorm
