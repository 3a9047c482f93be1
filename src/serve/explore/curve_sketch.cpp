// SPDX-License-Identifier: Apache-2.0
#include "serve/explore/curve_sketch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "model/align.h"

namespace dorm::explore {
namespace {

constexpr std::size_t kDocuments = 20'000, kNumbers = std::size_t{1} << 24;
constexpr double kMargin = 0.03;

Dataset first_documents(const Dataset& data, std::size_t documents) {
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries() && (q == 0 || data.first_document(q) < documents); ++q)
    queries.push_back(q);
  return data.select(queries);
}

/// Of a line, the range of its values.
CurveSketch::Feature frame_of(const Curve& curve, std::span<const double> values, std::size_t j, std::size_t width) {
  CurveSketch::Feature out{.low = std::numeric_limits<double>::infinity(),
                           .high = -std::numeric_limits<double>::infinity(),
                           .counts = std::vector<std::uint32_t>(CurveSketch::kBins)};
  const auto widen = [&](double x) {
    out.low = std::min(out.low, x);
    out.high = std::max(out.high, x);
  };
  if (curve.knots.empty()) {
    for (std::size_t k = j; k < values.size(); k += width)
      if (!std::isnan(values[k])) widen(values[k]);
  } else {
    widen(curve.knots.front());
    widen(curve.knots.back());
  }
  if (!(out.low <= out.high)) out.low = out.high = 0;
  const double margin = out.high > out.low ? kMargin * (out.high - out.low) : 1;
  out.low -= margin;
  out.high += margin;
  for (std::size_t k = j; k < values.size(); k += width) {
    const double place = (values[k] - out.low) / (out.high - out.low) * static_cast<double>(CurveSketch::kBins);
    if (place >= 0 && place < static_cast<double>(CurveSketch::kBins)) ++out.counts[static_cast<std::size_t>(place)];
  }
  return out;
}

}  // namespace

CurveSketch::CurveSketch(const Model& model, const Dataset& data, std::size_t threads) {
  const std::size_t width = model.features.size();
  const Dataset sample = first_documents(data, std::min(kDocuments, kNumbers / std::max<std::size_t>(1, width)));
  const std::vector<double> values = scaled_features(model, sample, threads);
  for (std::size_t j = 0; j < width; ++j) {
    features.push_back(frame_of(model.curves->features[j], values, j, width));
    double squares = 0;
    for (std::size_t q = 0; q < sample.num_queries(); ++q) {
      const std::size_t first = sample.first_document(q), documents = sample.first_document(q + 1) - first;
      double sum = 0, own = 0;
      for (std::size_t i = first; i < first + documents; ++i) {
        const double part = model.curves->value(j, model.weights[j], values[i * width + j]);
        sum += part;
        own += part * part;
      }
      if (documents > 0) squares += std::max(0.0, own - sum * sum / static_cast<double>(documents));
    }
    features.back().moves = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(1, sample.num_documents())));
  }
  order.resize(width);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return features[i].moves > features[j].moves; });
}

}  // namespace dorm::explore
