// SPDX-License-Identifier: Apache-2.0
// Judgments and runs as JSON, the form of pytrec_eval and ranx: {"query": {"document": number, ...}, ...}.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace dorm {

/// Whether the first value in the text is a number two objects deep, as in no line of TREC's formats and in no model.
bool begins_as_numbers(std::string_view beginning);
/// The same of the beginning of a file, decompressed.
bool is_nested_numbers_file(const std::string& path);

/// All of a file, decompressed.
std::string text_of_file(const std::string& path);

/// Calls `take` for every number in the order of the text; `what` is what the numbers are, as in "a finite number as
/// score". Throws Error(bad_input) with the line and column of text that is no JSON, or the query and document whose
/// value is something else.
void for_each_nested_number(
    std::string_view text, const std::string& name, std::string_view what,
    const std::function<void(const std::string& query, const std::string& document, double value)>& take);

}  // namespace dorm
