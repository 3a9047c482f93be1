// SPDX-License-Identifier: Apache-2.0
#include "serve/gate.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/io/files/file.h"
#include "dorm/apps/serve.h"
#include "dorm/error.h"

namespace dorm::serve {
namespace {

constexpr std::size_t kShortestToken = 16;

bool same_letters(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; });
}

}  // namespace

bool same_secret(std::string_view given, std::string_view secret) {
  if (secret.empty()) return false;
  std::size_t difference = given.size() ^ secret.size();
  for (std::size_t i = 0, k = 0; i < given.size(); ++i, k = k + 1 == secret.size() ? 0 : k + 1)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[k]);
  return difference == 0;
}

bool bears_token(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kScheme = "bearer ";
  if (!same_letters(authorization.substr(0, kScheme.size()), kScheme)) return false;
  return same_secret(authorization.substr(kScheme.size()), token);
}

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

bool names_this_machine(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == std::string_view::npos || (end + 1 < host.size() && host[end + 1] != ':')) return false;
    return host.substr(1, end - 1) == "::1";
  }
  const std::string_view name = host.substr(0, host.find(':'));
  if (same_letters(name, "localhost")) return true;
  return name.starts_with("127.") && name.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool comes_from_elsewhere(const Request& request) {
  if (!request.origin.empty()) {
    const std::size_t sign = request.origin.find("://");
    if (sign == std::string_view::npos || !names_this_machine(request.origin.substr(sign + 3))) return true;
  }
  return request.fetch_site == "cross-site" && request.method != "GET" && request.method != "HEAD";
}

void check_token(std::string_view token) {
  const bool printable = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (token.size() < kShortestToken || !printable)
    throw Error(
        ErrorCode::bad_option,
        fmt::format("no usable token; expected {} or more printable characters without blanks", kShortestToken));
}

std::string read_token(const std::string& path) {
  const std::string text = read_whole_file(path);
  std::string token = text.substr(0, text.find_first_of("\r\n"));
  try {
    check_token(token);
  } catch (const Error& error) {
    throw Error(ErrorCode::bad_input, {path, 1}, fmt::format("{} in the first line", error.what()));
  }
  return token;
}

}  // namespace dorm::serve
