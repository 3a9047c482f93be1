// SPDX-License-Identifier: Apache-2.0
// Contributions of features to scores where a score is their sum; else the effects of features, tried one by one.
#include "dorm/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/quote.h"
#include "data/scale/scale_rules.h"
#include "dorm/error.h"
#include "model/align.h"
#include "model/contributions.h"
#include "model/tree_scores.h"

namespace dorm {
namespace {

constexpr std::size_t kMostTried = std::size_t{1} << 26;  // numbers in the rows that a kernel is asked about

/// The columns in the rows of a kernel.
std::vector<double> aligned_features(const Model& model, const Dataset& data, std::size_t threads) {
  const Dataset aligned = align_features(model, data, threads);
  const FeatureRows rows = aligned.query(0).rows;
  std::vector<double> out;
  std::vector<float> row(model.features.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows.load(i, row);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

/// What scores are made of, by feature: scaled for weights, as they are for trees.
std::vector<double> compared_features(const Model& model, const Dataset& data, std::size_t threads) {
  if (model.kernel) return aligned_features(model, data, threads);
  if (model.linear() || model.curves) return scaled_features(model, data, threads);
  const std::vector<float> raw = raw_features(model, data);
  return {raw.begin(), raw.end()};
}

/// One query by itself: as it is, and in the model's columns and scaling.
struct OneQuery {
  Dataset raw;
  std::vector<double> scaled;  // row by row
  std::vector<double> scores;
  Ranking ranking;
  std::vector<double> mean;  // of the scaled features, over the values that are there
  std::optional<Contributions> contributions;
  std::vector<double> mean_contribution;

  OneQuery(const Model& model, const Dataset& data, std::size_t query, std::size_t threads)
      : raw(data.select(std::vector<std::size_t>{query})),
        scaled(compared_features(model, raw, threads)),
        scores(score(model, raw, threads)),
        ranking(top_ranking(scores)),
        mean(model.features.size()),
        contributions(contributions_of(model, raw, threads)),
        mean_contribution(model.features.size()) {
    std::vector<double> count(mean.size());
    for (std::size_t k = 0; k < scaled.size(); ++k) {
      if (std::isnan(scaled[k])) continue;
      mean[k % mean.size()] += scaled[k];
      ++count[k % mean.size()];
    }
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] /= std::max(1.0, count[j]);
    if (!contributions) return;
    for (std::size_t k = 0; k < scaled.size(); ++k) mean_contribution[k % mean.size()] += contributions->values[k];
    for (double& x : mean_contribution) x /= static_cast<double>(scores.size());
  }

  std::span<const double> row(std::size_t i) const { return std::span(scaled).subspan(i * mean.size(), mean.size()); }
  double contribution(std::size_t i, std::size_t j) const { return contributions->values[i * mean.size() + j]; }
};

/// The documents to explain, by rank: indices into the query, with their ranks.
std::vector<std::pair<std::size_t, std::size_t>> chosen_documents(const Ranking& ranking, std::size_t top,
                                                                  std::span<const std::size_t> documents,
                                                                  std::size_t first_document) {
  std::vector<std::pair<std::size_t, std::size_t>> chosen;
  for (std::size_t k = 0; k < ranking.size(); ++k) {
    const std::size_t i = ranking[k];
    const bool asked = documents.empty()
                           ? top == 0 || k < top
                           : std::find(documents.begin(), documents.end(), first_document + i) != documents.end();
    if (asked) chosen.emplace_back(i, k + 1);
  }
  return chosen;
}

/// Score less the score with one feature at its mean, feature by feature.
std::vector<double> kernel_effects(const Model& model, const OneQuery& one, std::size_t i, std::size_t threads) {
  const std::span<const double> scaled = one.row(i);
  if (scaled.size() > kMostTried / std::max<std::size_t>(1, scaled.size()))
    throw Error(ErrorCode::unsupported,
                fmt::format("a kernel has no contributions of its own, and {} features are too many to try one by one",
                            scaled.size()));
  const std::string query_id(one.raw.query(0).id), document_id(one.raw.document_id(i));
  DatasetBuilder builder;
  builder.set_feature_names(model.features);
  std::vector<float> row(scaled.begin(), scaled.end());
  for (std::size_t j = 0; j < row.size(); ++j) {
    row[j] = static_cast<float>(one.mean[j]);
    builder.add({.query_id = query_id, .document_id = document_id, .group = one.raw.group(i)}, row);
    row[j] = static_cast<float>(scaled[j]);
  }
  std::vector<double> effects = score_expansion(*model.kernel, builder.finish(), threads);
  for (double& effect : effects) effect = one.scores[i] - effect;
  return effects;
}

/// The same of trees.
std::vector<double> tree_effects(const Model& model, const OneQuery& one, std::size_t i) {
  const std::size_t width = model.features.size();
  const std::vector<float> own(one.row(i).begin(), one.row(i).end());
  std::vector<std::size_t> column_of(width);
  std::iota(column_of.begin(), column_of.end(), std::size_t{0});
  TreeScorer::Workspace workspace;
  std::vector<double> effects(width);
  for (std::size_t j = 0; j < width; ++j) {
    if (!model.trees->used()[j]) continue;
    std::vector<float> row = own;
    row[j] = static_cast<float>(one.mean[j]);
    const float* const rows[] = {row.data()};
    model.trees->scorer().scores(rows, column_of, workspace, &effects[j]);
    effects[j] = one.scores[i] - effects[j];
  }
  return effects;
}

std::vector<double> effects_of(const Model& model, const OneQuery& one, std::size_t i, std::size_t threads) {
  if (model.kernel) return kernel_effects(model, one, i, threads);
  if (model.trees) return tree_effects(model, one, i);
  throw Error(ErrorCode::unsupported,
              "the scores of a part of this sum are no sums over features; explain that part by itself");
}

void sort_parts(std::vector<FeaturePart>& parts) {
  std::stable_sort(parts.begin(), parts.end(), [](const FeaturePart& a, const FeaturePart& b) {
    return std::fabs(a.above_mean) > std::fabs(b.above_mean);
  });
}

std::vector<FeaturePart> parts_of(const Model& model, const OneQuery& one, std::size_t i,
                                  std::span<const std::size_t> column_of, std::size_t threads) {
  const std::span<const double> scaled = one.row(i);
  std::vector<double> effects;
  if (!one.contributions) effects = effects_of(model, one, i, threads);
  const FeatureRows raw = one.raw.query(0).rows;
  std::vector<FeaturePart> parts;
  for (std::size_t j = 0; j < scaled.size(); ++j) {
    FeaturePart part{.feature = j, .scaled = scaled[j]};
    if (column_of[j] != FeatureIndex::kUnknown) part.value = raw.at(i, column_of[j]);
    if (model.linear()) {
      part.weight = model.weights[j];
      part.contribution = part.weight * part.scaled;
      part.above_mean = part.weight * (part.scaled - one.mean[j]);
    } else if (one.contributions) {
      part.contribution = one.contribution(i, j);
      part.above_mean = part.contribution - one.mean_contribution[j];
    } else {
      part.contribution = part.above_mean = effects[j];
    }
    if (!std::isfinite(part.contribution) || !std::isfinite(part.above_mean))
      throw Error(ErrorCode::bad_input,
                  fmt::format("what {} adds to the score of document {} of query {} is not finite: features or weights "
                              "are too large",
                              in_quotes(model.features[j]), i + 1, one.raw.query(0).id));
    parts.push_back(part);
  }
  sort_parts(parts);
  return parts;
}

}  // namespace

QueryExplanation explain(const Model& model, const Dataset& data, std::size_t query, std::size_t top,
                         std::span<const std::size_t> documents, std::size_t threads) {
  const OneQuery one(model, data, query, threads);
  const std::vector<std::size_t> column_of = columns_of_features(model, one.raw);
  QueryExplanation result;
  result.additive = one.contributions.has_value();
  if (result.additive) result.base = one.contributions->base;
  for (const double score : one.scores) result.mean_score += score / static_cast<double>(one.scores.size());
  const std::size_t first = data.first_document(query);
  for (const auto& [i, rank] : chosen_documents(one.ranking, top, documents, first))
    result.documents.push_back({first + i, rank, one.scores[i], parts_of(model, one, i, column_of, threads)});
  return result;
}

namespace {

/// The nearest scaled value at which a curve of lines adds so much; none where it never does.
std::optional<double> curve_reaching(const Model& model, std::size_t feature, double x, double wanted) {
  const std::vector<double>& knots = model.curves->features[feature].knots;
  const double weight = model.weights[feature];
  std::optional<double> nearest;
  const auto offer = [&](double at) {
    if (!nearest || std::fabs(at - x) < std::fabs(*nearest - x)) nearest = at;
  };
  const auto added = [&](double at) { return model.curves->value(feature, weight, at); };
  if (knots.empty()) {
    if (weight != 0) offer(model.curves->features[feature].median + wanted / weight);
    return nearest;
  }
  for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
    const double low = added(knots[k]), high = added(knots[k + 1]);
    if (low != high && std::min(low, high) <= wanted && wanted <= std::max(low, high))
      offer(knots[k] + (wanted - low) / (high - low) * (knots[k + 1] - knots[k]));
  }
  if (weight == 0) return nearest;
  const double below = knots.front() + (wanted - added(knots.front())) / weight;
  const double above = knots.back() + (wanted - added(knots.back())) / weight;
  if (below < knots.front()) offer(below);
  if (above > knots.back()) offer(above);
  return nearest;
}

std::optional<double> value_on_curve(const Model& model, std::size_t feature, double value, double gain) {
  const Scaling& scaling = model.scaling;
  const double factor = scaling.factor.empty() ? 1 : scaling.factor[feature];
  if (model.curves->shape == CurveShape::steps || scaling.per_query() || factor == 0 || std::isnan(value))
    return std::nullopt;
  const double shift = scaling.shift.empty() ? 0 : scaling.shift[feature];
  const double x = ((takes_logarithm(scaling.kind) ? signed_logarithm(value) : value) - shift) * factor;
  const double now = model.curves->value(feature, model.weights[feature], x);
  const std::optional<double> at = curve_reaching(model, feature, x, now + gain);
  if (!at) return std::nullopt;
  const double wanted = unscaled_value(scaling, feature, *at);
  return std::fabs(wanted) <= std::numeric_limits<float>::max() ? std::optional(wanted) : std::nullopt;
}

}  // namespace

std::optional<double> value_for_gain(const Model& model, std::size_t feature, double value, double gain) {
  if (model.curves) return value_on_curve(model, feature, value, gain);
  const Scaling& scaling = model.scaling;
  if (!model.linear() || scaling.per_query() || model.weights[feature] == 0) return std::nullopt;
  const double factor = scaling.factor.empty() ? 1 : scaling.factor[feature];
  const bool logarithm = takes_logarithm(scaling.kind);
  const double step = gain / (model.weights[feature] * factor);
  double wanted = (logarithm ? signed_logarithm(value) : value) + step;
  if (logarithm) wanted = std::copysign(std::expm1(std::fabs(wanted)), wanted);
  if (!(std::fabs(wanted) <= std::numeric_limits<float>::max())) return std::nullopt;
  return wanted;
}

}  // namespace dorm
