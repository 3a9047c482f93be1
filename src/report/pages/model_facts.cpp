// SPDX-License-Identifier: Apache-2.0
#include "report/pages/model_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/stopwatch.h"
#include "dorm/train.h"
#include "model/align.h"

namespace dorm::pages {
namespace {

constexpr std::size_t kShownWeights = 15;
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

/// Standard deviation of w_j x_j within queries: how much a feature moves documents against each other.
std::vector<double> movements(const Model& model, const Dataset& data, std::size_t threads) {
  const Dataset aligned = align_features(model, first_documents(data, kMeasuredDocuments), threads);
  std::vector<double> squares(model.weights.size()), sum(squares.size()), sum_squares(squares.size());
  std::vector<float> row(squares.size());
  for (std::size_t q = 0; q < aligned.num_queries(); ++q) {
    const Query query = aligned.query(q);
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(sum_squares.begin(), sum_squares.end(), 0.0);
    for (std::size_t i = 0; i < query.size(); ++i) {
      query.rows.load(i, row);
      for (std::size_t j = 0; j < row.size(); ++j) {
        const double x = row[j];
        sum[j] += x;
        sum_squares[j] += x * x;
      }
    }
    for (std::size_t j = 0; j < squares.size(); ++j)
      squares[j] += std::max(0.0, sum_squares[j] - sum[j] * sum[j] / static_cast<double>(query.size()));
  }
  const double documents = static_cast<double>(std::max<std::size_t>(1, aligned.num_documents()));
  for (std::size_t j = 0; j < squares.size(); ++j)
    squares[j] = std::fabs(model.weights[j]) * std::sqrt(squares[j] / documents);
  return squares;
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
  const auto nonzero = std::count_if(model.weights.begin(), model.weights.end(), [](double w) { return w != 0; });
  report::Section section{"Weights"};
  section.blocks.push_back(report::Paragraph{fmt::format(
      "{} features, {} with weight. Weights are those of the scaled features (scaling {}); no intervals are "
      "given, since resampled trainings would cost as many times as much.",
      model.weights.size(), nonzero, name_of(model.scaling.kind))});
  section.blocks.push_back(bars_of(model, model.weights, "Largest weights", "weight"));
  report::Bars moves =
      bars_of(model, movements(model, data, threads), "Features that move documents most", "part of the score");
  moves.caption = "Standard deviation within queries: weight times spread of the scaled feature.";
  section.blocks.push_back(std::move(moves));
  return section;
}

}  // namespace dorm::pages
