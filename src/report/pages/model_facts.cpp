// SPDX-License-Identifier: Apache-2.0
#include "report/pages/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/stopwatch.h"
#include "dorm/train.h"
#include "model/align.h"
#include "model/contributions.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kShownWeights = 15;
constexpr std::size_t kDrawnCurves = 6, kBinsOfValues = 40;
constexpr std::size_t kMeasuredDocuments = 20'000;
constexpr double kMeasuredSeconds = 0.02;

/// The first queries, of about so many documents.
Dataset first_documents(const Dataset& data, std::size_t documents) {
  std::vector<std::size_t> queries;
  for (std::size_t q = 0; q < data.num_queries() && (q == 0 || data.first_document(q) < documents); ++q)
    queries.push_back(q);
  return data.select(queries);
}

std::vector<std::size_t> largest(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return std::fabs(values[i]) > std::fabs(values[j]); });
  if (order.size() > kShownWeights) order.resize(kShownWeights);
  return order;
}

report::Bars bars_of(const Model& model, const std::vector<double>& values, std::string title, std::string label) {
  report::Bars bars{.title = std::move(title), .value = {.label = std::move(label)}, .groups = {{}}};
  for (const std::size_t j : largest(values)) {
    bars.categories.push_back(model.features[j]);
    bars.groups[0].values.push_back(values[j]);
  }
  return bars;
}

/// Standard deviation within queries of what a feature adds: how much it moves documents against each other.
std::vector<double> movements(const Model& model, const Dataset& data, std::size_t threads) {
  const Dataset sample = first_documents(data, kMeasuredDocuments);
  const std::vector<double> parts = dorm::contributions_of(model, sample, threads)->values;
  const std::size_t width = model.features.size();
  std::vector<double> squares(width), mean(width);
  for (std::size_t q = 0; q < sample.num_queries(); ++q) {
    const auto documents = static_cast<double>(sample.query(q).size());
    const std::span<const double> rows =
        std::span(parts).subspan(sample.first_document(q) * width, sample.query(q).size() * width);
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t k = 0; k < rows.size(); ++k) mean[k % width] += rows[k] / documents;
    for (std::size_t k = 0; k < rows.size(); ++k)
      squares[k % width] += (rows[k] - mean[k % width]) * (rows[k] - mean[k % width]);
  }
  const auto documents = static_cast<double>(std::max<std::size_t>(1, sample.num_documents()));
  for (double& square : squares) square = std::sqrt(square / documents);
  return squares;
}

/// The share of the values in each of kBinsOfValues parts of [low, high], as a foot of the picture of a curve.
report::Series distribution_of(std::span<const double> values, std::size_t feature, std::size_t width, double low,
                               double high) {
  std::vector<double> counts(kBinsOfValues);
  for (std::size_t k = feature; k < values.size(); k += width) {
    const double place = (values[k] - low) / (high - low) * static_cast<double>(kBinsOfValues);
    if (place >= 0 && place <= static_cast<double>(kBinsOfValues))
      ++counts[std::min(kBinsOfValues - 1, static_cast<std::size_t>(place))];
  }
  const double most = std::max(1.0, *std::max_element(counts.begin(), counts.end()));
  report::Series shares{.name = "documents", .mark = report::Series::Mark::area};
  for (std::size_t b = 0; b <= 2 * kBinsOfValues; ++b) {
    const std::size_t edge = (b + 1) / 2;
    shares.x.push_back(low + (high - low) * static_cast<double>(edge) / static_cast<double>(kBinsOfValues));
    shares.y.push_back(counts[std::min(b / 2, kBinsOfValues - 1)] / most);
  }
  return shares;
}

/// What a feature adds over its values; under it how many documents have them.
report::Plot curve_plot(const Model& model, std::size_t j, std::span<const double> values) {
  const Curve& curve = model.curves->features[j];
  const bool steps = model.curves->shape == CurveShape::steps;
  const double margin = steps ? std::max(0.05 * (curve.knots.back() - curve.knots.front()), 1e-9) : 0;
  report::Series line{.name = "adds to a score"};
  const auto add = [&](double x, double at) {
    line.x.push_back(x);
    line.y.push_back(model.curves->value(j, model.weights[j], at));
  };
  if (steps) add(curve.knots.front() - margin, curve.knots.front() - margin);
  for (std::size_t k = 0; k < curve.knots.size(); ++k) {
    if (steps) add(curve.knots[k], k == 0 ? curve.knots[0] - margin : curve.knots[k - 1]);
    add(curve.knots[k], curve.knots[k]);
  }
  if (steps) add(curve.knots.back() + margin, curve.knots.back());
  const auto [low, high] = std::minmax_element(line.y.begin(), line.y.end());
  const double range = std::max(*high - *low, 1e-12), foot = *low - 0.35 * range;
  report::Series shares = distribution_of(values, j, model.features.size(), line.x.front(), line.x.back());
  for (double& share : shares.y) share = foot + 0.25 * range * share;
  shares.low.assign(shares.y.size(), foot);
  shares.high = shares.y;
  report::Plot plot{.title = model.features[j],
                    .x = {.label = fmt::format("value under the scaling {}", name_of(model.scaling.kind))},
                    .y = {.label = "part of the score"}};
  plot.series = {std::move(line), std::move(shares)};
  if (curve.missing) plot.caption = fmt::format("A missing value adds {:+.4g}.", *curve.missing);
  return plot;
}

report::Section curves_section(const Model& model, const Dataset& data, const std::vector<double>& moved,
                               std::size_t threads) {
  const std::vector<Curve>& curves = model.curves->features;
  const auto curved = std::count_if(curves.begin(), curves.end(), [](const Curve& c) { return !c.knots.empty(); });
  report::Section section{"Curves"};
  section.blocks.push_back(report::Paragraph{fmt::format(
      "A score is a sum of {} functions of one feature each, {} of them curves of {}. Each is 0 at the median of its "
      "feature. Drawn are those that move documents most; the foot of a picture is the distribution of the values.",
      curves.size(), curved, name_of(model.curves->shape))});
  const std::vector<double> values = scaled_features(model, first_documents(data, kMeasuredDocuments), threads);
  std::size_t drawn = 0;
  for (const std::size_t j : largest(moved))
    if (!curves[j].knots.empty() && moved[j] > 0 && drawn++ < kDrawnCurves)
      section.blocks.push_back(curve_plot(model, j, values));
  return section;
}

}  // namespace

std::string explained_risk_words(double explained_risk) {
  if (explained_risk >= kConfident) return "confident";
  if (explained_risk >= kHealthy) return "sound";
  return explained_risk >= kDegenerate ? "weak" : "no information";
}

std::string explained_risk_sentence(double explained_risk) {
  const std::string share =
      fmt::format("{:.0f} % of the risk of w = 0 is explained: ", 100 * std::max(0.0, explained_risk));
  if (explained_risk >= kConfident) return share + "the bound fits the data well";
  if (explained_risk >= kHealthy) return share + "the bound explains enough of the risk to be trusted";
  if (explained_risk >= kDegenerate) return share + "trust the validated figure rather than the bound";
  return share + "the bound carries no information";
}

report::Fact size_fact(const Model& model) {
  const std::size_t used = static_cast<std::size_t>(
      std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return w != 0; }));
  const std::string what = model.kernel ? fmt::format("{} support documents", model.kernel->support.num_documents())
                                        : fmt::format("{} of {} weights not 0", used, model.weights.size());
  return {"model size", report::bytes_text(to_json(model).size()), what};
}

report::Fact speed_fact(const Model& model, const Dataset& data) {
  const Dataset sample = first_documents(data, kMeasuredDocuments);
  const Stopwatch watch;
  std::size_t documents = 0;
  do documents += score(model, sample, 1).size();
  while (watch.seconds() < kMeasuredSeconds);
  const double speed = static_cast<double>(documents) / std::max(1e-9, watch.seconds());
  const std::string text = speed >= 1e6   ? fmt::format("{:.1f}M / s", speed / 1e6)
                           : speed >= 1e4 ? fmt::format("{:.0f}k / s", speed / 1e3)
                                          : fmt::format("{:.0f} / s", speed);
  return {"scoring", text, "documents, scaling included, on one thread"};
}

report::Section weights_section(const Model& model, const Dataset& data, std::size_t threads) {
  const std::vector<double> moved = movements(model, data, threads);
  report::Bars moves = bars_of(model, moved, "Features that move documents most", "part of the score");
  if (model.curves) {
    report::Section section = curves_section(model, data, moved, threads);
    moves.caption = "Standard deviation within queries of what a feature adds.";
    section.blocks.push_back(std::move(moves));
    return section;
  }
  const auto nonzero = std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return w != 0; });
  report::Section section{"Weights"};
  section.blocks.push_back(report::Paragraph{fmt::format(
      "{} features, {} with weight. Weights are those of the scaled features (scaling {}); no intervals are "
      "given, since resampled trainings would cost as many times as much.",
      model.weights.size(), nonzero, name_of(model.scaling.kind))});
  section.blocks.push_back(bars_of(model, model.weights, "Largest weights", "weight"));
  moves.caption = "Standard deviation within queries: weight times spread of the scaled feature.";
  section.blocks.push_back(std::move(moves));
  return section;
}

}  // namespace dorm::pages
