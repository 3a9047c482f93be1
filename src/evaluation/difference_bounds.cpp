// SPDX-License-Identifier: Apache-2.0
#include "evaluation/difference_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/numeric.h"
#include "dorm/error.h"

namespace dorm {
namespace {

// Labelings that are tried before the bounds become those of the scale.
constexpr double kMostLabelings = 5000;
constexpr double kNoChange = 1e-12;

/// Calls `body` for every way to give the documents, in this order, labels that never rise; `values` fall.
template <class Body>
void for_each_descent(std::span<const std::uint32_t> order, std::span<const float> values, std::vector<float>& labels,
                      const Body& body) {
  if (order.empty()) return body();
  if (values.empty()) return;
  for_each_descent(order, values.subspan(1), labels, body);  // this value for none of them
  for (std::size_t count = 1; count <= order.size(); ++count) {
    labels[order[count - 1]] = values[0];
    if (count == order.size())
      body();
    else
      for_each_descent(order.subspan(count), values.subspan(1), labels, body);
  }
}

double descents(std::size_t documents, std::size_t values) {
  double count = 1;
  for (std::size_t k = 1; k < values; ++k) count *= real(documents + k) / real(k);
  return count;
}

std::size_t cutoff_in(const std::string& name) {
  const std::size_t at = name.find('@');
  return at == std::string::npos ? 0 : std::stoul(name.substr(at + 1));
}

}  // namespace

std::vector<std::uint32_t> PooledQuery::open() const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0) out.push_back(i);
  return out;
}

BoundedMeasure::BoundedMeasure(const std::string& spelling, const Convention& convention)
    : measure_(make_measure(spelling, convention)) {
  const std::string name = measure_->name(), root = name.substr(0, name.find_first_of("@:"));
  const bool best = convention.relevant_best || name.find("rel=best") != std::string::npos;
  static const std::set<std::string, std::less<>> sums = {"dcg", "precision", "rbp", "hits"},
                                                  firsts = {"mrr", "success"};
  if (!measure_->of_judgments() && !best)
    kind_ = root == "ndcg"          ? Kind::share_of_ideal
            : sums.contains(root)   ? Kind::sum
            : firsts.contains(root) ? Kind::first
                                    : Kind::any;
  if (measure_->of_judgments() || measure_->of_pairs() || measure_->geometric() ||
      (kind_ == Kind::any && !measure_->normalised()))
    throw Error(
        ErrorCode::bad_option,
        fmt::format("measure \"{}\": nothing bounds what unjudged documents can change; expected one of ndcg, "
                    "dcg, precision, rbp, hits, mrr, success, or another with values from 0 to 1 in which they count "
                    "as bad",
                    spelling));
  depth_ = cutoff_in(name);
}

double BoundedMeasure::difference(const PooledQuery& query, Labels labels) const {
  return measure_->evaluate(labels, query.first).value_or(0) - measure_->evaluate(labels, query.second).value_or(0);
}

double BoundedMeasure::difference(const PooledQuery& query) const {
  std::vector<float> labels = query.labels;
  for (float& label : labels) label = std::max(label, 0.0f);
  return difference(query, labels);
}

// By document: its position weight in the first ranking less that in the second.
std::vector<double> BoundedMeasure::apart(const PooledQuery& query) const {
  const std::vector<float> none(query.labels.size(), 0.0f);
  const Factors factors = dynamic_cast<const FactoredMeasure&>(*measure_).factor(none);
  std::vector<double> out(query.labels.size(), 0.0);
  for (std::size_t j = 0; j < query.first.size(); ++j) out[query.first[j]] += factors.a[j];
  for (std::size_t j = 0; j < query.second.size(); ++j) out[query.second[j]] -= factors.a[j];
  return out;
}

// The labelings among which the largest difference is, documents in falling order of what a gain adds to it. Which
// documents get the labels of a labeling decides the sum of gains and not the ideal, so labels fall along this order.
// Between two neighbouring labels of judged documents the ideal is linear in a gain, and the difference a ratio of
// linear functions, which is largest at an end: so no other labels are needed.
void BoundedMeasure::visit(const PooledQuery& query, float best, const std::vector<std::uint32_t>& order,
                           DifferenceBounds& bounds) const {
  std::vector<float> labels = query.labels;
  for (float& label : labels) label = std::max(label, 0.0f);
  const auto take = [&] {
    const double value = difference(query, labels);
    bounds.low = std::min(bounds.low, value);
    bounds.high = std::max(bounds.high, value);
  };
  if (kind_ == Kind::first) {  // one relevant document is as good as several
    take();
    for (const std::uint32_t i : order) {
      labels[i] = best;
      take();
      labels[i] = 0;
    }
    return;
  }
  std::set<float, std::greater<>> values = {best, 0.0f};
  if (kind_ == Kind::share_of_ideal)
    for (const float label : query.labels)
      if (label > 0 && label < best) values.insert(label);
  if (descents(order.size(), values.size()) > kMostLabelings) {
    bounds = {-1, 1};
    return;
  }
  for_each_descent(order, std::vector<float>(values.begin(), values.end()), labels, take);
}

DifferenceBounds BoundedMeasure::bounds(const PooledQuery& query, float best) const {
  std::vector<std::uint32_t> order = query.open();
  if (order.empty()) return {difference(query), difference(query)};
  if (kind_ == Kind::any) return {-1, 1};
  const std::vector<double> by = apart(query);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) { return by[i] > by[j]; });
  DifferenceBounds out{kInfinity, -kInfinity};
  visit(query, best, order, out);
  std::reverse(order.begin(), order.end());
  visit(query, best, order, out);
  return out;
}

std::vector<std::uint32_t> BoundedMeasure::matters(const PooledQuery& query, const DifferenceBounds& bounds) const {
  if (bounds.width() <= kNoChange) return {};
  std::vector<std::uint32_t> out = query.open();
  if (kind_ != Kind::sum) return out;
  const std::vector<double> by = apart(query);
  std::erase_if(out, [&](std::uint32_t i) { return std::abs(by[i]) <= kNoChange; });
  return out;
}

}  // namespace dorm
