// SPDX-License-Identifier: Apache-2.0
// Hosts and registered domains of URLs, as far as grouping search results needs them.
#include <algorithm>
#include <array>

#include "dorm/one_per.h"

namespace dorm {
namespace {

// Second-level names under which the public registers, for the country codes that have them. With kCountries they make
// the list of two-label suffixes; a full list is kept by publicsuffix.org.
constexpr std::array<std::string_view, 12> kSecondLevel = {"ac",  "co",  "com", "edu", "go", "gob",
                                                           "gov", "mil", "ne",  "net", "or", "org"};
constexpr std::array<std::string_view, 32> kCountries = {
    "ar", "au", "bd", "br", "cn", "co", "cy", "eg", "hk", "id", "il", "in", "jo", "jp", "ke", "kr",
    "mx", "my", "ng", "nz", "pe", "ph", "pk", "sa", "sg", "th", "tr", "tw", "ua", "uk", "ve", "za"};

template <std::size_t N>
bool listed(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool numeric(std::string_view host) {
  return host.starts_with('[') ||
         std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

// Where the label that ends before `end` begins.
std::size_t label_begin(std::string_view host, std::size_t end) {
  const std::size_t dot = end == 0 ? std::string_view::npos : host.rfind('.', end - 1);
  return dot == std::string_view::npos ? 0 : dot + 1;
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
  if (numeric(host)) return std::string(host);
  const std::size_t top = label_begin(host, host.size());
  const std::size_t second = top == 0 ? 0 : label_begin(host, top - 1);
  if (second == 0) return std::string(host);
  const bool suffix =
      listed(kCountries, host.substr(top)) && listed(kSecondLevel, host.substr(second, top - 1 - second));
  return std::string(host.substr(suffix ? label_begin(host, second - 1) : second));
}

}  // namespace dorm
