// SPDX-License-Identifier: Apache-2.0
// What a log says of every document of a data set: inverse propensity estimates, filled up by a model on request.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numeric.h"
#include "base/quote.h"
#include "dorm/clicks/click_evaluation.h"
#include "dorm/clicks/click_gains.h"
#include "dorm/data/prepare.h"
#include "dorm/error.h"
#include "evaluation/clicks/document_match.h"
#include "evaluation/clicks/relevance_model.h"

namespace dorm {
namespace {

constexpr double kModelRidge = 1e-3;

constexpr std::array<CatalogEntry, 3> kClickEstimators = {{
    {.name = "ips",
     .usage = "ips",
     .help = "a click weighs 1 / propensity: unbiased for shown documents at any position"},
    {.name = "snips",
     .usage = "snips",
     .help = "the same over the sum of all weights: the mean position weight of relevant documents, which does not "
             "depend on how much people click"},
    {.name = "ips+model",
     .usage = "ips+model",
     .help = "ips, and where clicks say nothing (clipped weight, documents never shown) relevance as predicted from "
             "features by a model of other queries"},
}};

void check_estimator(const ClickEvaluateOptions& options, const Propensities& propensities) {
  if (std::none_of(kClickEstimators.begin(), kClickEstimators.end(),
                   [&](const CatalogEntry& entry) { return entry.name == options.estimator; }))
    throw_unknown_name("estimator", options.estimator, kClickEstimators);
  if (options.estimator == "snips" && propensities.has_trust_bias())
    throw Error(ErrorCode::unsupported,
                "snips divides by clicks, which trust bias lets become negative; expected ips or ips+model");
}

}  // namespace

std::span<const CatalogEntry> click_estimator_catalog() { return kClickEstimators; }

ClickJudge::ClickJudge(const Dataset& data, const ClickCounts& counts, const Propensities& propensities,
                       const ClickEvaluateOptions& options)
    : data_(data),
      options_(options),
      gains_(data.num_documents(), 0.0),
      seen_(data.num_documents(), 0.0),
      covered_(data.num_documents(), 0.0),
      weight_(data.num_queries(), 0.0) {
  check_estimator(options, propensities);
  match(counts, propensities);
  if (options.estimator == "ips+model") add_model();
}

void ClickJudge::match(const ClickCounts& counts, const Propensities& propensities) {
  const ClickGains gains =
      estimate_gains(counts, propensities, {.clip = options_.clip, .per = ClickGainOptions::Per::shown});
  evidence_.clicks = gains.clicks;
  evidence_.impressions = gains.impressions;
  evidence_.effective_clicks = gains.effective_clicks;
  evidence_.clipped_share = gains.clipped_share;
  const DocumentMatch known(data_);
  const std::vector<double> views = counts.page_views();
  std::vector<std::size_t> query_of(counts.queries.size());
  for (std::size_t q = 0; q < query_of.size(); ++q) {
    query_of[q] = known.query(counts.queries[q]);
    if (query_of[q] == DocumentMatch::kNone)
      ++evidence_.queries_unknown;
    else if (views[q] > 0)
      weight_[query_of[q]] = options_.per_page ? views[q] : 1;
  }
  const auto row_of = [&](std::uint32_t query, std::uint32_t document) {
    return query_of[query] == DocumentMatch::kNone ? DocumentMatch::kNone
                                                   : known.document(query_of[query], counts.documents[document]);
  };
  for (const ClickGain& gain : gains.rows)
    if (const std::size_t row = row_of(gain.query, gain.document); row != DocumentMatch::kNone)
      gains_[row] = gain.gain - gains.shift[gain.query];
    else if (query_of[gain.query] != DocumentMatch::kNone)
      ++evidence_.documents_unknown;
  for (const ClickCount& count : counts.rows) {
    const std::size_t row = row_of(count.query, count.document);
    if (row == DocumentMatch::kNone) {
      if (query_of[count.query] != DocumentMatch::kNone) evidence_.clicks_unknown += count.clicks;
      continue;
    }
    const double slope = propensities.at(count.position, counts.contexts[count.context]).slope();
    seen_[row] += count.impressions;
    covered_[row] += count.impressions * slope / std::max(slope, options_.clip);
  }
  for (std::size_t i = 0; i < seen_.size(); ++i) covered_[i] = seen_[i] > 0 ? covered_[i] / seen_[i] : 0;
  for (std::size_t q = 0; q < data_.num_queries(); ++q) {
    if (weight_[q] == 0) continue;
    ++evidence_.queries;
    for (std::size_t i = data_.first_document(q); i < data_.first_document(q + 1); ++i)
      if (seen_[i] == 0) ++evidence_.never_shown;
  }
  if (evidence_.queries == 0)
    throw Error(ErrorCode::bad_input, "the log and the documents have no query in common; expected the same query ids");
}

// r + mean (c - slope r) / max(slope, clip) = gain + r (1 - covered), r being predicted by models of other queries.
void ClickJudge::add_model() {
  if (data_.num_features() == 0)
    throw Error(ErrorCode::bad_input, "ips+model predicts relevance from features, and the documents have none");
  std::vector<std::size_t> all(data_.num_documents());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const StandardRows rows(data_, all);
  std::vector<std::size_t> logged;
  for (std::size_t q = 0; q < data_.num_queries(); ++q)
    if (weight_[q] > 0) logged.push_back(q);
  if (logged.size() < 2)
    throw Error(ErrorCode::bad_input, "ips+model predicts relevance by models of other queries; expected two or more");
  const Dataset judged = data_.select(logged);
  const std::size_t parts = std::min(std::max<std::size_t>(2, options_.folds), logged.size());
  std::vector<double> filled = gains_;
  for (const std::vector<std::size_t>& part : folds(judged, parts, options_.evaluate.seed)) {
    std::vector<double> weights = seen_;
    const auto for_part = [&](const auto& visit) {
      for (const std::size_t k : part)
        for (std::size_t i = data_.first_document(logged[k]); i < data_.first_document(logged[k] + 1); ++i) visit(i);
    };
    for_part([&](std::size_t i) { weights[i] = 0; });
    const std::vector<double> coefficients = fit_linear(rows, gains_, weights, kModelRidge);
    for_part(
        [&](std::size_t i) { filled[i] += (1 - covered_[i]) * std::max(0.0, predicted(rows.row(i), coefficients)); });
  }
  gains_ = std::move(filled);
}

}  // namespace dorm
