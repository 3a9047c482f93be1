// SPDX-License-Identifier: Apache-2.0
// A connection of a client: it reads requests by the parser of Boost.Beast, one after another, and writes the answers
// of the Service. It lives on a strand and does one thing at a time; whoever holds a handler of it keeps it alive.
// Deadlines are looked at a few times a second for all connections at once, so that requests pay for no timers.
#pragma once

#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "serve/service.h"

namespace dorm::serve {

std::int64_t nanoseconds_now();  // of a clock that only goes forward
std::int64_t nanoseconds_from_now(double seconds);

class Connection;

/// The open connections, for deadlines and the end.
class Connections {
 public:
  void add(Connection* connection);
  void remove(Connection* connection);
  std::size_t size() const;
  template <class Body>
  void each(const Body& body) {
    const std::lock_guard lock(mutex_);
    for (Connection* const connection : open_) body(*connection);
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_set<Connection*> open_;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Error = boost::system::error_code;
  using Socket = boost::asio::ip::tcp::socket;

  Connection(Socket socket, Service& service, Connections& all, const std::atomic<bool>& stopping);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();

  /// From any thread; what follows happens on the strand.
  bool late(std::int64_t now) const { return now > deadline_.load(std::memory_order_relaxed); }
  void expire();
  void end_if_idle();

 private:
  enum class Stage { idle, header, body, answering, lingering, closed };

  void allow(double seconds) { deadline_.store(nanoseconds_from_now(seconds), std::memory_order_relaxed); }
  void begin_request();
  void read();
  void parse();          // as far as the bytes go: to the end of a request, or to the next read
  bool begin_body();     // false: the body is refused before it is read
  Request head() const;  // of the request at hand, without its body; views into the parser
  void refuse_malformed(const Error& error);
  void answer();
  void send(Answer answer, bool keep, bool without_body);
  void linger();
  void time_is_up();
  void close();

  Socket socket_;
  Service& service_;
  Connections& all_;
  const std::atomic<bool>& stopping_;
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  Stage stage_ = Stage::idle;
  std::atomic<std::int64_t> deadline_ = 0;
  std::string remote_, body_, head_, answer_;  // body_: memory for the next one
};

}  // namespace dorm::serve
