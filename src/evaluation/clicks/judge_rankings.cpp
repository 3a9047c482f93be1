// SPDX-License-Identifier: Apache-2.0
// Values of rankings under estimated relevance, query by query, and what they come to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "dorm/clicks/click_evaluation.h"
#include "dorm/error.h"
#include "evaluation/ranking.h"
#include "evaluation/summarise.h"

namespace dorm {
namespace {

/// Measures whose labels may stand for relevance itself: then they are a sum of position weight times relevance.
constexpr std::array<std::string_view, 3> kWithLinearGain = {"dcg", "precision", "rbp"};

Ties ties_of(const EvaluateOptions& options, const Convention& convention) {
  const Ties ties = !options.ties.empty() ? parse_ties(options.ties) : convention.ties;
  if (options.ties.empty() && ties == Ties::document_id) return Ties::index;
  if (ties == Ties::document_id || ties == Ties::worst)
    throw Error(ErrorCode::bad_option, fmt::format("ties {} under clicks; expected index or expected", options.ties));
  return ties;
}

/// The documents of a query that a ranking has, in its order; buffers are reused.
class RankedPart {
 public:
  void rank(const Query& query, std::span<const double> scores, Ties ties) {
    documents_.clear();
    scores_.clear();
    for (std::uint32_t i = 0; i < scores.size(); ++i) {
      if (scores[i] == -kInfinity) continue;
      if (!std::isfinite(scores[i]))
        throw Error(ErrorCode::bad_input, fmt::format("query \"{}\", document {}: score {}; expected a finite number",
                                                      query.id, i + 1, scores[i]));
      documents_.push_back(i);
      scores_.push_back(scores[i]);
    }
    labels_.assign(scores.size(), 0.0F);
    dorm::rank({query.id, std::span(labels_).first(scores_.size()), scores_}, ties, ranked_);
  }

  Factors factor(const FactoredMeasure& measure) const { return measure.factor(labels_); }

  /// Sum over positions of weight times what `gain` says of the document there.
  template <class GainOf>
  double value(Factors& factors, const GainOf& gain) const {
    factors.b.resize(documents_.size());
    for (std::size_t k = 0; k < documents_.size(); ++k) factors.b[k] = gain(documents_[k]);
    return expected_value(factors, ranked_.view());
  }

 private:
  std::vector<std::uint32_t> documents_;
  std::vector<double> scores_;
  std::vector<float> labels_;
  RankedQuery ranked_;
};

}  // namespace

FactoredMeasurePtr additive_measure(const std::string& spelling, const Convention& convention) {
  const std::string name = make_measure(spelling, convention)->name();
  const std::string_view base = std::string_view(name).substr(0, name.find_first_of("@:"));
  std::string linear = name;
  if (std::find(kWithLinearGain.begin(), kWithLinearGain.end(), base) != kWithLinearGain.end() &&
      name.find("gain") == std::string::npos && name.find("rel=") == std::string::npos)
    linear += name.find(':') == std::string::npos ? ":gain=linear" : ",gain=linear";
  const MeasurePtr made = make_measure(linear, convention);
  const auto* factored = dynamic_cast<const FactoredMeasure*>(made.get());
  if (factored && factored->linear_in_labels()) return make_trainable(linear, convention);
  throw Error(
      ErrorCode::unsupported,
      fmt::format("{} is no sum of position weight times relevance, so that clicks give no unbiased estimate of "
                  "it; expected dcg, precision, rbp, eru or avgrank, with gains as they are",
                  name));
}

ClickEvaluation ClickJudge::evaluate(std::span<const double> scores, std::span<const std::string> measures) const {
  if (scores.size() != data_.num_documents())
    throw Error(ErrorCode::bad_input, fmt::format("{} scores for {} documents; expected one per document",
                                                  scores.size(), data_.num_documents()));
  const EvaluateOptions& how = options_.evaluate;
  const Convention convention = convention_of(how);
  const Ties ties = ties_of(how, convention);
  const bool ratio = options_.estimator == "snips";
  std::vector<FactoredMeasurePtr> made;
  ClickEvaluation out;
  out.table = {convention.name, std::string(name_of(ties)), "", {}, 0, {}};
  for (const std::string& measure : measures) {
    made.push_back(additive_measure(measure, convention));
    std::vector<double> values(data_.num_queries(), kNaN);
    out.table.measures.push_back({made.back()->name(), kNaN, kNaN, kNaN, 0, 0, std::move(values), false});
  }
  std::vector<double> unseen(made.size(), 0.0), all(made.size(), 0.0), weights = weight_;
  RankedPart part;
  for (std::size_t q = 0; q < data_.num_queries(); ++q) {
    const Query query = data_.query(q);
    out.table.query_ids.emplace_back(query.id);
    if (weight_[q] == 0) continue;
    const std::size_t first = query.first_document;
    const std::span<const double> gains = std::span(gains_).subspan(first, query.size());
    part.rank(query, scores.subspan(first, query.size()), ties);
    const double total = std::accumulate(gains.begin(), gains.end(), 0.0);
    for (std::size_t m = 0; m < made.size(); ++m) {
      Factors factors = part.factor(*made[m]);
      const double value = part.value(factors, [&](std::uint32_t i) { return gains[i]; });
      out.table.measures[m].per_query[q] = !ratio ? value : total > 0 ? value / total : kNaN;
      unseen[m] += weight_[q] * part.value(factors, [&](std::uint32_t i) { return seen_[first + i] == 0 ? 1.0 : 0.0; });
      all[m] += weight_[q] * part.value(factors, [](std::uint32_t) { return 1.0; });
    }
    if (ratio) weights[q] *= total;
  }
  for (std::size_t m = 0; m < made.size(); ++m) out.unseen.push_back(all[m] > 0 ? unseen[m] / all[m] : 0);
  summarise(out.table, weights, how);
  if (ratio || options_.per_page) out.table.weights = std::move(weights);
  return out;
}

}  // namespace dorm
