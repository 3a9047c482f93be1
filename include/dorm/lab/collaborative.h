// SPDX-License-Identifier: Apache-2.0
// Recommenders by name, on the same ratings: what DORM is compared with when it ranks items for users. docs/ratings.md
// says what each of them does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/recommend/factorize.h"
#include "dorm/recommend/ratings.h"

namespace dorm {

/// What a method may know beside the ratings; borrowed. Methods without use for it ignore it.
struct CollaborativeInputs {
  const SideFeatures* item_features = nullptr;
  const SideFeatures* user_features = nullptr;
};

struct CollaborativeOptions {
  std::size_t rank = 20;  // of factorizations, and the next two as in FactorizeOptions
  double implicit = 0;
  std::size_t neighbours = 0;
  std::string measure = "ndcg@10";  // that DORM is trained for, and that parameters are chosen by
  std::size_t threads = 0;          // scores do not depend on it
  std::uint64_t seed = 1;
};

/// A method is spelled NAME or NAME:PARAMETER, the parameter being a number above or equal to 0; what it means is said
/// in `usage`. Without it the default holds, which comes from splits other than those of the documentation.
std::span<const CatalogEntry> collaborative_catalog();

/// One score per rating of `asked`, user by user (Ratings::first_of_user). `train` and `asked` are parts of one split:
/// same users, same items; the values of `asked` are not looked at. Throws Error(unknown_name) or Error(bad_option) for
/// a method that cannot be, Error(bad_input) without training ratings.
std::vector<double> collaborative_scores(std::string_view method, const Ratings& train, const Ratings& asked,
                                         const CollaborativeInputs& inputs = {},
                                         const CollaborativeOptions& options = {});

/// The spellings that are tried when the parameter of a method is to be chosen; the name alone for a method without
/// parameter, or when `method` has its parameter already.
std::vector<std::string> collaborative_grid(std::string_view method);

/// The spelling of the grid with the largest measure on held-out training ratings: 60 % of the ratings of half of the
/// users, the same for every method. A method without a grid is returned as it is.
std::string choose_collaborative(std::string_view method, const Ratings& train, const CollaborativeInputs& inputs = {},
                                 const CollaborativeOptions& options = {});

}  // namespace dorm
