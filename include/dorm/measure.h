// SPDX-License-Identifier: Apache-2.0
// Measures: how good a ranking of one query's documents is.
//
// A ranking is the list of documents in order: ranking[j] is the document at position j (0-based).
// Trainable measures are factored, V = sum_i a[position of i] b[i], with a by position and b by document; the
// others can only be evaluated. That difference is a type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dorm {

using Ranking = std::vector<std::uint32_t>;
using Labels = std::span<const float>;

/// The numbers a measure assigns to one query of l documents.
///   sum:   V = sum_i a[position of i] * b[i]
///   first: V = max_i a[position of i] * b[i]   with b in {0, 1}: only the first document with b = 1 counts
/// a never increases and is never negative; it is zero past the cutoff. b is never negative.
struct Factors {
  enum class Kind { sum, first };
  std::vector<double> a;  // by position, l entries
  std::vector<double> b;  // by document, l entries
  Kind kind = Kind::sum;
};

/// V of a ranking under these factors.
double value(const Factors& factors, std::span<const std::uint32_t> ranking);
/// The largest V over all rankings: documents by decreasing b.
double ideal_value(const Factors& factors);

}  // namespace dorm
