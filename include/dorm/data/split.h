// SPDX-License-Identifier: Apache-2.0
// Training, validation and test parts of judged queries, in memory or as files. Guide: docs/data.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"
#include "dorm/read.h"
#include "dorm/write.h"

namespace dorm {

struct SplitOptions {
  double test = 0.2, valid = 0;  // shares of the queries; 0: no such part
  std::uint64_t seed = 0;

  void validate() const;  // throws Error(bad_option) for shares that leave nothing to train on
};

/// Indices of queries, ascending; valid and test may be empty.
struct QuerySplit {
  std::vector<std::size_t> train, valid, test;
};

/// Whole queries, drawn at random within layers of queries that have about as many relevant documents. What is drawn
/// depends on the seed, the ids and these numbers, not on the order of the queries. Throws Error(bad_option) when a
/// part that was asked for, or the training part, would have no query.
QuerySplit split_queries(std::span<const std::string> ids, std::span<const std::uint64_t> relevant,
                         const SplitOptions& options);
/// The same; documents with a label above 0 are relevant.
QuerySplit split_queries(const Dataset& data, const SplitOptions& options);

/// Of one value per document of the data, those of the documents of these queries.
std::vector<double> values_of_queries(const Dataset& data, std::span<const double> values,
                                      std::span<const std::size_t> queries);

struct SplitPart {
  std::string name, file;  // train, valid or test
  std::uint64_t queries = 0, documents = 0, relevant = 0;
};

/// The file as files of its parts, "STEM.train.csv" and so on, with the ending of the file. Text keeps its lines as
/// they are, whatever stands in the columns of features; the header and comments go to every part. Of ReadOptions,
/// format and columns count. The binary form is written as such.
std::vector<SplitPart> split_file(const std::string& path, const std::string& stem, const SplitOptions& options,
                                  const ReadOptions& reading = {}, const FileWriter& writer = write_atomically);

/// The text of a file in its parts, for programs and fuzzing: train, valid, test.
std::vector<std::string> split_text(std::string_view text, const std::string& name, const SplitOptions& options,
                                    const ReadOptions& reading);

}  // namespace dorm
