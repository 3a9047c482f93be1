// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/feature_text.h"

#include <algorithm>

#include "base/number.h"

namespace dorm {
namespace {

bool split_by(char delimiter, char separator, std::string_view text, std::vector<LoggedValue>& values) {
  values.clear();
  for (;;) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view feature = text.substr(0, end);
    const std::size_t middle = feature.find(delimiter);
    if (middle == 0 || middle == std::string_view::npos) return false;
    const std::string_view value = feature.substr(middle + 1);
    double number = 0;
    if (parse_number(value, number) == NumberKind::malformed) return false;
    values.push_back({feature.substr(0, middle), value});
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

bool split_feature_text(std::string_view text, std::vector<LoggedValue>& values) {
  values.clear();
  if (text.empty()) return true;
  for (const char delimiter : {'=', ':'})
    for (const char separator : {',', ';', '|', ' ', '\t'})
      if (split_by(delimiter, separator, text, values)) return true;
  return false;
}

}  // namespace dorm
