// SPDX-License-Identifier: Apache-2.0
// Figures of training in words, the same on pages and in the terminal.
#pragma once

#include <string>

#include "dorm/train.h"

namespace dorm::pages {

/// What the last round of the chosen candidate took; empty when it was solved in an earlier run.
std::string effort_text(const SolveReport& solve);

/// "ndcg@10, C 100, decay measure, bound best from ridge".
std::string cell_name(const TuneCell& cell);

}  // namespace dorm::pages
