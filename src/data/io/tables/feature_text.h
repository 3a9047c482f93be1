// SPDX-License-Identifier: Apache-2.0
// Feature values as Solr's CSVFeatureLogger writes them: "title=1.5,clicks=3.0".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dorm {

struct LoggedValue {
  std::string_view name;
  std::string_view value;  // a number, NaN or Infinity
};

/// Fills `values`; false: the text cannot be read, or not in one way. Between names and values stands = or :, between
/// features one of , ; | blank and tab (Solr is configured by csvKeyValueDelimiter and csvFeatureSeparator); the first
/// pair of them counts, = before : and , before the others, by which every feature has a name and one number. So a name
/// that has the separators in it is refused, not cut in two. An empty text has no features.
bool split_feature_text(std::string_view text, std::vector<LoggedValue>& values);

}  // namespace dorm
