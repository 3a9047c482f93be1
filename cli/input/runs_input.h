// SPDX-License-Identifier: Apache-2.0
// Files of runs for the commands.
#pragma once

#include <string>
#include <vector>

#include "command.h"
#include "dorm/fusion/runs.h"

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

/// The columns of a table, docid,... or qid,docid,..., as values of the documents that the runs list. Throws
/// Error(bad_input) for a column without any.
std::vector<NamedRun> load_columns(const std::string& path, const std::vector<NamedRun>& runs,
                                   const Settings& settings);

/// The runs in the order that a fused model has them: by name, else, if no name fits, as they come. Throws
/// Error(bad_input) for runs that the model does not have or that are missing.
std::vector<NamedRun> in_order_of(const FusionInput& input, std::vector<NamedRun> runs);

/// Whether `data` names runs for a fused model: several files with commas between them. A file of joined scores is read
/// as any other.
bool names_runs(const std::string& data);

/// The runs that `data` names, joined as the model wants them; without judgments, labels are 0.
Dataset load_joined(const std::string& data, const FusionInput& input, const std::string& qrels,
                    const Settings& settings);

}  // namespace dorm::cli
