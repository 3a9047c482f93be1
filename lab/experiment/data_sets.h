// SPDX-License-Identifier: Apache-2.0
// The data sets that experiments know by name: which files they are, where they are published, how they are cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/lab/comparison.h"
#include "dorm/lab/experiment.h"
#include "dorm/recommend/factorize.h"

namespace dorm {

/// Whether every file of the set is in the directory, plain or compressed.
bool has_data_set(const std::string& directory, std::string_view name);

/// Throws Error(io) that says which file is missing, where the set is published and where to place it.
void require_data_set(const std::string& directory, std::string_view name);

/// What require_data_set misses.
std::vector<DataFile> missing_files(const std::string& directory, std::string_view name);

/// A file of a set that is there, with its ending.
std::string data_path(const std::string& directory, std::string_view name, std::string_view file);

/// mq2008 or mq2007-sample: five parts that take turns.
std::vector<DataSplit> web_splits(const std::string& directory, std::string_view name);

/// movielens-100k with the genres of its films.
struct RatingsData {
  Ratings ratings;
  SideFeatures facts;
};
RatingsData movielens(const std::string& directory);

/// page-blocks, pendigits, optdigits or covertype as queries of 100 documents drawn at random, the class index as
/// grade, features divided by their largest absolute value. Training, validation and test queries share no document.
DataSplit uci_split(const std::string& directory, std::string_view name, std::uint64_t seed);

}  // namespace dorm
