// SPDX-License-Identifier: Apache-2.0
// One request and its answer, whatever carries them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dorm/error.h"

namespace dorm::serve {

/// What must be readable behind a body, for the JSON reader: see make_room().
inline constexpr std::size_t kBodyPadding = 64;

/// Room for `size` bytes and the padding.
inline void make_room(std::string& body, std::size_t size) { body.reserve(size + kBodyPadding); }

/// Memory for bodies up to this size stays for the next one.
inline constexpr std::size_t kKeptBody = std::size_t{1} << 18;

struct Request {
  std::string_view method = "GET";
  std::string_view target = "/";  // path and perhaps a query
  std::string_view host = {}, content_type = {}, authorization = {};
  std::string_view json_bytes = {};               // Inference-Header-Content-Length: tensors follow so much JSON
  std::string_view origin = {}, fetch_site = {};  // of a browser: the page that asks
  std::string_view remote = {};                   // the address it came from
  bool must_name_host = true;                     // since HTTP 1.1
  std::string body = {};                          // with room for its padding
};

inline constexpr std::string_view kJson = "application/json", kBinary = "application/octet-stream";

struct Answer {
  int status = 200;
  std::string_view type = kJson;
  std::string body = {};
  std::string model = {}, version = {};                                // which answered; empty: none
  std::vector<std::pair<std::string_view, std::string>> headers = {};  // others
  std::size_t documents = 0;                                           // that were scored
  double score_seconds = 0;
};

/// A request that is refused, with the status that says why. An Error(bad_input) is 400.
class Refusal : public Error {
 public:
  Refusal(int status, const std::string& message) : Error(ErrorCode::bad_input, message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

/// {"error": message}
Answer error_answer(int status, std::string_view message);

}  // namespace dorm::serve
