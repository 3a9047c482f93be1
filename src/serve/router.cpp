// SPDX-License-Identifier: Apache-2.0
#include "serve/router.h"

#include <algorithm>
#include <optional>

namespace dorm::serve {
namespace {

/// The first part of a path between slashes, which is taken off it.
std::string_view next_part(std::string_view& path) {
  path.remove_prefix(1);
  const std::string_view part = path.substr(0, path.find('/'));
  path.remove_prefix(part.size());
  return part;
}

std::optional<std::vector<std::string_view>> captures(std::string_view pattern, std::string_view path) {
  std::vector<std::string_view> captured;
  while (pattern.starts_with('/') && path.starts_with('/')) {
    const std::string_view wanted = next_part(pattern), given = next_part(path);
    if (wanted.starts_with('{') && !given.empty())
      captured.push_back(given);
    else if (wanted != given)
      return std::nullopt;
  }
  if (!pattern.empty() || !path.empty()) return std::nullopt;
  return captured;
}

}  // namespace

void Router::add(std::string_view method, std::string_view pattern, Handler handler, bool needs_token) {
  routes_.push_back({std::string(method), std::string(pattern), std::move(handler), needs_token});
}

Router::Found Router::find(std::string_view method, std::string_view path) const {
  Found found;
  for (const Route& route : routes_) {
    auto captured = captures(route.pattern, path);
    if (!captured) continue;
    found.allowed += (found.allowed.empty() ? "" : ", ") + route.method;
    if (route.method == "GET") found.allowed += ", HEAD";
    if (route.method != method && !(route.method == "GET" && method == "HEAD")) continue;
    found.handler = &route.handler;
    found.captured = std::move(*captured);
    found.needs_token = route.needs_token;
  }
  return found;
}

}  // namespace dorm::serve
