// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a target on data: in its precision, in its order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "data/scale/scale_rules.h"
#include "dorm/export.h"
#include "model/align.h"

namespace dorm {
namespace {

/// The features of one query's documents, in the order of the terms; 0 where the data lacks one.
class TermValues {
 public:
  TermValues(const ServedModel& served, const Model& model, const Dataset& data) {
    const std::vector<std::size_t> column_of = columns_of_features(model, data);
    for (const ServedModel::Term& term : served.terms) columns_.push_back(column_of[term.feature]);
    row_.resize(data.num_features());
  }

  void load(const Query& query) {
    values_.clear();
    for (std::size_t i = 0; i < query.size(); ++i) {
      query.rows.load(i, row_);
      for (const std::size_t column : columns_)
        values_.push_back(column == FeatureIndex::kUnknown ? 0.0F : row_[column]);
    }
  }

  std::span<const float> document(std::size_t i) const {
    return std::span(values_).subspan(i * columns_.size(), columns_.size());
  }

 private:
  std::vector<std::size_t> columns_;
  std::vector<float> row_, values_;
};

/// The scaling of one term by the documents of a query, as dorm/data/scale.h defines it; a constant feature has weight
/// 0.
ServedModel::Term scaled_within(ServedModel::Term term, const ServedModel& served, const TermValues& values,
                                std::size_t place, std::size_t documents) {
  const auto value = [&](std::size_t i) {
    const double x = values.document(i)[place];
    return served.logarithms ? signed_logarithm(x) : x;
  };
  double low = value(0), high = low, sum = 0, squares = 0;
  for (std::size_t i = 0; i < documents; ++i) {
    low = std::min(low, value(i));
    high = std::max(high, value(i));
    sum += value(i);
  }
  const double mean = sum / static_cast<double>(documents);
  for (std::size_t i = 0; i < documents; ++i) squares += (value(i) - mean) * (value(i) - mean);
  const bool range = uses_range(served.within_query);
  const double factor = factor_of({low, high, squares, documents}, range);
  term.weight = factor == 0 ? 0 : term.weight;
  term.shift = range ? low : mean;
  term.divisor = factor == 0 ? 1 : 1 / factor;
  return term;
}

/// f(x) in the precision of Number.
template <class Number>
Number value_of(const ServedModel& served, ServedModel::Part part, double x) {
  if (part == ServedModel::Part::gap) return static_cast<Number>(std::isnan(x) ? 1 : 0);
  if (part == ServedModel::Part::whole) return static_cast<Number>(served.logarithms ? signed_logarithm(x) : x);
  const Number side = std::max(static_cast<Number>(part == ServedModel::Part::positive ? x : -x), Number{0});
  return static_cast<Number>(std::log(static_cast<double>(1 + side)));
}

/// In the precision of Number.
template <class Number>
double sum_of_terms(const ServedModel& served, std::span<const ServedModel::Term> terms, std::span<const float> x) {
  auto sum = static_cast<Number>(served.constant);
  const std::size_t group = served.group == 0 ? 1 : served.group;
  for (std::size_t first = 0; first < terms.size(); first += group) {
    Number part = 0;
    for (std::size_t k = first; k < std::min(first + group, terms.size()); ++k) {
      const ServedModel::Term& term = terms[k];
      const bool filled = std::isnan(x[k]) && term.part != ServedModel::Part::gap;
      const double own = filled ? term.missing : static_cast<double>(x[k]);
      const Number value = std::min(std::max(value_of<Number>(served, term.part, own), static_cast<Number>(term.low)),
                                    static_cast<Number>(term.high));
      part += static_cast<Number>(term.weight) *
              ((value - static_cast<Number>(term.shift)) / static_cast<Number>(term.divisor));
    }
    sum += part;
  }
  return static_cast<double>(sum);
}

}  // namespace

std::vector<double> served_scores(const ServedModel& served, const Model& model, const Dataset& data) {
  require_features(model, data);
  if (served.scores) return served.scores(data);
  TermValues values(served, model, data);
  std::vector<double> scores;
  scores.reserve(data.num_documents());
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    values.load(query);
    std::vector<ServedModel::Term> terms = served.terms;
    if (served.within_query != ScalingKind::none)
      for (std::size_t k = 0; k < terms.size(); ++k)
        terms[k] = scaled_within(terms[k], served, values, k, query.size());
    for (std::size_t i = 0; i < query.size(); ++i)
      scores.push_back(served.single ? sum_of_terms<float>(served, terms, values.document(i))
                                     : sum_of_terms<double>(served, terms, values.document(i)));
  }
  return scores;
}

ServedDifference served_difference(const Dataset& data, std::span<const double> model_scores,
                                   std::span<const double> target_scores, double pruned, std::size_t top) {
  ServedDifference difference;
  difference.queries = data.num_queries();
  for (std::size_t d = 0; d < model_scores.size(); ++d) {
    const double off = std::fabs(model_scores[d] - (target_scores[d] + pruned));
    difference.scale = std::max(difference.scale, std::fabs(model_scores[d]));
    if (off <= difference.largest) continue;
    difference.largest = std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
    difference.document = d;
  }
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const auto first = [&](std::span<const double> scores) {
      return top_ranking(scores.subspan(query.first_document, query.size()), top);
    };
    difference.changed_queries += first(model_scores) != first(target_scores);
  }
  return difference;
}

}  // namespace dorm
