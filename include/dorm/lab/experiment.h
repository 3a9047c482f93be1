// SPDX-License-Identifier: Apache-2.0
// The experiments of the paper, by name, on data that can be had: our figures with the paper's beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/base/catalog.h"
#include "dorm/lab/comparison.h"
#include "dorm/tune.h"

namespace dorm {

struct ExperimentOptions {
  std::string data_directory;  // as docs/comparisons.md describes it
  std::string directory = {};  // where finished cells are kept; empty: nowhere
  std::size_t threads = 0;
  std::uint64_t seed = 1;
  Choice choice = Choice::best;  // as in ComparisonOptions
};

/// A file that an experiment needs. `url` is empty where the publisher has no plain address for it.
struct DataFile {
  std::string set, path, published, url, sha256;
};

struct ExperimentResult {
  std::string name, title;
  std::string paper, difference;      // what the paper found; why ours need not be the same
  std::vector<std::string> remarks;   // how it was done
  std::vector<report::Table> tables;  // of text
  std::vector<report::Plot> plots = {};
  std::vector<std::pair<std::string, ComparisonResult>> comparisons;  // by data set: what the tables are from
  bool complete = true;                                               // false: stopped
};

std::span<const CatalogEntry> experiment_catalog();

/// The files of its data sets that are not in the directory, plain or compressed.
std::vector<DataFile> missing_data(std::string_view experiment, const std::string& directory);

/// Throws Error(unknown_name), or Error(io) for missing data: its name, where it is published, and where to place it.
ExperimentResult run_experiment(std::string_view name, const ExperimentOptions& options,
                                const ComparisonObserver& observer = {});

std::string experiment_csv(const ExperimentResult& result);  // every table, one below the other
std::string experiment_markdown(const ExperimentResult& result);

}  // namespace dorm
