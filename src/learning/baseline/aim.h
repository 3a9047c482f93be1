// SPDX-License-Identifier: Apache-2.0
// What a baseline is to find. By default that is the labels as given; an aim puts other numbers in their place, so
// that every method can be pointed at what a measure pays for:
//
//   rel=X      1 for labels of X and more, else 0
//   rel=best   1 for the best label of the query if it is above 0, else 0
//   gain=exp2  2^r - 1, times what leaves the highest label of the data where it is
//   classes=balanced  the labels; every class counts the same in the loss, however many documents it has
//
// spelled as the parameters of measures are (docs/measures.md).
#pragma once

#include <string_view>

#include "dorm/dataset.h"
#include "dorm/measure.h"

namespace dorm {

struct Aim {
  std::string key, value;  // "rel", "best"; empty: the labels

  bool balanced() const { return key == "classes"; }

  /// The data with the numbers of the aim in place of the labels.
  Dataset applied(const Dataset& data, const Convention& convention) const;
  /// What counts as relevant among those numbers.
  Convention convention(const Convention& original) const;
};

/// "rel=best". Throws Error(bad_option) unless `usage`, the method's own, names the key and the value is one
/// of those above.
Aim parse_aim(std::string_view method, std::string_view text, std::string_view usage);

}  // namespace dorm
