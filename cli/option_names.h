// SPDX-License-Identifier: Apache-2.0
// Names that options had in an earlier release. They are understood for one more release, with a warning, and stand in
// neither help nor completion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dorm::cli {

/// Replaces old names of this verb's options among the words, which begin after the name of the verb; a warning for
/// each name that was replaced.
std::vector<std::string> rename_old_options(std::string_view verb, std::vector<std::string>& words);

}  // namespace dorm::cli
