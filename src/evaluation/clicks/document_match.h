// SPDX-License-Identifier: Apache-2.0
// Documents of a log among those of a data set, by query and name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dorm/dataset.h"

namespace dorm {

class DocumentMatch {
 public:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// Documents are called by Dataset::document_name(). Throws Error(bad_input) for two of one name in a query.
  explicit DocumentMatch(const Dataset& data);

  std::size_t query(std::string_view id) const;  // kNone: not there
  std::size_t document(std::size_t query, std::string_view name) const;

 private:
  std::unordered_map<std::string_view, std::size_t> query_;
  std::vector<std::vector<std::string>> names_;                               // by query
  std::vector<std::unordered_map<std::string_view, std::size_t>> documents_;  // likewise
};

}  // namespace dorm
