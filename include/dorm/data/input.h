// SPDX-License-Identifier: Apache-2.0
// How data was read: which columns of a table had a meaning, and what stood in for missing values. A Dataset remembers
// it and a Model keeps it, so that what is scored is read as what was trained on.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dorm {

/// What NaN and infinite feature values become. keep: NaN, which only trees can use.
enum class Missing { error, zero, mean, keep };

/// Columns of a table that have a meaning; every other column is a feature.
struct ColumnRoles {
  std::string label = "label";
  std::string query = "qid";
  std::string document = "docid";  // this and the next two: optional in the file
  std::string group = "group";
  std::string weight = "weight";  // constant within a query
  std::vector<std::string> ignored = {};

  bool operator==(const ColumnRoles&) const = default;
};

/// Means of features by name.
using FeatureMeans = std::map<std::string, double, std::less<>>;

/// Other names of features, by name.
using FeatureNames = std::map<std::string, std::string, std::less<>>;

/// The name of a column of labels that are gains estimated from clicks. Where there is no other column of labels it is
/// taken without being asked for, and the name says from then on what the labels are.
inline constexpr const char* kClickGain = "click_gain";

struct InputDescription {
  ColumnRoles columns = {};          // of tables
  Missing missing = Missing::error;  // how missing values were treated
  FeatureMeans means = {};           // what they became under `mean`: of all features, whether or not some were missing

  /// Labels are gains estimated from clicks: only measures that are linear in them are estimated without bias.
  bool of_clicks() const { return columns.label == kClickGain; }

  bool operator==(const InputDescription&) const = default;
};

}  // namespace dorm
