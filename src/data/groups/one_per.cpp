// SPDX-License-Identifier: Apache-2.0
#include "dorm/data/one_per.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <unordered_map>

#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::array<std::string_view, 3> kKeys = {"group", "host", "domain"};

std::string site_of(std::string_view document_id, OnePer::Key key) {
  const std::string host = host_of(document_id);
  return key == OnePer::Key::domain ? registered_domain(host) : host;
}

// Numbers the groups of one query as they come; an empty name is a group of its own.
class Numbering {
 public:
  explicit Numbering(std::uint32_t limit) : limit_(limit) {}

  void add(std::string name) {
    const auto fresh = static_cast<std::uint32_t>(groups_.limit.size());
    const std::uint32_t s = name.empty() ? fresh : number_.try_emplace(std::move(name), fresh).first->second;
    if (s == fresh) groups_.limit.push_back(limit_);
    groups_.group_of.push_back(s);
  }

  GroupLimits take() { return std::move(groups_); }
  bool named() const { return !number_.empty(); }

 private:
  std::uint32_t limit_;
  GroupLimits groups_;
  std::unordered_map<std::string, std::uint32_t> number_;
};

void require_source(const Dataset& data, const OnePer& rule) {
  if (rule.key == OnePer::Key::group && !data.has_groups())
    throw Error(ErrorCode::bad_input,
                "one per group: the data names no groups; expected a group column (in CSV; \"# group = X\" in "
                "LETOR), or host or domain to group by URLs");
  if (rule.key != OnePer::Key::group && !data.has_document_ids())
    throw Error(ErrorCode::bad_input,
                fmt::format("one per {0}: the data has no document ids to read a {0} from; expected URLs as "
                            "document ids, or a group column and one per group",
                            kKeys[static_cast<std::size_t>(rule.key)]));
}

}  // namespace

std::string OnePer::spelling() const {
  const std::string_view name = kKeys[static_cast<std::size_t>(key)];
  return limit == 1 ? std::string(name) : fmt::format("{}:{}", name, limit);
}

OnePer parse_one_per(std::string_view spelling) {
  const std::size_t colon = spelling.find(':');
  const std::string_view name = spelling.substr(0, colon);
  OnePer rule;
  std::size_t row = 0;
  while (row < kKeys.size() && kKeys[row] != name) ++row;
  if (row == kKeys.size())
    throw Error(
        ErrorCode::bad_option,
        fmt::format("one per \"{}\"; expected group, host or domain, followed by :k for at most k of each", spelling));
  rule.key = static_cast<OnePer::Key>(row);
  if (colon == std::string_view::npos) return rule;
  const std::string_view number = spelling.substr(colon + 1);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rule.limit);
  if (error != std::errc() || end != number.data() + number.size() || rule.limit == 0)
    throw Error(ErrorCode::bad_option,
                fmt::format("one per \"{}\": at most \"{}\" of each {} leaves no list; expected a whole number "
                            "from 1 on",
                            spelling, number, name));
  return rule;
}

std::vector<GroupLimits> group_limits(const Dataset& data, const OnePer& rule) {
  require_source(data, rule);
  std::vector<GroupLimits> all;
  bool named = false;
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    Numbering numbering(rule.limit);
    for (std::size_t d = data.first_document(q); d < data.first_document(q + 1); ++d)
      numbering.add(rule.key == OnePer::Key::group ? std::string(data.group(d))
                                                   : site_of(data.document_id(d), rule.key));
    named = named || numbering.named();
    all.push_back(numbering.take());
  }
  if (!named && data.num_documents() > 0)
    throw Error(ErrorCode::bad_input,
                rule.key == OnePer::Key::group
                    ? std::string("one per group: no document of the data has a group")
                    : fmt::format("one per {}: no document id is a URL, the first is \"{}\"; expected ids such "
                                  "as https://example.org/page, or a group column and one per group",
                                  kKeys[static_cast<std::size_t>(rule.key)], data.document_id(0)));
  return all;
}

GroupLimits group_limits(std::span<const std::string_view> document_ids, const OnePer& rule) {
  if (rule.key == OnePer::Key::group)
    throw Error(ErrorCode::bad_option,
                "one per group: a run names no groups; expected host or domain, read from its document ids");
  Numbering numbering(rule.limit);
  for (std::string_view id : document_ids) numbering.add(site_of(id, rule.key));
  return numbering.take();
}

}  // namespace dorm
