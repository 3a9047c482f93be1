// SPDX-License-Identifier: Apache-2.0
// Measures: how good a ranking of one query's documents is.
//
// A ranking is the list of documents in order: ranking[j] is the document at position j (0-based). It may be shorter
// than the list of labels: documents it leaves out were not retrieved, but count as judged. Trainable measures are
// factored, V = sum_i a[position of i] b[i], with a by position and b by document; the others can only be evaluated.
// The two kinds are different types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/base/catalog.h"
#include "dorm/data/judgments.h"
#include "dorm/ranking/convention.h"

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

/// A ranking in which documents of equal score form blocks: block k covers positions [block_end[k-1], block_end[k]). No
/// block ends means that no two documents are tied.
struct TiedRanking {
  std::span<const std::uint32_t> documents;
  std::span<const std::uint32_t> block_end = {};
  std::span<const float> reachable = {};  // labels that totals are counted over; none: those of all documents
};

/// V of a ranking under these factors.
double value(const Factors& factors, std::span<const std::uint32_t> ranking);
/// The mean of V over all orders of the tied documents.
double expected_value(const Factors& factors, const TiedRanking& ranking);
/// The largest V over all rankings: documents by decreasing b.
double ideal_value(const Factors& factors);
/// What each document adds to V at each of the first n positions: a_j b_i, documents x n. Throws Error(unsupported) for
/// Kind::first, to which a document alone adds nothing.
std::vector<double> gains_by_position(const Factors& factors, std::size_t n);

/// A measure of one query. Immutable, so threads may share it.
class Measure {
 public:
  virtual ~Measure() = default;

  /// The canonical spelling, e.g. "ndcg@10".
  virtual std::string name() const = 0;
  /// True when 1 is the top of the scale, whatever the query; false for sums of gains.
  virtual bool normalised() const { return true; }
  /// True when it compares all pairs of documents, so that it has no value for a list of some of them.
  virtual bool of_pairs() const { return false; }
  /// True when a document without a judgment (a negative label) is not the same as one judged 0.
  virtual bool of_judgments() const { return false; }
  /// True when it has no expectation over the orders of tied documents: rankings must be strict.
  virtual bool needs_order() const { return false; }
  /// True when it is averaged over queries by the geometric mean (docs/measures.md).
  virtual bool geometric() const { return false; }

  /// The mean over all orders of the tied documents; nothing when there is nothing to find in the query (no relevant
  /// document): the convention then says what it counts. Never decreases when tied documents are put in order of
  /// decreasing label. Throws Error(bad_input) for labels outside the measure's domain.
  virtual std::optional<double> expected(Labels labels, const TiedRanking& ranking) const = 0;

  std::optional<double> evaluate(Labels labels, std::span<const std::uint32_t> ranking) const {
    return expected(labels, TiedRanking{ranking});
  }
};

/// A measure that can be trained for: everything follows from its factors. Derive from it to bring your own a and b.
class FactoredMeasure : public Measure {
 public:
  /// Entries for every label. All b are 0 exactly when there is nothing to find. Called by several threads at a time.
  virtual Factors factor(Labels labels) const = 0;
  /// True when b was divided by the value of the best ranking, as in NDCG. Where a constraint rules that ranking out,
  /// the best one within the constraint takes its place (see the limits on groups below).
  virtual bool relative_to_ideal() const { return false; }
  /// True when the value of a ranking is a linear function of labels of 0 or more: then unbiased estimates of labels,
  /// such as gains from clicks, give an unbiased estimate of the measure.
  virtual bool linear_in_labels() const { return false; }
  std::optional<double> expected(Labels labels, const TiedRanking& ranking) const final;
};

/// A parsed spelling, `name[@cutoff][:key=value,...]`.
struct MeasureSpec {
  static constexpr std::size_t kNoCutoff = static_cast<std::size_t>(-1);

  std::string name;  // lower case, aliases resolved
  std::size_t cutoff = kNoCutoff;
  std::vector<std::pair<std::string, std::string>> parameters = {};

  std::string spelling() const;

  /// Each throws Error(bad_option) that says what the measure accepts.
  enum class Cutoff { none, optional, required };
  void accept(Cutoff rule, std::initializer_list<std::string_view> keys) const;
  double number(std::string_view key, double otherwise, std::string_view expected = "a finite number") const;
  std::vector<double> numbers(std::string_view key) const;  // "0/1/3"; empty when the key is absent
  std::string_view text(std::string_view key, std::string_view otherwise) const;
};

/// A measure from its spelling, e.g. "ndcg@10", "P@5", "eru:half_life=5,neutral=2", in any case, or as trec_eval,
/// ir_measures and ranx spell it: "ndcg_cut_10", "AP(rel=2)@100", "hit_rate@10". With judged_only=yes documents without
/// a judgment are passed over.
/// Throws Error(unknown_name) or Error(bad_option).
std::unique_ptr<const Measure> make_measure(std::string_view spelling, const Convention& convention = {});
/// The same for training; throws Error(bad_option) naming the trainable ones when asked for another.
std::unique_ptr<const FactoredMeasure> make_trainable(std::string_view spelling, const Convention& convention = {});

// One factory per measure; src/ranking/names/measures.cpp gives each its name and help.
using FactoredMeasurePtr = std::unique_ptr<const FactoredMeasure>;
using MeasurePtr = std::unique_ptr<const Measure>;
// clang-format off
FactoredMeasurePtr winner_takes_all(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr reciprocal_rank(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr dcg(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr ndcg(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr precision(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr relative_precision(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr r_precision(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr success(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr hits(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr rank_utility(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr normalised_rank_utility(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr modified_winner_takes_all(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr rank_biased_precision(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr average_rank(const MeasureSpec& spec, const Convention& convention);
FactoredMeasurePtr custom_measure(const MeasureSpec& spec, const Convention& convention);
MeasurePtr average_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr geometric_average_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr inferred_average_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr interpolated_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr binary_preference(const MeasureSpec& spec, const Convention& convention);
MeasurePtr geometric_binary_preference(const MeasureSpec& spec, const Convention& convention);
MeasurePtr expected_reciprocal_rank(const MeasureSpec& spec, const Convention& convention);
MeasurePtr recall(const MeasureSpec& spec, const Convention& convention);
MeasurePtr set_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr set_recall(const MeasureSpec& spec, const Convention& convention);
MeasurePtr set_f(const MeasureSpec& spec, const Convention& convention);
MeasurePtr f_at_cutoff(const MeasureSpec& spec, const Convention& convention);
MeasurePtr set_average_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr set_relative_precision(const MeasureSpec& spec, const Convention& convention);
MeasurePtr utility(const MeasureSpec& spec, const Convention& convention);
MeasurePtr normalised_gain(const MeasureSpec& spec, const Convention& convention);
MeasurePtr binary_gain(const MeasureSpec& spec, const Convention& convention);
MeasurePtr ndcg_at_relevant(const MeasureSpec& spec, const Convention& convention);
MeasurePtr ndcg_at_levels(const MeasureSpec& spec, const Convention& convention);
MeasurePtr judged_share(const MeasureSpec& spec, const Convention& convention);
MeasurePtr area_under_curve(const MeasureSpec& spec, const Convention& convention);
MeasurePtr kendall_tau(const MeasureSpec& spec, const Convention& convention);
// clang-format on

std::span<const CatalogEntry> measure_catalog();
/// Splits "ndcg@1,5,eru:half_life=5,neutral=2,mrr" into the spellings of its measures: key=value belongs to the measure
/// before it, digits are another cutoff of that measure. Throws Error(bad_option) for an empty piece.
std::vector<std::string> split_measures(std::string_view list);

}  // namespace dorm
