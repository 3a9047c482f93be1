// SPDX-License-Identifier: Apache-2.0
// How weights become the scores of documents and coefficients of documents become planes: the only place where
// features matter to learning. Linear and kernel rankers are two of them; measures, oracles, risks and solvers are
// the same for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/learning/geometry.h"

namespace dorm {

/// What scores are looked up in, for as long as the weights are these.
struct ScoreWorkspace {
  std::vector<double> weights, tables;
};

struct PullBackWorkspace {
  std::vector<double> sums;            // dense sums, zero between calls
  std::vector<std::uint32_t> touched;  // sparse data: columns with a contribution
};

/// Products of the columns of X and of a target y, rows and targets centred within their queries.
struct CentredProducts {
  std::size_t size = 0, width = 0;
  std::vector<double> upper;  // row k from k on: column k with the columns from it on, with y at `size`

  double at(std::size_t k, std::size_t j) const { return upper[k * width + j]; }
};

/// A map phi from documents into a space of weights: g_i = <w, phi_i>.
class Representation : public Geometry {
 public:
  virtual const Dataset& data() const = 0;

  virtual void scores(std::size_t query, std::span<const double> w, std::span<double> out) const = 0;
  /// The same where the scores of `upcoming` will probably be asked for next: its features may be fetched meanwhile.
  virtual void scores_then(std::size_t query, std::size_t, std::span<const double> w, std::span<double> out,
                           ScoreWorkspace&) const {
    scores(query, w, out);
  }

  /// The plane whose direction is sum_i coefficients[i] phi_i over the documents of a query; documents with coefficient
  /// 0 are not touched.
  virtual void pull_back(std::size_t query, std::span<const double> coefficients, Plane& out,
                         PullBackWorkspace& workspace) const = 0;

  /// The weights sum_i coefficients[i] phi_i over all documents of the data.
  virtual std::vector<double> combine(std::span<const double> coefficients, std::size_t threads) const = 0;

  /// The mean of |phi_i - mean of its query|^2 over the documents; 0 when there are none.
  virtual double centred_norm(std::size_t threads) const = 0;

  /// sum over all documents; none where there are too many features, or none at all, to form a matrix of them.
  virtual std::optional<CentredProducts> centred_products(std::span<const double> /*targets*/,
                                                          std::size_t /*threads*/) const {
    return std::nullopt;
  }

  /// Rough multiply-adds of scores().
  virtual double work(std::size_t query) const = 0;
};

}  // namespace dorm
