// SPDX-License-Identifier: Apache-2.0
// A connection without a socket: bytes go into a session, and what it sends is kept.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "serve/http_session.h"

namespace dorm::test {

/// The statuses of all responses in these bytes, which hold responses and nothing else; -1 where they do not.
inline std::vector<int> statuses_of(std::string_view sent) {
  std::vector<int> statuses;
  while (!sent.empty()) {
    const std::size_t head = sent.find("\r\n\r\n"), length = sent.find("Content-Length: ");
    if (!sent.starts_with("HTTP/1.1 ") || head == std::string_view::npos) return {-1};
    statuses.push_back(std::atoi(sent.data() + 9));
    const std::size_t body = length < head ? static_cast<std::size_t>(std::atoll(sent.data() + length + 16)) : 0;
    sent.remove_prefix(head + 4);
    if (!sent.starts_with("HTTP/1.1 ")) sent.remove_prefix(std::min(body, sent.size()));  // none after HEAD
  }
  return statuses;
}

inline std::string without_dates(std::string text) {
  for (std::size_t at = 0; (at = text.find("\r\nDate: ", at)) != std::string::npos;)
    text.erase(at, text.find("\r\n", at + 2) - at);
  return text;
}

class InMemoryConnection {
 public:
  explicit InMemoryConnection(serve::Service& service) : session_(service, "127.0.0.1", stopping_) {}

  /// As many reads as these bytes take; what comes after the end is lost, as on a socket.
  void receive(std::string_view bytes) {
    while (!bytes.empty() && !closed_) {
      const std::span<char> room = session_.room();
      if (room.empty()) std::abort();
      const std::size_t size = std::min(room.size(), bytes.size());
      std::copy_n(bytes.data(), size, room.data());
      bytes.remove_prefix(size);
      act(session_.received(size));
    }
  }
  void wait_too_long() { act(session_.time_is_up()); }

  const std::string& sent() const { return sent_; }
  bool closed() const { return closed_; }

 private:
  using Next = serve::HttpSession::Next;

  void act(Next next) {
    for (; next == Next::write; next = session_.sent())
      for (const std::string_view part : session_.out()) sent_ += part;
    closed_ |= next == Next::linger || next == Next::close;
  }

  std::atomic<bool> stopping_ = false;
  serve::HttpSession session_;
  std::string sent_;
  bool closed_ = false;
};

}  // namespace dorm::test
