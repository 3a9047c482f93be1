// SPDX-License-Identifier: Apache-2.0
#include "model/contributions.h"

#include "base/parallel.h"
#include "model/align.h"
#include "model/curve_scores.h"
#include "model/tree_scores.h"

namespace dorm {
namespace {

Contributions linear_contributions(const Model& model, const Dataset& data, std::size_t threads) {
  Contributions out{scaled_features(model, data, threads), 0};
  for (std::size_t k = 0; k < out.values.size(); ++k) out.values[k] *= model.weights[k % model.weights.size()];
  return out;
}

Contributions of_trees(const Model& model, const Dataset& data, std::size_t threads) {
  const TreeEnsemble& trees = model.trees->trees();
  const std::vector<float> rows = raw_features(model, data);
  const std::size_t width = model.features.size();
  Contributions out{std::vector<double>(rows.size()), expected_score(trees)};
  parallel_for(width == 0 ? 0 : data.num_documents(), threads, [&](std::size_t i, std::size_t) {
    tree_contributions(trees, std::span(rows).subspan(i * width, width),
                       std::span(out.values).subspan(i * width, width));
  });
  return out;
}

std::optional<Contributions> of_sum(const Model& model, const Dataset& data, std::size_t threads) {
  const FeatureIndex index(model);
  const std::size_t width = model.features.size(), documents = data.num_documents();
  Contributions out{std::vector<double>(documents * width), 0};
  for (const ModelPart& part : model.parts) {
    const auto own = contributions_of(*part.ranker, filled_as(*part.ranker, data, threads), threads);
    if (!own) return std::nullopt;
    out.base += part.weight * own->base;
    const std::size_t columns = part.ranker->features.size();
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t feature = index.find(part.ranker->features[j]);
      for (std::size_t i = 0; i < documents; ++i)
        out.values[i * width + feature] += part.weight * own->values[i * columns + j];
    }
  }
  return out;
}

}  // namespace

std::optional<Contributions> contributions_of(const Model& model, const Dataset& data, std::size_t threads) {
  switch (model.kind()) {
    case Model::Kind::linear:
      return linear_contributions(model, data, threads);
    case Model::Kind::curves:
      return Contributions{curve_parts(model, data, threads), 0};
    case Model::Kind::trees:
      if (!model.trees->trees().has_covers()) return std::nullopt;
      return of_trees(model, data, threads);
    case Model::Kind::sum:
      return of_sum(model, data, threads);
    case Model::Kind::kernel:
      break;
  }
  return std::nullopt;
}

}  // namespace dorm
