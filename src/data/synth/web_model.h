// SPDX-License-Identifier: Apache-2.0
// The hidden model behind generated data: which features matter, how each is distributed, and how much a
// document is worth.
//
// Feature k of a document of query q stands for a near-normal number z_k = sqrt(1 - r^2) e_k + r f_b, where the factor
// f_b is shared by a block of features (as title, body and anchor statistics of one text are). What is seen is a
// monotone curve of z_k plus a shift of the query. The utility of the document is
//   signal + query_effect * (normal of the query) + noise * (normal of the document),
// the signal being a fixed weighted sum of the z_k with variance 1. Feature 0 is the strongest by far and stands alone;
// three in ten features have no weight.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rng.h"
#include "dorm/synth.h"

namespace dorm {

class WebModel {
 public:
  explicit WebModel(const SynthOptions& options);

  /// Non-zero features of every document of the compressed form.
  std::uint64_t nonzeros() const { return nonzeros_; }

  /// What the documents of one query share.
  struct QueryState {
    std::uint64_t number;
    double effect;
    std::vector<double> shift;   // dense form: one per feature
    std::vector<double> factor;  // scratch: the block factors of the document at hand
  };
  QueryState begin_query(std::uint64_t number) const;

  /// Both fill the features of one document and return its utility.
  double dense_document(QueryState& query, Rng& rng, std::span<float> row) const;
  double sparse_document(QueryState& query, Rng& rng, std::span<std::uint32_t> columns, std::span<float> values) const;

 private:
  enum class Curve : std::uint8_t { score, unit, count, positive, plain };
  struct Feature {
    float weight = 0;    // in the signal
    float location = 0;  // of the curve
    float spread = 1;    // of the curve
    Curve curve = Curve::unit;
  };

  void draw_factors(QueryState& query, Rng& rng) const;
  double latent(const QueryState& query, std::uint64_t column, double own) const;
  double utility(const QueryState& query, double first, double rest, Rng& rng) const;
  double query_shift(std::uint64_t query, std::uint64_t column) const;
  static double visible(const Feature& feature, double z);

  SynthOptions options_;
  std::vector<Feature> features_;
  double rest_scale_ = 0;  // makes the part of the signal beyond feature 0 have variance 1
  std::uint64_t nonzeros_ = 0;
};

}  // namespace dorm
