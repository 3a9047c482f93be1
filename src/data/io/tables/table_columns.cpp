// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/quote.h"
#include "data/column_guess.h"
#include "data/io/tables/table_encoder.h"

namespace dorm {
namespace {

class ColumnFinder {
 public:
  ColumnFinder(const std::vector<std::string>& header, const SourcePosition& at) : header_(header), at_(at) {}

  std::optional<std::size_t> optional(std::string_view name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end() || name.empty()) return std::nullopt;
    return static_cast<std::size_t>(found - header_.begin());
  }

  /// What is not there is noted for complain().
  std::optional<std::size_t> required(const std::string& name, std::string_view role) {
    const std::optional<std::size_t> place = optional(name);
    if (!place) missing_ += fmt::format("{}no {} column {}", missing_.empty() ? "" : " and ", role, in_quotes(name));
    return place;
  }

  /// A column that may be meant, if there is exactly one, or exactly one of ids.
  void suggest(Remedy::Kind kind, bool (*looks_right)(std::string_view)) {
    std::vector<std::string> fitting;
    std::copy_if(header_.begin(), header_.end(), std::back_inserter(fitting), looks_right);
    if (fitting.size() > 1) std::erase_if(fitting, [](const std::string& name) { return !names_an_id(name); });
    if (fitting.size() == 1) remedies_.push_back({kind, fitting});
  }

  void complain() const {
    if (missing_.empty()) return;
    throw Error(ErrorCode::bad_input, at_, fmt::format("{}; the header has {}", missing_, columns_text(header_)),
                remedies_);
  }

 private:
  const std::vector<std::string>& header_;
  SourcePosition at_;
  std::string missing_;
  std::vector<Remedy> remedies_;
};

std::vector<std::string> single_names(const std::vector<std::string>& asked, ColumnFinder& finder) {
  std::vector<std::string> names;
  for (const std::string& name : asked) {
    if (finder.optional(name)) {
      names.push_back(name);
      continue;
    }
    for (const std::string& each : split_names(name)) {
      finder.required(each, "ignored");
      names.push_back(each);
    }
  }
  return names;
}

/// What was trained on clicks is judged by people, and the other way round: one name replaces the other.
std::string label_or_click_gain(const std::string& asked, const ColumnFinder& finder) {
  const std::string usual = ColumnRoles().label;
  const std::string other = asked == usual ? kClickGain : asked == kClickGain ? usual : std::string();
  return !finder.optional(asked) && finder.optional(other) ? other : asked;
}

}  // namespace

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size() && list[i + 1] == ',')
      names.back() += list[++i];
    else if (list[i] == ',')
      names.emplace_back();
    else
      names.back() += list[i];
  }
  return names;
}

std::vector<std::string> split_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::string& name : split_names(list)) names.push_back(std::move(name));
  return names;
}

std::string columns_text(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    if (list.size() > 200) return list + fmt::format(", ... ({} columns)", names.size());
    list += (list.empty() ? "" : ", ") + in_quotes(name);
  }
  return list;
}

TableColumns find_columns(const std::vector<std::string>& header, const ReadOptions& options,
                          const SourcePosition& at) {
  const ColumnRoles& roles = options.columns;
  ColumnFinder finder(header, at);
  TableColumns found;
  found.roles = roles;
  found.roles.label = label_or_click_gain(roles.label, finder);
  const std::string& label = found.roles.label;
  found.label = options.need_labels ? finder.required(label, "label") : finder.optional(label);
  if (!found.label) finder.suggest(Remedy::Kind::label_column, names_a_label);
  found.query = finder.required(roles.query, "query");
  if (!found.query) finder.suggest(Remedy::Kind::query_column, names_a_query);
  found.document = finder.optional(roles.document);
  found.group = options.need_groups ? finder.required(roles.group, "group") : finder.optional(roles.group);
  found.weight = finder.optional(roles.weight);
  found.roles.ignored = single_names(roles.ignored, finder);
  finder.complain();
  const std::vector<std::string> sources = source_columns(options);
  std::set<std::string_view> wanted(options.features.begin(), options.features.end());
  wanted.insert(sources.begin(), sources.end());
  const std::set<std::string_view> ignored(found.roles.ignored.begin(), found.roles.ignored.end());
  for (std::size_t place = 0; place < header.size(); ++place) {
    const bool has_meaning = place == found.label || place == found.query || place == found.document ||
                             place == found.group || place == found.weight;
    if (has_meaning || header[place].empty() || ignored.contains(header[place])) continue;
    if (wanted.empty() || wanted.contains(header[place])) found.features.push_back(place);
  }
  return found;
}

}  // namespace dorm
