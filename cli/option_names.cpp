// SPDX-License-Identifier: Apache-2.0
#include "option_names.h"

#include <fmt/format.h>

#include <algorithm>

namespace dorm::cli {
namespace {

struct OldName {
  std::string_view verb, old, now;
};

// One line per name; a line goes when the release after the one that brought it comes out.
constexpr OldName kOldNames[] = {
    {"train", "--format", "--input-format"},   {"tune", "--format", "--input-format"},
    {"compare", "--format", "--input-format"}, {"info", "--format", "--input-format"},
    {"convert", "--format", "--input-format"}, {"factorize", "--max-passes", "--passes"},
};

}  // namespace

std::vector<std::string> rename_old_options(std::string_view verb, std::vector<std::string>& words) {
  std::vector<std::string> warnings;
  for (std::string& word : words) {
    if (word == "--") break;
    const std::size_t end = std::min(word.find('='), word.size());
    const auto* const found = std::find_if(std::begin(kOldNames), std::end(kOldNames), [&](const OldName& name) {
      return name.verb == verb && name.old == std::string_view(word).substr(0, end);
    });
    if (found == std::end(kOldNames)) continue;
    warnings.push_back(fmt::format("{} of dorm {} is called {} now; the old name will go in a later release",
                                   found->old, verb, found->now));
    word.replace(0, end, found->now);
  }
  return warnings;
}

}  // namespace dorm::cli
