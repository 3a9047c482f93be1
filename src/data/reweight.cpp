// SPDX-License-Identifier: Apache-2.0
// Other query weights over the same block of features.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/storage.h"
#include "dorm/data/prepare.h"
#include "dorm/dataset.h"
#include "dorm/error.h"

namespace dorm {
namespace {

void check_weights(const Dataset& data, const std::vector<double>& weights) {
  if (weights.size() != data.num_queries())
    throw Error(ErrorCode::bad_input,
                fmt::format("{} weights for {} queries; expected one per query", weights.size(), data.num_queries()));
  for (std::size_t q = 0; q < weights.size(); ++q)
    if (!(weights[q] >= 0) || !std::isfinite(weights[q]))
      throw Error(ErrorCode::bad_input, fmt::format("the weight of query {} is {}; expected a finite number, 0 or more",
                                                    data.query(q).id, weights[q]));
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 0; }))
    throw Error(ErrorCode::bad_input, "every query weight is 0; expected one above 0 at least");
}

/// What the new block keeps alive: the old one, and the weights.
struct Reweighted {
  Dataset data;
  std::vector<double> weights;
};

}  // namespace

Dataset with_query_weights(const Dataset& data, std::vector<double> weights) {
  check_weights(data, weights);
  if (data.num_queries() != data.storage().query_end.size())
    throw Error(ErrorCode::unsupported, "a selection of queries cannot be given weights; weight the whole");
  auto owner = std::make_shared<const Reweighted>(Reweighted{data, std::move(weights)});
  auto storage = std::make_shared<Storage>(data.storage());
  storage->query_weights = owner->weights;
  storage->owner = std::move(owner);
  return Dataset(std::move(storage));
}

}  // namespace dorm
