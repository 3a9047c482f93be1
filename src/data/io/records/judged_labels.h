// SPDX-License-Identifier: Apache-2.0
// Labels from a file of judgments.
#pragma once

#include <string>

#include "dorm/read.h"

namespace dorm {

/// The data of the file `path` with the labels of options.judgments, -1 where there is none; warnings count what only
/// one of the two has. Throws Error(bad_input) for documents without ids, a document judged twice, and judgments of
/// which none fits.
Dataset with_judgments(const Dataset& data, const std::string& path, const ReadOptions& options, ReadReport* report);

}  // namespace dorm
