// SPDX-License-Identifier: Apache-2.0
// Output of the commands: messages, and files that an interrupt does not leave incomplete.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "dorm/apps/report.h"
#include "dorm/dataset.h"
#include "dorm/read.h"
#include "dorm/write.h"
#include "text/messages.h"

namespace dorm::cli {

/// Thrown out of a write when the user or the system asks the process to end.
struct Interrupted {
  int signal;
};

void write_text(const std::string& path, const std::string& text);  // "-": standard output
void write_file(const std::string& path, const std::function<void(std::ostream&)>& body);
/// Format by extension unless it is given.
void write_data(const Dataset& data, const std::string& path, DataFormat format = DataFormat::detect);

/// Returns the result of `body`, which writes files by the given writer. A signal makes the writer throw, so that
/// `body` removes its files; then Interrupted is thrown.
ShardsWritten write_stoppable(const std::function<ShardsWritten(const FileWriter&)>& body);

void make_folder(const std::string& path);  // and those above it, to write to; throws Error(io)
void remove_file(const std::string& path);  // if there is one that can be removed

/// Rows of cells, the first row being the heading; the first column left-aligned, the others right-aligned. The heading
/// is bold and the row numbered `best`, if any, green, for terminals that want it.
std::string aligned(const std::vector<std::vector<std::string>>& rows, std::size_t best = 0);

/// Without the blanks at the ends of lines, which short last cells leave.
std::string without_trailing_blanks(const std::string& text);

using report::bytes_text;

}  // namespace dorm::cli
