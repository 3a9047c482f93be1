// SPDX-License-Identifier: Apache-2.0
// Reading for the commands: the options all readers share, warnings and progress on standard error.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "command.h"
#include "dorm/base/catalog.h"
#include "dorm/data/split.h"
#include "dorm/data/texts.h"
#include "dorm/error.h"
#include "dorm/fusion/runs.h"
#include "dorm/model.h"
#include "dorm/read.h"
#include "dorm/write.h"

namespace dorm::cli {

/// The options of reading; load() resolves names.
struct InputArguments {
  std::string format = "detect", unjudged = "grade";
  std::string missing = {}, encode = {};        // empty where nothing was said
  std::string groups_from = {};                 // the column --one-per names, if it does
  ColumnRoles columns{{}, {}, {}, {}, {}, {}};  // empty where nothing was said
  bool need_groups = false, side_files = true;
  std::string query_ids = {};                      // a file
  std::string qrels = {};                          // likewise, where the verb has the option
  TextColumns texts = {};                          // for people, and no features
  std::string features = {}, query_features = {};  // files beside runs, for a fused model
};

/// Expectations about a file before it is read.
struct Expected {
  const InputDescription* like = nullptr;  // the data it goes with: read alike where the command line says nothing
  const std::vector<std::string>* features = nullptr;  // the features that matter; nullptr: all
  bool labels = true;                                  // needed
  const FusionInput* fusion = nullptr;                 // of a fused model: the path may name runs
};

/// The expectations of a model about the data it ranks.
inline Expected expected_by(const Model& model, bool labels = true) {
  return {&model.data.input, model.by_number() ? nullptr : &model.features, labels};
}

/// --input-format and the other options of the data; --format is always that of the output.
void add_input_options(CLI::App& app, InputArguments& arguments);

/// letor, csv, tsv or binary; empty: by the name of the file.
DataFormat parse_output_format(const std::string& name);

/// Declares --one-per GROUP[:k]: group, host or domain, or the name of a CSV column, which is then read as the groups
/// and spelled `group`. The rule is stored in `rule`.
void add_one_per_option(CLI::App& app, std::string& rule, InputArguments& arguments, const char* group,
                        const std::string& help);

/// What --input-format knows.
std::span<const CatalogEntry> input_formats();

struct Loaded {
  Dataset data;
  std::string format;  // letor, csv, tsv, jsonl, binary or log
  ReadReport report;
};

/// Reads a file of judged documents, or the several files of a folder or a pattern, joined; warnings go to standard
/// error unless settings.quiet.
Loaded load(const std::string& path, const InputArguments& arguments, const Settings& settings,
            const Expected& expected = {});
/// Some of the files of a folder or a pattern.
Loaded load(const std::string& pattern, const std::vector<std::string>& files, const InputArguments& arguments,
            const Settings& settings, const Expected& expected = {});

/// The file, or the files of a folder or a pattern.
std::vector<std::string> data_files(const std::string& pattern);

/// The texts of --query-text-column, --title-column and --url-column, for data that was read from one file.
ReadableTexts load_texts(const std::string& path, const InputArguments& arguments, const Dataset& data);

/// The file as files of its shards in a new folder; read, and warned about, as load() does.
ShardsWritten load_into_shards(const std::string& path, const std::string& folder, std::size_t num_shards,
                               const InputArguments& arguments, const Settings& settings);

/// The file as files of its parts, named after `stem`; read as load() does.
std::vector<SplitPart> load_into_parts(const std::string& path, const std::string& stem, const SplitOptions& options,
                                       const InputArguments& arguments, const Settings& settings);

/// What `body` returns. An Error of this code that names no file names this one.
template <class Body>
auto about_file(const std::string& path, const Body& body, ErrorCode code = ErrorCode::bad_input) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.code() != code || !error.position().file.empty()) throw;
    throw Error(code, {path}, error.what());
  }
}

/// A warning for each feature that gives the label away.
void warn_of_leaks(const Dataset& data, const std::string& path, const Settings& settings);

/// "dorm: warning: ..." on standard error unless settings.quiet.
void warn(const Settings& settings, const std::string& message);

}  // namespace dorm::cli
