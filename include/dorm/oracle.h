// SPDX-License-Identifier: Apache-2.0
// Separation oracles: the ranking that violates a query's constraint most.
//
//   maximise over rankings   sum_i c[position of i] g_i - a[position of i] b_i
//
// (for Factors::Kind::first the second sum is a at the position of the first document with b = 1). A linear assignment
// whose costs have rank two; every algorithm here uses that and is exact. docs/oracles.md has the proofs. Numbers in,
// coefficients out: nothing here knows features or labels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dorm/measure.h"
#include "dorm/ranking/decay.h"

namespace dorm {

// ---- oracles -----------------------------------------------------------------------------------------------------

/// The algorithms. `automatic` chooses by structure; the others can be forced, for tests and benchmarks, where they
/// apply (supports() says so).
enum class OracleKind {
  automatic,
  proportional,  // a = kappa c + constant: one sort or top-n selection by g - kappa b
  first_hit,     // Kind::first: where to put the first relevant document
  merge,         // few distinct gains: merge of sorted classes, pruned by dominance
  exchange,      // a constant past a cutoff: augment the top n positions over a sorted tail
  paths,         // anything: shortest augmenting paths from a sorted guess, implicit costs
  assignment,    // anything short: the dense solver, for tests
};
std::string_view name_of(OracleKind kind);

/// What depends on positions only; shared by all queries with equal (a, c). Immutable once made.
struct PositionTables {
  std::vector<double> a;         // as given, followed by copies of its last entry (padding)
  std::vector<double> c;         // the decay, likewise padded
  std::size_t length = 0;        // l
  std::size_t cutoff = 0;        // n: a is constant on [n, l)
  std::size_t decay_cutoff = 0;  // c is constant on [decay_cutoff, l)
  bool proportional = false;     // a = kappa c + constant
  double kappa = 0;
  // Bounds over k > j of the exchange rates (a_j - a_k) / (c_j - c_k), for j < n.
  std::vector<double> lowest_rate, highest_rate;
};

/// Owns the tables of a training set: one per distinct (a, decay). Queries prepared with it point into it, and may be
/// prepared by several threads.
class OracleTables {
 public:
  OracleTables();
  ~OracleTables();
  OracleTables(OracleTables&&) noexcept;
  OracleTables& operator=(OracleTables&&) noexcept;

  /// Throws Error(bad_input) unless a is finite, non-negative and non-increasing, Error(bad_option) from the decay.
  const PositionTables& find_or_make(std::span<const double> a, const Decay& decay);
  std::size_t size() const;

 private:
  struct Entry;
  struct State;
  std::unique_ptr<State> state_;
};

/// One query, analysed once. About 10 bytes per document beside the shared tables.
struct PreparedQuery {
  const PositionTables* tables = nullptr;
  Factors::Kind kind = Factors::Kind::sum;
  std::vector<double> b;              // gain of each document
  std::vector<double> gains;          // distinct gains, ascending; empty when there are too many to use
  std::vector<std::uint8_t> gain_of;  // index into gains, by document; empty likewise
  double ideal = 0;                   // the largest value of the measure
  OracleKind chosen = OracleKind::automatic;
  GroupLimits groups;     // none, or limits on what a list shows
  std::size_t shown = 0;  // with limits: the length of a list; the other documents have coefficient 0

  std::size_t size() const { return b.size(); }
};

/// Throws Error(bad_input) on an empty query, mismatched lengths, negative or non-finite gains, and for Kind::first
/// gains other than 0 and 1. `tables` must outlive the result.
PreparedQuery prepare(const Factors& factors, const Decay& decay, OracleTables& tables);
/// The same where at most groups.limit[s] documents of group s may be shown. Rankings are then lists of list_length(a,
/// groups) documents; the others have no position, coefficient 0 and no gain.
PreparedQuery prepare(const Factors& factors, const Decay& decay, OracleTables& tables, GroupLimits groups);

/// The largest loss of any ranking: 0 when there is nothing to learn.
double largest_loss(const PreparedQuery& query);

/// Whether `kind` can solve this query.
bool supports(const PreparedQuery& query, OracleKind kind);

/// Position of a document that a list does not show.
inline constexpr std::uint32_t kNotShown = UINT32_MAX;

/// The answer: a ranking, the coefficient c[position] of every document, its loss and the maximum itself.
struct Separation {
  std::vector<std::uint32_t> position_of;  // by document
  std::vector<double> coefficient;         // c[position_of[i]]
  double loss = 0;                         // ideal - value of the ranking, >= 0 up to rounding
  double value = 0;                        // sum_i c g - a b
};

/// Scratch of one thread; grows to the longest query and is then reused: no allocation after warm-up.
class OracleWorkspace {
 public:
  OracleWorkspace();
  ~OracleWorkspace();
  OracleWorkspace(OracleWorkspace&&) noexcept;
  OracleWorkspace& operator=(OracleWorkspace&&) noexcept;
  struct Buffers;
  Buffers& buffers() { return *buffers_; }

 private:
  std::unique_ptr<Buffers> buffers_;
};

/// Solves the problem at the top of this file. Equal documents (same score, same gain) are ranked by index; the answer
/// depends on the arguments only. Throws Error(bad_input) on a wrong number of scores, NaN or infinity, and
/// Error(unsupported) when `kind` does not apply.
void separate(const PreparedQuery& query, std::span<const double> scores, Separation& out, OracleWorkspace& workspace,
              OracleKind kind = OracleKind::automatic);

// ---- reference rankings z0: what the most violated ranking is measured against -----------------------------------

/// The coefficient c of each document at its position in the reference, and the loss of that ranking.
struct Reference {
  std::vector<double> coefficient;
  double loss = 0;
};

/// Label order, equal labels by index.
void reference_given(const PreparedQuery& query, Labels labels, Reference& out);

/// Label order; documents with equal labels share the mean of their coefficients.
void reference_average(const PreparedQuery& query, Labels labels, Reference& out);

/// The ranking of the largest score sum_i c g among those without loss; ties by index.
void reference_best(const PreparedQuery& query, std::span<const double> scores, Reference& out);

/// Descending score, ties by index: the ranking the scores predict.
void reference_predicted(const PreparedQuery& query, std::span<const double> scores, Reference& out);

/// Which of these rankings the most violated one is measured against.
enum class Bound { given, average, best, predicted };

/// Whether the reference depends on the current scores, so that rounds make sense.
inline bool depends_on_scores(Bound bound) { return bound == Bound::best || bound == Bound::predicted; }

/// The reference of a bound; `scores` are not read unless it depends on them.
void make_reference(Bound bound, const PreparedQuery& query, Labels labels, std::span<const double> scores,
                    Reference& out);

std::span<const CatalogEntry> bound_catalog();
std::string_view name_of(Bound bound);
Bound parse_bound(std::string_view name);  // throws Error(unknown_name)

}  // namespace dorm
