// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "data/groups/public_suffix.h"
#include "dorm/data/one_per.h"

namespace dorm {
namespace {

// Second-level names under which the public registers, for the country codes that have them.
constexpr std::array<std::string_view, 12> kSecondLevel = {"ac",  "co",  "com", "edu", "go", "gob",
                                                           "gov", "mil", "ne",  "net", "or", "org"};
constexpr std::array<std::string_view, 32> kCountries = {
    "ar", "au", "bd", "br", "cn", "co", "cy", "eg", "hk", "id", "il", "in", "jo", "jp", "ke", "kr",
    "mx", "my", "ng", "nz", "pe", "ph", "pk", "sa", "sg", "th", "tr", "tw", "ua", "uk", "ve", "za"};

template <std::size_t N>
bool listed(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Where the label that ends before `end` begins.
std::size_t label_begin(std::string_view host, std::size_t end) {
  const std::size_t dot = end == 0 ? std::string_view::npos : host.rfind('.', end - 1);
  return dot == std::string_view::npos ? 0 : dot + 1;
}

}  // namespace

std::size_t registered_begin(const std::string& host) {
  const std::string_view name = host;
  const std::size_t top = label_begin(name, name.size());
  const std::size_t second = top == 0 ? 0 : label_begin(name, top - 1);
  if (second == 0) return 0;
  const bool suffix =
      listed(kCountries, name.substr(top)) && listed(kSecondLevel, name.substr(second, top - 1 - second));
  return suffix ? label_begin(name, second - 1) : second;
}

std::string public_suffixes() { return "short list"; }

}  // namespace dorm
