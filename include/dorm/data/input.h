// SPDX-License-Identifier: Apache-2.0
// How data was read: which columns of a table had a meaning, and what stood in for missing values. A Dataset remembers
// it and a Model keeps it, so that what is scored is read as what was trained on.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/encoding.h"

namespace dorm {

/// What NaN and infinite feature values become. keep: NaN, which only trees can use. query_min: the smallest value of
/// the query, since what a retriever did not return is below what it did; the smallest of the training data where the
/// query has none. indicator: the mean, beside a feature that is 1 where the value is missing, of tables only.
enum class Missing { error, zero, mean, keep, query_min, indicator };

/// The columns that are treated unlike the others, by name.
using MissingByColumn = std::map<std::string, Missing, std::less<>>;

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
  /// Of all features, whether or not some were missing: what stands for them. The mean, and under `query_min` the
  /// smallest value.
  FeatureMeans means = {};
  MissingByColumn missing_by_column = {};
  std::vector<ColumnEncoding> encodings = {};  // of tables, fitted

  /// The rule of a feature.
  Missing missing_rule(std::string_view feature) const {
    const auto own = missing_by_column.find(feature);
    return own == missing_by_column.end() ? missing : own->second;
  }
  /// Whether a rule needs `means`.
  bool fills() const;
  /// Whether some feature has this rule.
  bool has_rule(Missing rule) const;

  /// Labels are gains estimated from clicks: only measures that are linear in them are estimated without bias.
  bool of_clicks() const { return columns.label == kClickGain; }

  bool operator==(const InputDescription&) const = default;
};

/// The rule, and the columns that have another: "mean", "mean,bm25=query-min", "price=indicator" (the others: error).
/// Throws Error(bad_option), Error(unknown_name).
struct MissingRules {
  Missing missing = Missing::error;
  MissingByColumn by_column = {};
};
MissingRules parse_missing(std::string_view text);
/// As parse_missing() takes it.
std::string missing_text(Missing missing, const MissingByColumn& by_column = {});
const char* name_of(Missing missing);

}  // namespace dorm
