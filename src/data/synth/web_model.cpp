// SPDX-License-Identifier: Apache-2.0
#include "data/synth/web_model.h"

#include <algorithm>
#include <cmath>

#include "data/synth/exact_math.h"

namespace dorm {
namespace {

enum ModelStream : std::uint64_t { feature_stream = 1, effect_stream, shift_stream };

constexpr std::uint64_t kBlock = 8;              // features sharing a factor
constexpr std::uint64_t kMaxFactors = 64;        // drawn per document; further blocks share them
constexpr double kFactorLoad = 0.5;              // r above
constexpr double kOwnLoad = 0.8660254037844386;  // sqrt(1 - r^2)
constexpr double kFirstLoad = 0.6;               // correlation of feature 0 with the signal
constexpr double kRestLoad = 0.8;                // sqrt(1 - kFirstLoad^2)
constexpr double kShiftSpread = 0.5;             // of the query's shift of a feature, against z's 1

}  // namespace

WebModel::WebModel(const SynthOptions& options) : options_(options), features_(options.features) {
  const double density = options.density;
  double own = 0, shared = 0, block_sum = 0, block_squares = 0;
  for (std::uint64_t k = 0; k < features_.size(); ++k) {
    Rng rng = derived_rng(options.seed, feature_stream, k);
    Feature& feature = features_[k];
    const double kind = rng.uniform(), size = rng.uniform(), sign = rng.uniform();
    feature.curve = kind < 0.4 ? Curve::unit : kind < 0.7 ? Curve::count : kind < 0.9 ? Curve::positive : Curve::plain;
    if (k == 0) feature.curve = Curve::score;
    feature.location = static_cast<float>(4 * rng.uniform());
    feature.spread = static_cast<float>(0.5 + 1.5 * rng.uniform());
    const bool relevant = k > 0 && rng.uniform() < 0.7;
    feature.weight = relevant ? static_cast<float>((sign < 0.2 ? -1 : 1) * size * size * size) : 0.0f;
    own += density * feature.weight * feature.weight;
    block_sum += feature.weight;
    block_squares += feature.weight * feature.weight;
    if ((k + 1) % kBlock == 0 || k + 1 == features_.size()) {
      shared += density * density * block_sum * block_sum + density * (1 - density) * block_squares;
      block_sum = block_squares = 0;
    }
  }
  const double variance = kOwnLoad * kOwnLoad * own + kFactorLoad * kFactorLoad * shared;
  rest_scale_ = variance > 0 ? 1 / std::sqrt(variance) : 0;
  const double wanted = std::floor(density * static_cast<double>(options.features) + 0.5);
  nonzeros_ = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(wanted));
}

WebModel::QueryState WebModel::begin_query(std::uint64_t number) const {
  Rng rng = derived_rng(options_.seed, effect_stream, number);
  QueryState state{.number = number, .effect = options_.query_effect * near_normal(rng), .shift = {}, .factor = {}};
  state.factor.resize(std::min(kMaxFactors, (features_.size() + kBlock - 1) / kBlock));
  return state;
}

double WebModel::query_shift(std::uint64_t query, std::uint64_t column) const {
  Rng rng = derived_rng(options_.seed ^ query * 0x9E3779B97F4A7C15u, shift_stream, column);
  return kShiftSpread * near_normal(rng);
}

void WebModel::draw_factors(QueryState& query, Rng& rng) const {
  for (double& factor : query.factor) factor = kFactorLoad * near_normal(rng);
}

// Features without a weight have no factor either; it would carry information about their neighbours.
double WebModel::latent(const QueryState& query, std::uint64_t column, double own) const {
  if (features_[column].weight == 0) return own;
  return kOwnLoad * own + query.factor[column / kBlock % query.factor.size()];
}

double WebModel::visible(const Feature& feature, double z) {
  switch (feature.curve) {
    case Curve::score:
      return std::max(0.0, 12 + 5 * z);
    case Curve::unit:
      return 0.5 + 0.5 * z / std::sqrt(feature.spread + z * z);
    case Curve::count:
      return std::floor(exact_exp2(feature.location + feature.spread * z));
    case Curve::positive:
      return exact_exp2(feature.location - 2 + feature.spread * z);
    case Curve::plain:
      return feature.location + feature.spread * z;
  }
  return 0;
}

double WebModel::utility(const QueryState& query, double first, double rest, Rng& rng) const {
  const double signal = rest_scale_ > 0 ? kFirstLoad * first + kRestLoad * rest_scale_ * rest : first;
  return signal + query.effect + options_.noise * near_normal(rng);
}

double WebModel::dense_document(QueryState& query, Rng& rng, std::span<float> row) const {
  if (query.shift.empty())
    for (std::uint64_t k = 0; k < features_.size(); ++k) query.shift.push_back(query_shift(query.number, k));
  draw_factors(query, rng);
  double first = 0, rest = 0;
  for (std::uint64_t k = 0; k < features_.size(); ++k) {
    const double own = near_normal(rng);
    const bool present = k == 0 || options_.density >= 1 || rng.uniform() < options_.density;
    const double z = latent(query, k, own);
    if (k == 0) first = z;
    if (present) rest += features_[k].weight * z;
    row[k] = present ? round_decimals(visible(features_[k], z + query.shift[k])) : 0.0f;
  }
  return utility(query, first, rest, rng);
}

double WebModel::sparse_document(QueryState& query, Rng& rng, std::span<std::uint32_t> columns,
                                 std::span<float> values) const {
  draw_factors(query, rng);
  const std::uint64_t strata = columns.size() - 1, width = features_.size() - 1;
  double first = 0, rest = 0;
  for (std::uint64_t i = 0; i < columns.size(); ++i) {
    // Column 0, then one column from each of equally wide strata: increasing without a search for repeats.
    const std::uint64_t begin = i == 0 ? 0 : 1 + (i - 1) * width / strata;
    const std::uint64_t end = i == 0 ? 1 : 1 + i * width / strata;
    const std::uint64_t k = begin + rng.below(end - begin);
    const double own = near_normal(rng);
    const double z = latent(query, k, own);
    if (k == 0) first = z;
    rest += features_[k].weight * z;
    const float value = round_decimals(visible(features_[k], z + query_shift(query.number, k)));
    columns[i] = static_cast<std::uint32_t>(k);
    values[i] = value != 0 ? value : 1e-4f;  // stored values must not be zero
  }
  return utility(query, first, rest, rng);
}

}  // namespace dorm
