// SPDX-License-Identifier: Apache-2.0
// Scores of linear models, in 64 bits, without a copy of the scaled features.
//
// Dense rows are those of dense_scoring.h. Compressed rows begin at what a document of zeros has and replace the values
// that are stored; since columns may lie far from 0, the two cancel in sums of twice the digits.
#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "base/vector/ordered_sum.h"
#include "base/vector/wide_sum.h"
#include "data/scale/scale_compressed.h"
#include "data/scale/scale_rows.h"
#include "data/scale/scale_rules.h"
#include "data/storage.h"
#include "model/dense_scoring.h"
#include "model/features/device_rows.h"
#include "model/scorer.h"

namespace dorm {
namespace {

constexpr std::size_t kKeptPieces = 16;  // in which values to be kept are made
constexpr std::size_t kColumns = DenseScoring::kColumns;

std::vector<double> linear_scores(const LinearFeatures& features, std::span<const double> w, double constant,
                                  std::size_t threads) {
  const Dataset& data = features.data();
  std::vector<double> scores(data.num_documents());
  const std::size_t useful = threads_worth(threads, std::uint64_t{data.num_documents()} * data.num_features());
  parallel_for(data.num_queries(), useful, [&](std::size_t q, std::size_t) {
    const std::span<double> out = std::span(scores).subspan(data.first_document(q), data.query(q).size());
    features.scores(q, w, out);
    for (double& value : out) value += constant;
  });
  return scores;
}

/// Nanoseconds, about.
std::uint64_t work_of(const Dataset& data, ScalingKind kind) {
  return (data.dense() ? std::uint64_t{data.num_documents()} * data.num_features() : data.num_nonzeros()) *
         (takes_logarithm(kind) ? 2 : 1);
}

}  // namespace

struct LinearScorer::Folded {
  std::vector<double> w;      // by column
  std::vector<WideSum> zero;  // kinds fitted to all the data: what a zero contributes
  WideSum level;              // and a document of zeros
};

struct LinearScorer::Workspace {
  DenseScoring::Workspace dense;
  std::vector<WideSum> zero;  // by column, all 0 between queries
  ScaledStored stored;
};

LinearScorer::LinearScorer(const Model& model, const Dataset& data, std::size_t threads, std::uint64_t kept_bytes)
    : features_(data), scaling_(scaling_of_columns(model, data)) {
  require_fitted(scaling_, data);
  if (scaling_.kind != ScalingKind::none) require_unscaled(data);
  const FeatureIndex index(model);
  // A feature that never occurs is 0 everywhere; under a fitted scaling that is a constant, not nothing.
  constant_ = values_of_absent_features(model);
  for (std::size_t j = 0; j < data.num_features(); ++j) {
    weight_of_.push_back(index.find(data.feature_name(j)));
    if (weight_of_.back() != FeatureIndex::kUnknown) constant_[weight_of_.back()] = 0;
  }
  const bool costly = takes_logarithm(scaling_.kind) || (scaling_.per_query() && !data.dense());
  if (costly && kept_bytes > 0) keep(kept_bytes, threads);
}

void LinearScorer::keep(std::uint64_t bytes, std::size_t threads) {
  const Dataset& data = this->data();
  std::uint64_t spent = 0;
  std::size_t queries = 0;
  for (; queries < data.num_queries(); ++queries) {
    const Query query = data.query(queries);
    spent += sizeof(double) * (data.dense() ? query.size() * data.num_features() : 2 * query.rows.num_stored());
    if (spent > bytes) break;
  }
  kept_.resize(queries);
  const auto scale = [&](std::size_t q) {
    const Query query = data.query(q);
    if (!data.dense()) return scale_stored(scaling_, query, kept_[q]);
    kept_[q].values.resize(query.size() * data.num_features());
    for (std::size_t j = 0; j < data.num_features(); j += kColumns)
      scale_columns(scaling_, dense_rows(query), j, std::min(kColumns, data.num_features() - j),
                    kept_[q].values.data() + query.size() * j);
  };
  parallel_for(kKeptPieces, threads, [&](std::size_t piece, std::size_t) {
    const std::size_t begin = piece_begin(queries, kKeptPieces, piece),
                      end = piece_begin(queries, kKeptPieces, piece + 1);
    for (std::size_t q = begin; q < end; ++q) scale(q);
    let_go(data, begin, end);
  });
}

void LinearScorer::score_stored(std::size_t q, const Folded& folded, Workspace& workspace,
                                std::span<double> out) const {
  const Query query = data().query(q);
  if (q >= kept_.size()) scale_stored(scaling_, query, workspace.stored);
  const ScaledStored& stored = q < kept_.size() ? kept_[q] : workspace.stored;
  WideSum level = folded.level;
  workspace.zero.resize(scaling_.per_query() ? folded.w.size() : 0);
  for (std::size_t k = 0; k < stored.columns.size(); ++k) {
    const std::uint32_t j = stored.columns[k];
    workspace.zero[j].add_product(stored.zeros[k], folded.w[j]);
    level.add(workspace.zero[j]);
  }
  const std::vector<WideSum>& zero = scaling_.per_query() ? workspace.zero : folded.zero;
  std::size_t place = 0;
  for (std::size_t i = 0; i < query.size(); ++i) {
    WideSum sum = level;
    for (const std::uint32_t j : query.rows.sparse_row(i).columns) {
      sum.subtract(zero[j]);
      sum.add_product(stored.values[place++], folded.w[j]);
    }
    out[i] = sum.value();
  }
  for (const std::uint32_t j : stored.columns) workspace.zero[j] = {};
}

std::vector<double> LinearScorer::fold(const std::vector<double>& weights) const {
  std::vector<double> w(weight_of_.size(), 0.0);
  for (std::size_t j = 0; j < w.size(); ++j)
    if (weight_of_[j] != FeatureIndex::kUnknown) w[j] = weights[weight_of_[j]];
  return w;
}

double LinearScorer::constant_part(const std::vector<double>& weights) const {
  double constant = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) constant += weights[j] * constant_[j];
  return constant;
}

std::vector<double> LinearScorer::device_scores(const std::vector<double>& weights, const ComputeOptions& place) const {
  const Dataset& data = this->data();
  std::optional<LinearFeatures> scaled;
  if (data.dense() && scaling_.kind != ScalingKind::none) scaled.emplace(data, scaling_, 0, place.threads);
  const auto device = rows_on_device(scaled ? *scaled : features_, place);
  std::vector<double> scores(data.num_documents());
  require_no_trouble(device->scores(fold(weights), scores));
  const double constant = constant_part(weights);
  for (double& value : scores) value += constant;
  return scores;
}

std::vector<double> LinearScorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  const Dataset& data = this->data();
  Folded folded;
  folded.w = fold(weights);
  const double constant = constant_part(weights);
  if (scaling_.kind == ScalingKind::none)
    return linear_scores(features_, folded.w, constant + features_.level(folded.w), threads);
  std::optional<DenseScoring> dense;
  if (data.dense()) dense.emplace(scaling_, folded.w, constant);
  for (std::size_t j = 0; j < scaling_.shift.size() && !dense; ++j) {
    folded.zero.emplace_back().add_product(scaled_zero(scaling_, j), folded.w[j]);
    folded.level.add(folded.zero.back());
  }
  std::vector<double> scores(data.num_documents());
  const std::size_t useful = threads_worth(threads, work_of(data, scaling_.kind));
  std::vector<Workspace> workspaces(thread_count(useful));
  parallel_for(data.num_queries(), useful, [&](std::size_t q, std::size_t worker) {
    const std::span<double> out = std::span(scores).subspan(data.first_document(q), data.query(q).size());
    if (dense)
      return dense->scores(dense_rows(data.query(q)), workspaces[worker].dense, out,
                           q < kept_.size() ? kept_[q].values.data() : nullptr);
    score_stored(q, folded, workspaces[worker], out);
    for (double& value : out) value += constant;
  });
  return scores;
}

std::vector<double> MappedScorer::scores(const std::vector<double>& weights, std::size_t threads) const {
  return linear_scores(features_, weights, 0, threads);
}

}  // namespace dorm
