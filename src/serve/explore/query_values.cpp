// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/query_values.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/numeric.h"
#include "base/parallel.h"
#include "data/source_order.h"
#include "evaluation/summarise.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kValuesAtOnce = 32;  // queries

template <class Body>
void each_query(const Dataset& data, std::size_t threads, const Body& body) {
  const std::size_t pieces = (data.num_queries() + kValuesAtOnce - 1) / kValuesAtOnce;
  parallel_for(pieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t end = std::min(data.num_queries(), (piece + 1) * kValuesAtOnce);
    for (std::size_t q = piece * kValuesAtOnce; q < end; ++q) body(q);
  });
}

/// Of "ndcg@10:gain=linear" it is 10.
std::size_t cutoff_in(const std::string& name) {
  const std::size_t at = name.find('@');
  return at == std::string::npos ? 0 : static_cast<std::size_t>(std::stoul(name.substr(at + 1)));
}

void drop_zeros(std::vector<double>& a) {
  while (!a.empty() && a.back() == 0) a.pop_back();
  a.shrink_to_fit();
}

}  // namespace

QueryValues::QueryValues(Dataset data, const std::string& measure, EvaluateOptions options)
    : data_(std::move(data)), options_(std::move(options)) {
  data_.require_labels();
  const Convention convention = convention_of(options_);
  measure_ = make_measure(measure, convention);
  name_ = measure_->name();
  cutoff_ = cutoff_in(name_);
  const Ties ties = options_.ties.empty() ? convention.ties : parse_ties(options_.ties);
  const bool by_index =
      ties == Ties::index || (ties == Ties::document_id && options_.ties.empty() && !data_.has_document_ids());
  bool in_order = true;
  for (std::size_t q = 0; q < data_.num_queries(); ++q) in_order = in_order && source_order(data_, q).empty();
  by_index_ = by_index && in_order;
  empty_ = count_empty(convention, *measure_);
  const auto* factored = dynamic_cast<const FactoredMeasure*>(measure_.get());
  if (!factored || options_.depth > 0 || !options_.one_per.empty()) return;
  factors_.resize(data_.num_queries());
  std::vector<char> nothing(data_.num_queries());
  each_query(data_, options_.threads, [&](std::size_t q) {
    Factors factors = factored->factor(data_.query(q).labels);
    nothing[q] = std::all_of(factors.b.begin(), factors.b.end(), [](double b) { return b == 0; });
    drop_zeros(factors.a);
    factors_[q] = std::move(factors);
  });
  nothing_.assign(nothing.begin(), nothing.end());
}

double QueryValues::judged(std::size_t q, std::span<const double> scores) const {
  const Dataset alone = data_.select(std::span(&q, 1));
  EvaluateOptions options = options_;
  options.bootstrap = 0;
  options.threads = 1;
  const Measure* const measure = measure_.get();
  return evaluate(alone, scores, std::span(&measure, 1), options).measures[0].per_query[0];
}

double QueryValues::value(std::size_t q, std::span<const double> scores) const {
  if (nothing_[q]) return empty_;
  const Factors& factors = factors_[q];
  if (factors.a.empty()) return 0;
  const std::size_t counted = factors.a.size();
  if (by_index_) return dorm::value(factors, top_ranking(scores, counted));
  Ranking head = top_ranking(scores, std::min(scores.size(), counted + 1));
  for (std::size_t j = 1; j < head.size(); ++j)
    if (scores[head[j]] == scores[head[j - 1]]) return judged(q, scores);
  head.resize(std::min(head.size(), counted));
  return dorm::value(factors, head);
}

std::vector<double> QueryValues::values(const ScoreTable& scores) const {
  if (factors_.empty()) {
    EvaluateOptions options = options_;
    options.bootstrap = 0;
    const Measure* const measure = measure_.get();
    return evaluate(data_, scores.all(), std::span(&measure, 1), options).measures[0].per_query;
  }
  std::vector<double> out(data_.num_queries(), kNaN);
  each_query(data_, options_.threads, [&](std::size_t q) {
    thread_local std::vector<double> own;
    const std::size_t first = data_.first_document(q);
    own.resize(data_.first_document(q + 1) - first);
    scores.load(first, own);
    out[q] = value(q, own);
  });
  return out;
}

double QueryValues::of_query(std::size_t q, std::span<const double> scores) const {
  return factors_.empty() ? judged(q, scores) : value(q, scores);
}

MeasureResult QueryValues::estimate(std::vector<double> values) const {
  EvaluationTable table;
  table.measures.push_back({name_, kNaN, kNaN, kNaN, 0, 0, std::move(values), measure_->geometric()});
  std::vector<double> weights;
  for (std::size_t q = 0; q < data_.num_queries(); ++q) weights.push_back(data_.query(q).weight);
  summarise(table, weights, options_);
  return std::move(table.measures[0]);
}

}  // namespace dorm::explore
