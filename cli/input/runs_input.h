// SPDX-License-Identifier: Apache-2.0
// Files of runs for the commands.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "dorm/fusion/runs.h"
#include "input/input.h"
#include "options/option_group.h"

namespace dorm::cli {

/// The argument, and what it says: FILE or NAME=FILE.
struct RunFile {
  std::string name, path;
};

/// Without NAME= a run is called as its file, without folder and endings. Throws Error(bad_option) for two of one name.
std::vector<RunFile> run_files(const std::vector<std::string>& arguments);

/// Of one argument: FILE,FILE,...
std::vector<RunFile> listed_runs(const std::string& argument);

std::vector<NamedRun> load_runs(const std::vector<RunFile>& files, const Settings& settings);

/// How the columns of a table of features are read: by rules as --encode has them, or as a model has fitted them.
struct FeatureRules {
  std::string encode = {};
  const FusionInput* like = nullptr;
};

struct FeatureColumns {
  std::vector<NamedRun> columns;
  std::vector<ColumnEncoding> encodings;  // fitted
};

/// The columns of a table, docid,... or qid,docid,..., as values of the documents that the runs list. Throws
/// Error(bad_input) for a column without any.
FeatureColumns load_columns(const std::string& path, const std::vector<NamedRun>& runs, const FeatureRules& rules,
                            const Settings& settings);

/// The runs in the order that a fused model has them: by name, else, if no name fits, as they come. Throws
/// Error(bad_input) for runs that the model does not have or that are missing.
std::vector<NamedRun> in_order_of(const FusionInput& input, std::vector<NamedRun> runs);

/// Whether `data` names runs for a fused model: several files with commas between them. A file of joined scores is read
/// as any other.
bool names_runs(const std::string& data);

/// --features, perhaps by another name, and --query-features, for what is joined below.
void add_fusion_options(const OptionGroup& group, InputArguments& arguments, const char* features = "--features");

/// A table of qid,...: numbers, and words as columns of 0 and 1.
SideFeatures load_query_features(const std::string& path);

/// Runs with the tables of `arguments`, joined as the model wants them.
JoinedRuns join_for(const FusionInput& input, std::vector<NamedRun> runs, std::span<const Judgment> judgments,
                    const InputArguments& arguments, const Settings& settings);

/// The same of the runs that `data` names, and of --qrels; without judgments, labels are 0.
Dataset load_joined(const std::string& data, const FusionInput& input, const InputArguments& arguments,
                    const Settings& settings);

}  // namespace dorm::cli
