// SPDX-License-Identifier: Apache-2.0
// Interleaving: one list made of two rankings, whose clicks say which one people prefer. docs/click-evaluation.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/evaluate.h"

namespace dorm {

struct InterleaveOptions {
  std::string method = "team-draft";  // a name of interleave_catalog()
  std::string credit = "inverse";  // of optimised: inverse, 1 / rank in a - 1 / rank in b; or linear, rank b - rank a
  std::size_t length = 10;         // of the list; at most 20, of optimised 12
};

std::span<const CatalogEntry> interleave_catalog();

/// A list that may be shown, and how often it is to be.
struct Interleaving {
  std::vector<std::uint32_t> documents;  // in order
  std::vector<double> credit;            // by position: what a click there counts for a; negative: for b
  double probability = 0;
};

/// All lists that the method may show with their probabilities. Rankings are lists of different numbers; they may
/// differ in their documents.
///   team-draft: in each round the two, in random order, add the best document that is not there yet; a click counts
///               for the one that added it
///   optimised:  each document is the best of a or of b that is not there yet. Probabilities are such that clicks that
///               do not look at documents favour neither ranking, however many positions people see, and that lists
///               which decide are likely: a linear program. Throws Error(unsupported) where no solver is installed.
std::vector<Interleaving> interleavings(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                        const InterleaveOptions& options = {});

/// How decisive a list is: the entropy of who gets a click at position k, which people look at with weight 1 / k.
double interleaving_sensitivity(std::span<const double> credit);

/// One of the lists, drawn by a number in [0, 1).
const Interleaving& draw_interleaving(std::span<const Interleaving> lists, double uniform);

/// Sessions: the credit that clicks gave a, less that of b.
struct InterleavingResult {
  PairedTest test;             // over sessions: wins of a, losses, ties, mean credit and its interval, sign test
  double share = 0;            // of the decided sessions that a won; NaN: none was
  double preference = 0;       // (wins + ties / 2) / sessions - 1 / 2
  double power = 0;            // of a sign test of as many decided sessions at this level, if `share` were true
  double sessions_needed = 0;  // for power 0.8, were shares of wins and ties the truth; infinite: none would do
};

/// `level` of the two-sided sign test.
InterleavingResult analyse_interleaving(std::span<const double> credits, const EvaluateOptions& options = {},
                                        double level = 0.05);

/// Decided sessions that a two-sided sign test needs when a wins this share of them; infinite for a share of 1/2.
double decided_sessions_needed(double share, double power = 0.8, double level = 0.05);
/// The exact power of that test with the given number of decided sessions, at most 10^12.
double sign_test_power(double decided, double share, double level = 0.05);

}  // namespace dorm
