// SPDX-License-Identifier: Apache-2.0
// P(click) = propensity of the position * relevance, by expectation maximisation over what is hidden: whether a
// document was looked at, and whether it is relevant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/quote.h"
#include "dorm/error.h"
#include "evaluation/bootstrap.h"
#include "evaluation/clicks/document_match.h"
#include "evaluation/clicks/estimators.h"
#include "evaluation/clicks/relevance_model.h"

namespace dorm {
namespace {

constexpr double kLeastRelevance = 1e-9;
constexpr double kFeatureRidge = 1e-4;
constexpr std::size_t kResampledIterations = 200;  // from the estimate of all queries

struct EmState {
  std::vector<double> propensity;    // by place
  std::vector<double> relevance;     // by document
  std::vector<double> coefficients;  // of features; empty: none
};

std::vector<std::size_t> rows_of_documents(const Shown& shown, const ClickCounts& counts, const Dataset& data) {
  const DocumentMatch match(data);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < shown.num_documents(); ++i) {
    const std::string &query = counts.queries[shown.query_[i]], &document = counts.documents[shown.document_[i]];
    const std::size_t q = match.query(query);
    const std::size_t row = q == DocumentMatch::kNone ? DocumentMatch::kNone : match.document(q, document);
    if (row == DocumentMatch::kNone)
      throw Error(ErrorCode::bad_input, fmt::format("query {}, document {} of the log has no features; expected those "
                                                    "of all that was shown",
                                                    in_quotes(query), in_quotes(document)));
    rows.push_back(row);
  }
  return rows;
}

class Em {
 public:
  Em(const Shown& shown, const StandardRows* rows) : shown_(shown), rows_(rows), weight_(shown.num_documents(), 1.0) {}

  EmState start() const {
    EmState state{
        std::vector<double>(shown_.positions.size(), 0.0), std::vector<double>(shown_.num_documents(), 0.5), {}};
    std::vector<double> shows(shown_.positions.size(), 0.0);
    for (const ShownCell& cell : shown_.cells_) {
      state.propensity[cell.place] += cell.clicks;
      shows[cell.place] += cell.impressions;
    }
    for (std::size_t k = 0; k < shows.size(); ++k) state.propensity[k] /= shows[k];
    const double most = *std::max_element(state.propensity.begin(), state.propensity.end());
    for (std::size_t k = 0; k < shows.size(); ++k) {
      if (state.propensity[k] == 0)
        throw Error(ErrorCode::bad_input,
                    fmt::format("nothing was clicked at position {}; expected clicks at every position, or fewer "
                                "positions",
                                shown_.positions[k]));
      state.propensity[k] = 0.95 * state.propensity[k] / most;
    }
    if (rows_) state.coefficients.assign(rows_->columns(), 0.0);
    return state;
  }

  /// One step; the largest move of a log propensity, relative to that of the first position.
  double step(EmState& state) const {
    std::vector<double> looked(state.propensity.size(), 0.0), shows(state.propensity.size(), 0.0);
    std::vector<double> relevant(shown_.num_documents(), 0.0), total(shown_.num_documents(), 0.0);
    for (std::size_t i = 0; i < shown_.num_documents(); ++i) {
      for (const ShownCell& cell : shown_.document(i).cells) {
        const double p = state.propensity[cell.place], r = state.relevance[i];
        const double missed = (cell.impressions - cell.clicks) / std::max(1 - p * r, 1e-300);
        looked[cell.place] += weight_[i] * (cell.clicks + missed * p * (1 - r));
        shows[cell.place] += weight_[i] * cell.impressions;
        relevant[i] += cell.clicks + missed * (1 - p) * r;
        total[i] += cell.impressions;
      }
    }
    if (rows_) {
      for (std::size_t i = 0; i < total.size(); ++i) {
        relevant[i] *= weight_[i];
        total[i] *= weight_[i];
      }
      improve_logistic(*rows_, relevant, total, kFeatureRidge, state.coefficients);
    }
    for (std::size_t i = 0; i < total.size(); ++i) {
      const double r =
          rows_ ? 1 / (1 + std::exp(-predicted(rows_->row(i), state.coefficients))) : relevant[i] / total[i];
      state.relevance[i] = std::clamp(r, kLeastRelevance, 1.0);
    }
    const double before = state.propensity[0];
    const double after = shows[0] > 0 ? std::clamp(looked[0] / shows[0], 1e-12, 1.0) : before;
    double moved = 0;
    for (std::size_t k = 0; k < looked.size(); ++k) {
      if (!(shows[k] > 0)) continue;  // of a resample
      const double p = std::clamp(looked[k] / shows[k], 1e-12, 1.0);
      moved = std::max(moved, std::abs(std::log(p / after) - std::log(state.propensity[k] / before)));
      state.propensity[k] = p;
    }
    return moved;
  }

  void set_weights(std::vector<double> weights) { weight_ = std::move(weights); }  // of documents

 private:
  const Shown& shown_;
  const StandardRows* rows_;
  std::vector<double> weight_;
};

std::vector<double> relative_logs(const EmState& state) {
  std::vector<double> x;
  for (const double p : state.propensity) x.push_back(std::log(p / state.propensity.front()));
  return x;
}

// Standard deviations over resamples of the queries, each begun at the estimate.
std::vector<double> resampled_errors(const Shown& shown, const StandardRows* rows, const EmState& found,
                                     const PropensityOptions& options) {
  std::vector<std::size_t> first;  // documents of each query, and the end
  shown.for_each_query([&](std::size_t begin, std::size_t) { first.push_back(begin); });
  first.push_back(shown.num_documents());
  std::vector<std::vector<double>> all(options.bootstrap);
  parallel_for(options.bootstrap, options.threads, [&](std::size_t sample, std::size_t) {
    std::vector<double> times(first.size() - 1), weights(shown.num_documents());
    draw_resample(stream_seed(options.seed, sample), times);
    for (std::size_t q = 0; q + 1 < first.size(); ++q)
      for (std::size_t i = first[q]; i < first[q + 1]; ++i) weights[i] = times[q];
    Em em(shown, rows);
    em.set_weights(std::move(weights));
    EmState state = found;
    for (std::size_t i = 0; i < kResampledIterations && em.step(state) > 1e-5; ++i) {
    }
    all[sample] = relative_logs(state);
  });
  std::vector<double> errors(shown.positions.size(), 0.0);
  for (std::size_t k = 1; k < errors.size(); ++k) {
    double mean = 0, squares = 0;
    for (const std::vector<double>& x : all) mean += x[k] / real(all.size());
    for (const std::vector<double>& x : all) squares += (x[k] - mean) * (x[k] - mean);
    errors[k] = all.size() < 2 ? kNaN : std::sqrt(squares / real(all.size() - 1));
  }
  return errors;
}

}  // namespace

PositionLogs regression_em(const Shown& shown, const ClickCounts& counts, const Dataset* features,
                           const PropensityOptions& options, PropensityEvidence& evidence) {
  std::optional<StandardRows> rows;
  if (features) rows.emplace(*features, rows_of_documents(shown, counts, *features));
  const StandardRows* const used = rows ? &*rows : nullptr;
  const Em em(shown, used);
  EmState state = em.start();
  evidence.converged = false;
  while (evidence.iterations < options.max_iterations && !evidence.converged) {
    ++evidence.iterations;
    evidence.converged = em.step(state) <= options.tolerance;
  }
  evidence.documents = shown.num_documents();
  shown.for_each_query([&](std::size_t, std::size_t) { ++evidence.queries; });
  return {relative_logs(state), resampled_errors(shown, used, state, options)};
}

}  // namespace dorm
