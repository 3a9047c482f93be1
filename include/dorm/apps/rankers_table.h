// SPDX-License-Identifier: Apache-2.0
// Several rankers as papers print them.
#pragma once

#include <string>

#include "dorm/evaluation/difference.h"

namespace dorm::pages {

/// A table for the package booktabs: the best mean bold, superscripts for the rankers that one is significantly better
/// than. Of a table that tested all pairs. An empty caption: what the marks mean.
std::string rankers_latex(const TestedRankers& tested, const std::string& caption = "");

/// The same as a table of HTML, alone.
std::string rankers_html(const TestedRankers& tested, const std::string& caption = "");

/// The letter of a row: a, b, ..., or a number where letters do not last.
std::string mark_of(std::size_t row, std::size_t rows);

/// What was tested and corrected, of all pairs: "permutation test, Holm's correction for 3 tests per measure".
std::string test_note(const TestedRankers& tested);
/// The same of the differences to the reference.
std::string difference_note(const TestedRankers& tested);

}  // namespace dorm::pages
