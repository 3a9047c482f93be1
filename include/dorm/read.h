// SPDX-License-Identifier: Apache-2.0
// Reading data: judged documents (LETOR/SVMlight, CSV/TSV, the binary form), scores, and TREC qrels and runs. Plain,
// .gz and .zst files are read directly. Every complaint names file, line, column, what stood there and what was
// expected. docs/formats.md describes each format.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/dataset.h"

namespace dorm {

enum class Missing { error, zero, mean };  // what NaN and infinite feature values become
enum class DataFormat { detect, letor, csv, tsv, binary };

struct ReadOptions {
  DataFormat format = DataFormat::detect;  // by content for the binary form, then by extension, else LETOR
  Missing missing = Missing::error;        // mean: over the finite values of the column, 0 if there are none
  std::size_t threads = 0;                 // 0: all cores; the result does not depend on it
  bool side_files = true;                  // use FILE.query / FILE.group (sizes) and FILE.weight where they exist

  // CSV and TSV: the columns with a meaning; every other column is a feature.
  std::string label_column = "label";
  std::string query_column = "qid";
  std::string document_column = "docid";  // optional in the file
  std::string group_column = "group";     // optional in the file
  bool need_groups = false;               // an error when there is no such column
  std::string weight_column = "weight";   // optional in the file; constant within a query
  std::vector<std::string> ignore_columns = {};

  std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress = {};  // total 0: not known
};

struct ReadReport {
  std::uint64_t bytes = 0;  // of the file as stored
  std::vector<std::string> warnings;
};

/// The format read_dataset() takes a file for. Opens it; throws Error(io).
DataFormat detect_format(const std::string& path);

/// Any supported file of judged documents.
Dataset read_dataset(const std::string& path, const ReadOptions& options = {}, ReadReport* report = nullptr);
Dataset read_letor(const std::string& path, const ReadOptions& options = {}, ReadReport* report = nullptr);
Dataset read_csv(const std::string& path, const ReadOptions& options = {}, ReadReport* report = nullptr);

/// Maps the file; features are paged in as they are used. Refuses a truncated, altered or newer file. `verify` reads
/// the whole file once to check its checksums.
Dataset read_binary(const std::string& path, bool verify = true);

/// The same from memory, for programs and fuzzing; `name` stands in for the path in messages.
Dataset parse_letor(std::string_view text, const std::string& name, const ReadOptions& options = {},
                    ReadReport* report = nullptr);
Dataset parse_csv(std::string_view text, const std::string& name, const ReadOptions& options = {},
                  ReadReport* report = nullptr);

/// One finite number per line, in the order of the data file's rows; blank lines and # comments are skipped.
std::vector<double> read_scores(const std::string& path);
std::vector<double> parse_scores(std::string_view text, const std::string& name);

/// TREC relevance judgments: `qid iter docid rel` per line.
struct Judgment {
  std::string query, document;
  float label;
};
std::vector<Judgment> read_qrels(const std::string& path);
std::vector<Judgment> parse_qrels(std::string_view text, const std::string& name);

/// TREC run: `qid Q0 docid rank score tag` per line. The rank is ignored, as trec_eval does.
struct RunEntry {
  std::string query, document;
  double score;
};
std::vector<RunEntry> read_run(const std::string& path);
std::vector<RunEntry> parse_run(std::string_view text, const std::string& name);

}  // namespace dorm
