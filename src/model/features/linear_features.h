// SPDX-License-Identifier: Apache-2.0
// The linear representation: scores g = X w of one query, and the pull-back X^T delta of document coefficients. A
// background that is common to all documents (dorm/dataset.h) is left out of both: it moves all scores alike, which no
// ranking and no learner with a bias can see. Whoever wants the scores themselves adds level().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dorm/dataset.h"
#include "model/features/representation.h"

namespace dorm {

class LinearFeatures final : public Representation {
 public:
  explicit LinearFeatures(Dataset data) : data_(std::move(data)) {}

  const Dataset& data() const override { return data_; }
  std::size_t dimension() const override { return data_.num_features(); }

  void scores(std::size_t query, std::span<const double> w, std::span<double> out) const override;
  void scores_then(std::size_t query, std::size_t upcoming, std::span<const double> w,
                   std::span<double> out) const override;

  /// out.direction (and columns) = X^T coefficients.
  void pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                 PullBackWorkspace& workspace) const override;
  std::vector<double> combine(std::span<const double> coefficients, std::size_t threads) const override;
  double centred_norm(std::size_t threads) const override;

  /// sum += X^T coefficients, dense.
  void accumulate(std::size_t query, std::span<const double> coefficients, std::span<double> sum) const;

  /// The same for one document: its score, and w += scale * row.
  double score(std::size_t query, std::size_t document, std::span<const double> w) const;
  void add_row(std::size_t query, std::size_t document, double scale, std::span<double> w) const;

  double level(std::span<const double> w) const;

  /// Stored values of the query: the multiply-adds of scores().
  double work(std::size_t query) const override;

 private:
  Dataset data_;
};

}  // namespace dorm
