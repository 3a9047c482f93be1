// SPDX-License-Identifier: Apache-2.0
// Which handler answers which path. Others may add routes: pages that are embedded, further endpoints.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "serve/exchange.h"

namespace dorm::serve {

/// `captured`: what stood in the places of {names}, from left to right.
using Handler = std::function<Answer(Request& request, const std::vector<std::string_view>& captured)>;

class Router {
 public:
  /// `pattern`: "/v1/models/{model}/rank". HEAD is answered wherever GET is. Public routes need no token.
  void add(std::string_view method, std::string_view pattern, Handler handler, bool needs_token = true);

  struct Found {
    const Handler* handler = nullptr;  // null: no such path, or with another method
    std::vector<std::string_view> captured = {};
    std::string allowed = {};  // methods of the path; empty: there is no such path
    bool needs_token = true;
  };
  Found find(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    std::string method, pattern;
    Handler handler;
    bool needs_token;
  };
  std::vector<Route> routes_;
};

}  // namespace dorm::serve
