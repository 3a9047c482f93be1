// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dorm/dataset.h"

namespace dorm::pages {

struct SingleFeature {
  std::string name;
  double sign = 1;          // -1: small values come first
  std::size_t queries = 0;  // it was chosen by
};

/// Chosen on training data by the measure, equal values counting as in random order; on a part of the queries where
/// there is much data. There must be features.
SingleFeature best_single_feature(const Dataset& data, const std::string& measure, const std::string& convention,
                                  std::size_t threads);

std::vector<double> scores_of(const SingleFeature& feature, const Dataset& data);

}  // namespace dorm::pages
