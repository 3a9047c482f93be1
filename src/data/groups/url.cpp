// SPDX-License-Identifier: Apache-2.0
// Hosts and registered domains of URLs, as far as grouping search results needs them.
#include <algorithm>

#include "data/groups/public_suffix.h"
#include "dorm/data/one_per.h"

namespace dorm {
namespace {

bool numeric(std::string_view host) {
  return host.starts_with('[') ||
         std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

}  // namespace

std::string host_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const bool has_scheme = scheme != std::string_view::npos && url.find('/') > scheme;
  if (has_scheme) url.remove_prefix(scheme + 3);
  const std::size_t end = url.find_first_of("/?#");
  if (!has_scheme && (end == std::string_view::npos || url[end] != '/')) return "";
  url = url.substr(0, end);
  if (const std::size_t user = url.rfind('@'); user != std::string_view::npos) url.remove_prefix(user + 1);
  url = url.substr(0, url.find(':', url.starts_with('[') ? std::min(url.find(']'), url.size()) : 0));
  if (!has_scheme && url.find('.') == std::string_view::npos) return "";
  std::string host(url);
  for (char& c : host)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (host.ends_with('.')) host.pop_back();
  return host.starts_with("www.") ? host.substr(4) : host;
}

std::string registered_domain(std::string_view host) {
  const std::string name(host);
  return numeric(host) ? name : name.substr(registered_begin(name));
}

}  // namespace dorm
