// SPDX-License-Identifier: Apache-2.0
// Building blocks of measures: gains, discounts, relevance, blocks of tied documents.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dorm/measure.h"

namespace dorm {

/// A measure that remembers how it was spelled and under which convention.
template <class Base>
class NamedMeasure : public Base {
 public:
  NamedMeasure(const MeasureSpec& spec, const Convention& convention)
      : cutoff_(spec.cutoff), convention_(convention), name_(spec.spelling()) {}
  std::string name() const override { return name_; }

 protected:
  std::size_t cutoff_;
  Convention convention_;

 private:
  std::string name_;
};

/// Gain of every label; throws Error(bad_input) where Gain says a label is refused.
std::vector<double> gains(const Convention& convention, Labels labels);
/// 1 for relevant documents, else 0.
std::vector<double> relevance(const Convention& convention, Labels labels);
std::vector<double> relevance(const Convention::Relevance& relevant, Labels labels);

/// b of measures of relevance: 1 for relevant documents, else 0; with gain=linear in the spelling the labels
/// themselves, which estimates of relevance need.
class RelevanceGain {
 public:
  RelevanceGain(const MeasureSpec& spec, const Convention& convention);
  std::vector<double> of(Labels labels) const;
  bool linear() const { return linear_; }

 private:
  Convention convention_;
  bool linear_;
};

/// What is relevant, and how many documents are, of those that could be found.
struct FoundRelevant {
  Convention::Relevance is_relevant;
  double count = 0;
};
FoundRelevant found_relevant(const Convention& convention, Labels labels, const TiedRanking& ranking);
/// Discounts of `length` positions, zero from position `cutoff` on.
std::vector<double> discounts(const Convention& convention, std::size_t length, std::size_t cutoff);

/// The convention with what the spelling overrides: gain=exp2|linear, gains=0/1/3, discount=log2|letor.
Convention with_gain_parameters(const MeasureSpec& spec, const Convention& convention);
/// The convention with the spelling's rel=x (relevant from label x on) or rel=best (the best label of the query).
Convention with_relevance_parameter(const MeasureSpec& spec, const Convention& convention);
/// Throws Error(bad_option) unless the numbers never decrease and are finite and not negative.
void check_gain_table(const MeasureSpec& spec, const std::vector<double>& table);

/// Divides b by the ideal value, so that the best ranking has value 1; does nothing when that is 0.
void normalise(Factors& factors);

/// True when a list of `length` documents is shorter than the cutoff.
constexpr bool is_short(std::size_t length, std::size_t cutoff) {
  return cutoff != MeasureSpec::kNoCutoff && length < cutoff;
}

/// NDCG@n factors under the convention, short lists included.
Factors ndcg_factors(const Convention& convention, Labels labels, std::size_t cutoff);

/// Calls body(begin, end) for every block of tied positions, in order.
template <class Body>
void for_each_block(const TiedRanking& ranking, Body&& body) {
  const std::size_t length = ranking.documents.size();
  if (ranking.block_end.empty()) {
    for (std::size_t j = 0; j < length; ++j) body(j, j + 1);
    return;
  }
  std::size_t begin = 0;
  for (std::uint32_t end : ranking.block_end) {
    body(begin, std::size_t{end});
    begin = end;
  }
}

}  // namespace dorm
