// SPDX-License-Identifier: Apache-2.0
// Measures: how good a ranking of one query's documents is.
//
// A ranking is the list of documents in order: ranking[j] is the document at position j (0-based). It may be shorter
// than the list of labels: documents it leaves out were not retrieved, but count as judged. Trainable measures are
// factored, V = sum_i a[position of i] b[i], with a by position and b by document; the others can only be evaluated.
// The two kinds are different types.
//
// Conventions are the details on which tools disagree when they print a figure under the same name; docs/measures.md
// lists the presets and where each comes from.
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

namespace dorm {

// ---- conventions -------------------------------------------------------------------------------------------------

/// Equal scores: by document index (as input), the expectation over all orders, the worst order, or by document id,
/// descending (trec_eval's rule).
enum class Ties { index, expected, worst, document_id };

/// Gain of a label r; labels at or below 0 gain nothing.
///   exp2:   2^r - 1; a label above 1000 is refused, since its gain could overflow a sum
///   linear: r
///   table:  Convention::gain_table, entry r, linear between entries; a label past the end is refused
enum class Gain { exp2, linear, table };

/// Discount of a rank (1-based): log2: 1 / log2(1 + rank); letor: 1, 1, then 1 / log2(rank).
enum class Discount { log2, letor };

/// A query in which a measure has nothing to find, e.g. no relevant document: leave it out of the mean, or count it as
/// 0, or as 1 (as 0 for measures that are not normalised, such as dcg).
enum class EmptyQuery { skip, zero, one };

/// A query with fewer documents than the cutoff: use what there is; or its dcg@n and ndcg@n are 0; or its
/// precision@n is 0 as well.
enum class ShortList { counted, gain_zero, zero };

struct Convention {
  std::string name = "standard";
  Gain gain = Gain::exp2;
  std::vector<double> gain_table = {};  // never decreasing, not negative
  Discount discount = Discount::log2;
  EmptyQuery empty = EmptyQuery::skip;
  Ties ties = Ties::index;
  double relevant_from = 0;    // relevant: label > 0 and label >= relevant_from
  bool relevant_best = false;  // relevant: label > 0 and the best of the query, whatever relevant_from says
  ShortList short_list = ShortList::counted;
  bool map_over_reachable = false;  // map@n divides by min(relevant, n), not by relevant
  bool skip_missing = false;        // judged queries a run does not mention: left out, or counted as empty lists

  /// Which labels of a query are relevant, given all of them.
  struct Relevance {
    double from = 0;
    bool operator()(float label) const { return label > 0 && static_cast<double>(label) >= from; }
  };
  Relevance relevance(std::span<const float> labels) const;
};

/// A preset by name; throws Error(unknown_name) with the nearest name and all of them.
Convention make_convention(std::string_view name);

/// "index", "expected", "worst" or "document_id"; throws Error(unknown_name).
Ties parse_ties(std::string_view name);
std::string_view name_of(Ties ties);

std::span<const CatalogEntry> convention_catalog();
std::span<const CatalogEntry> tie_catalog();

// ---- measures ----------------------------------------------------------------------------------------------------

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

/// A measure from its spelling, e.g. "ndcg@10", "P@5", "eru:half_life=5,neutral=2". Names and aliases in any case.
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
MeasurePtr judged_share(const MeasureSpec& spec, const Convention& convention);
MeasurePtr area_under_curve(const MeasureSpec& spec, const Convention& convention);
MeasurePtr kendall_tau(const MeasureSpec& spec, const Convention& convention);
// clang-format on

std::span<const CatalogEntry> measure_catalog();
/// Splits "ndcg@1,5,eru:half_life=5,neutral=2,mrr" into the spellings of its measures: key=value belongs to the measure
/// before it, digits are another cutoff of that measure. Throws Error(bad_option) for an empty piece.
std::vector<std::string> split_measures(std::string_view list);

// ---- lists with limits on groups ---------------------------------------------------------------------------------

// Diversity as limits on groups: at most so many documents of each group (site, topic, set of near-duplicates) in the
// list that is shown.
//
// A list under limits holds the first `list_length` documents of some ranking; the other documents of the query are not
// shown. Filling it from the best document down, passing over groups that are full, gives every position the best that
// can stand there: the sums over each prefix are as large as they can be. So ranking is still a sort, and the best list
// of a measure is found by sorting gains. docs/diversity.md has the proofs.

/// Throws Error(bad_input) unless there is one valid group per document and at least one document may be shown.
void require_valid(const GroupLimits& groups, std::size_t documents);

/// How many documents a list can show: the sum over groups of the smaller of limit and size.
std::size_t most_shown(const GroupLimits& groups);

/// Positions of a list under position weights `a`: those with weight, fewer where groups run out.
std::size_t list_length(std::span<const double> a, const GroupLimits& groups);

/// The documents of `order` in turn, without those whose group is full; at most n, all that fit when n is 0.
Ranking admit(std::span<const std::uint32_t> order, const GroupLimits& groups, std::size_t n = 0);

/// The best of each group, then sorted by score: the n documents a list shows, ties by index.
Ranking top_ranking(std::span<const double> scores, const GroupLimits& groups, std::size_t n = 0);

/// The largest V over the lists within the limits.
double ideal_value(const Factors& factors, const GroupLimits& groups);

/// The factors of a measure whose ideal is itself within the limits: those of measures relative to their ideal are
/// scaled, so that the best list within the limits has value 1.
Factors factor_within(const FactoredMeasure& measure, Labels labels, const GroupLimits& groups);

// ---- measures of subtopics ---------------------------------------------------------------------------------------

// How well a ranking covers the subtopics (intents) of a query. Evaluation only.

/// One query: the subtopics that each document is relevant to, numbered from 0. Every number occurs: a subtopic without
/// a relevant document does not count.
struct SubtopicCover {
  std::size_t subtopics = 0;
  std::vector<std::vector<std::uint32_t>> of_document;
  std::vector<std::uint32_t> ideal_order;  // of the documents with a subtopic: the ideal takes the first of equals
};

class SubtopicMeasure {
 public:
  virtual ~SubtopicMeasure() = default;
  virtual std::string name() const = 0;
  /// Nothing when no subtopic has a relevant document.
  virtual std::optional<double> evaluate(const SubtopicCover& cover, std::span<const std::uint32_t> ranking) const = 0;
};

/// From a spelling such as "alpha-ndcg@10" or "alpha-ndcg@20:alpha=0.3"; throws Error(unknown_name) or
/// Error(bad_option).
std::unique_ptr<const SubtopicMeasure> make_subtopic_measure(std::string_view spelling);
std::span<const CatalogEntry> subtopic_catalog();

}  // namespace dorm
