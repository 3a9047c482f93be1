// SPDX-License-Identifier: Apache-2.0
// The same queries, documents and labels with other features.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "dorm/dataset.h"

namespace dorm {

/// Writes the new rows of query q, `stride` floats apart; memory is zero at first. Called from several threads.
using FillQuery = std::function<void(std::size_t q, float* rows, std::size_t stride)>;
/// The same of all documents at once.
using FillAll = std::function<void(float* rows, std::size_t stride)>;

/// Dense data of `features` columns, named by `names` (empty: numbered).
Dataset replace_features(const Dataset& data, std::size_t features, const std::vector<std::string>& names,
                         std::size_t threads, const FillQuery& fill);
Dataset replace_features(const Dataset& data, std::size_t features, const std::vector<std::string>& names,
                         const FillAll& fill);

/// The features of the data and behind them those of `fill`, called `added`. Throws Error(bad_input) when a column of
/// such a name is there already.
Dataset append_features(const Dataset& data, const std::vector<std::string>& added, std::size_t threads,
                        const FillQuery& fill);

}  // namespace dorm
