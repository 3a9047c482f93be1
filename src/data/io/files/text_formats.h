// SPDX-License-Identifier: Apache-2.0
// The readers of text over a source that is open already, for those who had to look at it first.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "data/io/files/row_sink.h"
#include "data/io/files/side_files.h"
#include "data/io/files/text_source.h"
#include "dorm/read.h"

namespace dorm {

Dataset letor_from(TextSource& source, const std::string& name, const SideFiles& sides, const ReadOptions& options,
                   ReadReport* report);
Dataset csv_from(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report);
Dataset jsonl_from(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report);
Dataset feature_log_from(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report);

/// The same with rows that go to a sink. LETOR: every row names its query.
RowsSummary letor_rows(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report,
                       RowSink& sink);
RowsSummary csv_rows(TextSource& source, const std::string& name, const ReadOptions& options, ReadReport* report,
                     RowSink& sink);

/// Opens a file of judged documents and settles its format; nullptr: it is in the binary form.
std::unique_ptr<TextSource> open_dataset(const std::string& path, ReadOptions& options);
/// Reads what was opened.
Dataset read_opened(TextSource* source, const std::string& path, const ReadOptions& options, ReadReport* report);

/// What the beginning of a text looks like; LETOR where nothing else does.
DataFormat format_of_text(std::string_view text);
/// The first line that is neither blank nor a comment, without blanks around it; empty: there is none.
std::string_view first_line_of(std::string_view text);

}  // namespace dorm
