// SPDX-License-Identifier: Apache-2.0
// The linear representation: scores g = X w of one query, and the pull-back X^T delta of document coefficients. A
// background that is common to all documents (dorm/dataset.h) is left out of both: it moves all scores alike, which no
// ranking and no learner with a bias can see. The scores themselves are these plus level().
//
// Dense rows are scaled where they are visited (scaled_rows.h); compressed ones once, into a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "data/scale/survey.h"
#include "dorm/data/scale.h"
#include "dorm/dataset.h"
#include "model/features/representation.h"
#include "model/features/scaled_rows.h"

namespace dorm {

class LinearFeatures final : public Representation {
 public:
  explicit LinearFeatures(Dataset data) : data_(std::move(data)) {}
  /// Under a scaling; `kept_bytes` are spent on scaled rows (scaled_rows.h), which are then seen at once. To `survey`,
  /// if any, all queries of the data are added.
  LinearFeatures(const Dataset& data, const Scaling& scaling, std::uint64_t kept_bytes, std::size_t threads,
                 Survey* survey = nullptr);

  /// Those of some queries, which share what is kept.
  LinearFeatures select(const std::vector<std::size_t>& queries) const;

  /// Of the weights, one per feature; empty: all are free.
  void set_signs(std::vector<std::int8_t> signs) { signs_ = std::move(signs); }
  std::span<const std::int8_t> signs() const override { return signs_; }

  /// Where dense, as it was before it was scaled.
  const Dataset& data() const override { return data_; }
  std::size_t dimension() const override { return data_.num_features(); }

  void scores(std::size_t query, std::span<const double> w, std::span<double> out) const override;
  void scores_then(std::size_t query, std::size_t upcoming, std::span<const double> w, std::span<double> out,
                   ScoreWorkspace& workspace) const override;

  /// out.direction (and columns) = X^T coefficients.
  void pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                 PullBackWorkspace& workspace) const override;
  std::vector<double> combine(std::span<const double> coefficients, std::size_t threads) const override;
  double centred_norm(std::size_t threads) const override;
  /// Of dense rows with up to 512 features.
  std::optional<CentredProducts> centred_products(std::span<const double> targets, std::size_t threads) const override;

  /// sum += X^T coefficients, dense.
  void accumulate(std::size_t query, std::span<const double> coefficients, std::span<double> sum) const;

  /// The same for one document: its score, and w += scale * row.
  double score(std::size_t query, std::size_t document, std::span<const double> w) const;
  void add_row(std::size_t query, std::size_t document, double scale, std::span<double> w) const;

  double level(std::span<const double> w) const;

  /// The rows of a query of dense data, as scores() sees them or as they were before they were scaled, at a stride of
  /// so many floats; zeros behind each row.
  void copy_rows(std::size_t query, bool scaled, float* out, std::size_t stride) const;
  /// How rows of dense data are scaled where they are visited.
  const Scaling& scaling() const;

  /// Stored values of the query: the multiply-adds of scores().
  double work(std::size_t query) const override;

 private:
  ScaledRows::View rows(std::size_t query) const;  // of dense data

  Dataset data_;
  std::shared_ptr<const ScaledRows> scaled_;  // null: rows are those of the data
  std::vector<std::size_t> place_;            // by query: which one it is there; empty: the same
  std::vector<std::int8_t> signs_;
  std::optional<double> norm_;  // centred_norm(), where all rows have been seen
};

}  // namespace dorm
