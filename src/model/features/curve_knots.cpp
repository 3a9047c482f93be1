// SPDX-License-Identifier: Apache-2.0
#include "model/features/curve_knots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "dorm/error.h"
#include "model/features/curve_features.h"
#include "model/features/linear_features.h"

namespace dorm {
namespace {

constexpr std::size_t kSampledDocuments = 20000;

/// Values with what each counts, in increasing order.
struct Weighed {
  std::vector<double> values, counts;
  double total = 0;
};

/// A value that many documents share counts for half a piece at most.
Weighed weighed(std::vector<float> sample, std::size_t pieces) {
  std::sort(sample.begin(), sample.end());
  const double most = std::max(1.0, 0.5 * static_cast<double>(sample.size()) / static_cast<double>(pieces));
  Weighed out;
  for (std::size_t i = 0; i < sample.size();) {
    std::size_t end = i;
    while (end < sample.size() && sample[end] == sample[i]) ++end;
    out.values.push_back(static_cast<double>(sample[i]));
    out.counts.push_back(std::min(most, static_cast<double>(end - i)));
    out.total += out.counts.back();
    i = end;
  }
  return out;
}

/// About as many of the sample between each two. Steps are halfway between values, where rounding moves none across.
std::vector<double> inner_knots(const Weighed& sample, std::size_t pieces, CurveShape shape) {
  std::vector<double> knots;
  double before = 0;
  std::size_t next = 1;
  for (std::size_t i = 0; i + 1 < sample.values.size(); ++i) {
    before += sample.counts[i];
    if (before * static_cast<double>(pieces) < static_cast<double>(next) * sample.total) continue;
    knots.push_back(shape == CurveShape::lines ? sample.values[i + 1]
                                               : 0.5 * (sample.values[i] + sample.values[i + 1]));
    while (next < pieces && before * static_cast<double>(pieces) >= static_cast<double>(next) * sample.total) ++next;
    if (next == pieces) break;
  }
  return knots;
}

struct Sampled {
  std::vector<float> low, high;
  std::vector<bool> gaps;                   // a value is missing
  std::vector<std::vector<float>> columns;  // of some queries; without missing values
};

Sampled sample_of(const Dataset& data, const Scaling& scaling, std::size_t threads) {
  const std::size_t features = data.num_features(), step = data.num_documents() / kSampledDocuments + 1;
  constexpr float kMost = std::numeric_limits<float>::max();
  std::vector<std::vector<float>> lows(data.num_queries()), highs(data.num_queries()), rows_of(data.num_queries());
  std::vector<std::vector<bool>> gaps(data.num_queries());
  visit_scaled(data, scaling, threads, [&](std::size_t q, std::span<const float> rows) {
    lows[q].assign(features, kMost);
    highs[q].assign(features, -kMost);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      lows[q][k % features] = std::min(lows[q][k % features], rows[k]);
      highs[q][k % features] = std::max(highs[q][k % features], rows[k]);
      if (!std::isnan(rows[k])) continue;
      gaps[q].resize(features);
      gaps[q][k % features] = true;
    }
    if (q % step == 0) rows_of[q].assign(rows.begin(), rows.end());
  });
  Sampled out{std::vector<float>(features, kMost), std::vector<float>(features, -kMost), std::vector<bool>(features),
              std::vector<std::vector<float>>(features)};
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    for (std::size_t j = 0; j < features; ++j) {
      out.low[j] = std::min(out.low[j], lows[q][j]);
      out.high[j] = std::max(out.high[j], highs[q][j]);
    }
    for (std::size_t j = 0; j < gaps[q].size(); ++j) out.gaps[j] = out.gaps[j] || gaps[q][j];
    for (std::size_t k = 0; k < rows_of[q].size(); ++k)
      if (!std::isnan(rows_of[q][k])) out.columns[k % features].push_back(rows_of[q][k]);
  }
  return out;
}

CurvePieces pieces_of(const Sampled& sample, std::size_t j, std::size_t pieces, CurveShape shape) {
  CurvePieces feature;
  const bool known = sample.low[j] <= sample.high[j];
  const double low = known ? static_cast<double>(sample.low[j]) : 0,
               high = known ? static_cast<double>(sample.high[j]) : 0;
  std::vector<float> column = sample.columns[j];
  if (!column.empty() && (pieces > 0 || sample.gaps[j])) {
    const auto middle = column.begin() + static_cast<std::ptrdiff_t>(column.size() / 2);
    std::nth_element(column.begin(), middle, column.end());
    feature.median = static_cast<double>(*middle);
  }
  if (pieces > 0 && low < high && !column.empty()) {
    std::vector<double> knots = inner_knots(weighed(sample.columns[j], pieces), pieces, shape);
    std::erase_if(knots, [&](double x) { return x <= low || x >= high; });
    if (knots.empty() && shape == CurveShape::steps) knots = {0.5 * (low + high)};
    if (!knots.empty()) {
      feature.curved = true;
      feature.edges = {low};
      feature.edges.insert(feature.edges.end(), knots.begin(), knots.end());
      feature.edges.push_back(high);
      feature.rises = feature.pieces() - (shape == CurveShape::steps ? 1 : 0);
      return feature;
    }
  }
  feature.edges = {low, high};
  return feature;
}

}  // namespace

void visit_scaled(const Dataset& data, const Scaling& scaling, std::size_t threads,
                  const std::function<void(std::size_t query, std::span<const float> rows)>& visit) {
  if (!data.dense())
    throw Error(ErrorCode::unsupported,
                "curves are learnt from dense features, and so few values of this data differ from 0 that they are "
                "compressed; expected no curves");
  const LinearFeatures rows(data, scaling, 0, threads);
  const std::size_t width = data.num_features();
  parallel_for(data.num_queries(), threads, [&](std::size_t q, std::size_t) {
    std::vector<float> scaled(data.query(q).size() * width);
    rows.copy_rows(q, true, scaled.data(), width);
    visit(q, scaled);
  });
}

CurveBasis fit_curves(const CurveRequest& request, const Dataset& data, const Scaling& scaling, std::size_t threads) {
  const Sampled sample = sample_of(data, scaling, threads);
  CurveBasis basis{request.shape, {}, data.num_features()};
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    CurvePieces& feature = basis.features.emplace_back(pieces_of(sample, j, request.pieces[j], request.shape));
    feature.weight = basis.dimension;
    basis.dimension += feature.rises;
    if (sample.gaps[j]) feature.missing = basis.dimension++;
  }
  return basis;
}

}  // namespace dorm
