// SPDX-License-Identifier: Apache-2.0
// The socket of a client: it carries the bytes of an HttpSession. It lives on a strand and does one thing at a time; a
// pending handler keeps it alive. Deadlines are looked at a few times a second for all connections at once, so that
// requests pay for no timers.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "serve/http_session.h"
#include "serve/service.h"

namespace dorm::serve {

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
  bool late(std::int64_t now) const { return session_.late(now); }
  void expire();
  void end_if_idle();

 private:
  static std::string address_of(const Socket& socket);

  template <class Step>
  void guarded(const Step& step) noexcept;  // where no exception may leave: the connection ends instead
  void proceed(HttpSession::Next next);
  void read();
  void write();
  void close() noexcept;

  Socket socket_;
  Service& service_;
  Connections& all_;
  HttpSession session_;
  bool writing_ = false, closed_ = false;
  std::array<boost::asio::const_buffer, 2> out_ = {};
};

}  // namespace dorm::serve
