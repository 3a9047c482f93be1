// SPDX-License-Identifier: Apache-2.0
// Explanations of rankings: what each feature adds to a score, beside the other documents of the query.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/model.h"

namespace dorm {

/// One feature of one document. Linear models: contribution = weight * scaled, and the contributions of a document sum
/// to its score. Trees: exact Shapley values (path-dependent TreeSHAP), which sum to the score less the base. Sums of
/// models: the weighted sums of both. Kernels, and trees whose file has no counts of training documents: the score less
/// what it would be with the feature at its mean over the query; such effects do not sum to anything.
struct FeaturePart {
  std::size_t feature = 0;  // of the model
  double value = 0;         // as in the data; 0 where it has no such column
  double scaled = 0;
  double weight = 0;  // 0 unless the model is linear
  double contribution = 0;
  double above_mean = 0;  // less the mean contribution over the query's documents; of kernels the contribution itself
};

struct DocumentExplanation {
  std::size_t document = 0;  // of the data set
  std::size_t rank = 0;      // by score, 1 for the first; ties by index
  double score = 0;
  std::vector<FeaturePart> parts;  // of all features, the furthest from the mean first, then in their order
};

struct QueryExplanation {
  bool additive = true;  // contributions sum to the score less the base
  double base = 0;       // of trees: the mean score over their training documents
  double mean_score = 0;
  std::vector<DocumentExplanation> documents;  // by rank
};

/// Explains the scores of a query's documents: the first `top` of the ranking (0: all), or the given documents, as
/// indices into the data set. Throws Error(unsupported) where a kernel has too many features to try one by one.
QueryExplanation explain(const Model& model, const Dataset& data, std::size_t query, std::size_t top = 0,
                         std::span<const std::size_t> documents = {}, std::size_t threads = 0);

/// The value at which a feature alone would add `gain` to the score of a document in which it is `value`. None
/// where it cannot: a weight of 0, a kernel, trees, steps, a curve that never rises as far, a scaling that the other
/// documents of the query decide, or a value that no float holds.
std::optional<double> value_for_gain(const Model& model, std::size_t feature, double value, double gain);

/// The parts of two documents side by side.
struct PartPair {
  FeaturePart one, other;
  double difference = 0;  // of their contributions; those of all features sum to the difference of the scores
};

/// By feature, the largest difference first.
std::vector<PartPair> differences_of(const DocumentExplanation& one, const DocumentExplanation& other);

/// The value of the lower document's feature at which both scores are equal; none as value_for_gain() has it.
std::optional<double> level_value(const Model& model, const PartPair& pair, const DocumentExplanation& one,
                                  const DocumentExplanation& other);

}  // namespace dorm
