// SPDX-License-Identifier: Apache-2.0
#include "model/curve_scores.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/parallel.h"
#include "data/scale/scale_doubles.h"
#include "data/scale/scale_rows.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/align.h"
#include "model/features/curve_values.h"

namespace dorm {
namespace {

constexpr std::size_t kColumnsAtOnce = 32;  // so that the scaled values of a query stay in the cache

/// As it is evaluated, less its value at the median.
CurveTable table_of(const Curves& curves, std::size_t j, double weight) {
  const Curve& curve = curves.features[j];
  CurveTable table;
  table.weight = weight;
  table.missing = curve.missing.value_or(0);
  const bool lines = curves.shape == CurveShape::lines, bent = !curve.knots.empty();
  if (bent) table.set_knots(std::span(curve.knots).subspan(lines ? 1 : 0, curve.knots.size() - (lines ? 2 : 0)));
  const std::size_t slots = std::max(kLeastSlots, std::bit_ceil(table.knots.size() + 1));
  for (std::vector<double>* each : {&table.level, &table.slope, &table.start}) each->assign(slots, 0.0);
  double level = -curves.raw_at_median(j) - weight * curve.median;
  for (std::size_t b = 0; b <= table.knots.size(); ++b) {
    table.level[b] = level;
    if (b < curve.rises.size()) level += curve.rises[b];
    if (!lines || !bent) continue;
    table.start[b] = curve.knots[b];
    table.slope[b] = curve.rises[b] / (curve.knots[b + 1] - curve.knots[b]);
  }
  if (lines && bent) {
    table.low = curve.knots.front();
    table.high = curve.knots.back();
  }
  return table;
}

/// Whether values are scaled one by one, as (x - shift) * factor.
bool is_affine(const Scaling& scaling) { return !scaling.per_query() && !takes_logarithm(scaling.kind); }

}  // namespace

std::vector<double> curve_parts(const Model& model, const Dataset& data, std::size_t threads) {
  std::vector<double> values = scaled_features(model, data, threads);
  const std::size_t width = model.features.size();
  for (std::size_t k = 0; k < values.size(); ++k)
    values[k] = model.curves->value(k % width, model.weights[k % width], values[k]);
  return values;
}

std::vector<double> curve_scores(const Model& model, const Dataset& data, const ComputeOptions& place) {
  if (place.on_device()) throw Error(ErrorCode::unsupported, "curves are scored on the CPU; expected the device cpu");
  std::vector<double> scores(data.num_documents());
  if (data.num_queries() == 0) return scores;
  const Scaling scaling = scaling_of_columns(model, data);
  std::vector<double> absent = values_of_absent_features(model);
  const bool affine = is_affine(scaling);
  std::vector<CurveTable> tables;
  for (const std::size_t feature : features_of_columns(model, data)) {
    tables.emplace_back();
    if (feature == FeatureIndex::kUnknown) continue;
    CurveTable& table = tables.back() = table_of(*model.curves, feature, model.weights[feature]);
    const std::size_t column = tables.size() - 1;
    if (affine && scaling.kind != ScalingKind::none) table.set_scaling(scaling.shift[column], scaling.factor[column]);
    if (scaling.kind == ScalingKind::none) table.set_scaling(0, 1);
    absent[feature] = std::numeric_limits<double>::quiet_NaN();
  }
  const bool gaps = data.input().has_rule(Missing::keep);
  double constant = 0;
  for (std::size_t j = 0; j < absent.size(); ++j)
    if (!std::isnan(absent[j])) constant += model.curves->value(j, model.weights[j], absent[j]);
  const std::size_t useful = threads_worth(place.threads, std::uint64_t{data.num_documents()} * tables.size());
  std::vector<std::vector<double>> scaled(thread_count(useful));
  parallel_for(data.num_queries(), useful, [&](std::size_t q, std::size_t worker) {
    const Query query = data.query(q);
    const std::span<double> out = std::span(scores).subspan(query.first_document, query.size());
    std::fill(out.begin(), out.end(), constant);
    if (!query.rows.dense()) {
      const std::vector<double> values = scaled_columns(scaling, query);
      return add_curves(tables, {.scaled = values.data(), .stride = tables.size()}, out, gaps);
    }
    const DenseRows rows = dense_rows(query);
    if (affine) {
      CurveRows raw = {.raw = rows.data, .stride = rows.stride};
      if (q + 1 < data.num_queries()) {
        const DenseRows next = dense_rows(data.query(q + 1));
        raw.upcoming = {next.data, next.rows * next.stride};
      }
      return add_curves(tables, raw, out, gaps);
    }
    prefetch_rows(rows);
    std::vector<double>& values = scaled[worker];
    values.resize(std::max(values.size(), query.size() * kColumnsAtOnce));
    for (std::size_t j = 0; j < tables.size(); j += kColumnsAtOnce) {
      const std::size_t count = std::min(kColumnsAtOnce, tables.size() - j);
      scale_columns(scaling, rows, j, count, values.data());
      add_curves(std::span(tables).subspan(j, count), {.scaled = values.data(), .stride = count}, out, gaps);
    }
  });
  return scores;
}

std::vector<double> CurveScorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  Model model = model_;
  model.weights = basis_.weights_of(weights);
  model.curves = basis_.curves_of(weights);
  return curve_scores(model, data_, {.threads = threads});
}

}  // namespace dorm
