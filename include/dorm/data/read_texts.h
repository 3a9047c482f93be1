// SPDX-License-Identifier: Apache-2.0
// Texts of queries and documents from the file that the data was read from.
#pragma once

#include <string>

#include "dorm/data/texts.h"
#include "dorm/dataset.h"
#include "dorm/read.h"

namespace dorm {

/// Of the file that `data` was read from: CSV, TSV or JSON lines. The text of a query is the first of its rows that has
/// one. Throws Error(bad_option) for a file without named columns, Error(bad_input) for a column that is not there.
ReadableTexts read_texts(const std::string& path, const TextColumns& columns, const Dataset& data,
                         const ReadOptions& reading = {});

}  // namespace dorm
