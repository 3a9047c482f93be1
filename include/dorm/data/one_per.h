// SPDX-License-Identifier: Apache-2.0
// "At most one per site": where the groups of documents come from, and how many of each a list may show.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dorm/data/judgments.h"
#include "dorm/dataset.h"

namespace dorm {

/// Spelled `group`, `host` or `domain`, with `:k` for at most k of each instead of one.
///   group    the group the data names (a column, or the comment of a LETOR line)
///   host     the host of the document id, read as a URL; www. is left out
///   domain   the registered domain of that host
/// A document without a group, or whose id is no URL, is a group of its own.
struct OnePer {
  enum class Key { group, host, domain };
  Key key = Key::group;
  std::uint32_t limit = 1;

  std::string spelling() const;  // "host", "domain:2"
};

/// Throws Error(bad_option).
OnePer parse_one_per(std::string_view spelling);

/// The groups of every query of `data`. Throws Error(bad_input) when the data has none: no group column, no document
/// ids, or ids that are no URLs.
std::vector<GroupLimits> group_limits(const Dataset& data, const OnePer& rule);

/// The same for one query known by its document ids only. Throws Error(bad_option) for `group`.
GroupLimits group_limits(std::span<const std::string_view> document_ids, const OnePer& rule);

/// The host of a URL in lower case, without user, port and a leading "www."; empty when `url` is not a URL. A URL has
/// "://", or a slash after a name with a dot.
std::string host_of(std::string_view url);

/// The part of a host that can be registered: a public suffix such as org or co.uk and the label before it. Numeric
/// addresses and public suffixes stay whole.
std::string registered_domain(std::string_view host);

/// Where the public suffixes come from: "libpsl 0.21.2", the list of publicsuffix.org, or "short list"
/// (docs/diversity.md).
std::string public_suffixes();

}  // namespace dorm
