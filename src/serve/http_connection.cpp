// SPDX-License-Identifier: Apache-2.0
#include "serve/http_connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace dorm::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

}  // namespace

void Connections::add(Connection* connection) {
  const std::lock_guard lock(mutex_);
  open_.insert(connection);
}

void Connections::remove(Connection* connection) {
  const std::lock_guard lock(mutex_);
  open_.erase(connection);
}

std::size_t Connections::size() const {
  const std::lock_guard lock(mutex_);
  return open_.size();
}

std::string Connection::address_of(const Socket& socket) {
  Error ignored;
  const auto from = socket.remote_endpoint(ignored);
  return ignored ? std::string() : from.address().to_string();
}

Connection::Connection(Socket socket, Service& service, Connections& all, const std::atomic<bool>& stopping)
    : socket_(std::move(socket)), service_(service), all_(all), session_(service, address_of(socket_), stopping) {
  Error ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  all_.add(this);
  service_.metrics().connected(1);
}

Connection::~Connection() {
  all_.remove(this);
  service_.metrics().connected(-1);
}

template <class Step>
void Connection::guarded(const Step& step) noexcept {
  try {
    step();
  } catch (...) {
    service_.metrics().failed();
    close();
  }
}

void Connection::start() {
  guarded([this] { read(); });
}

void Connection::expire() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->guarded([&] {
      if (self->closed_ || !self->late(nanoseconds_now())) return;  // something has happened since
      if (self->writing_) return self->close();
      const HttpSession::Next next = self->session_.time_is_up();
      Error ignored;
      self->socket_.cancel(ignored);  // the pending read ends without a word
      self->proceed(next);
    });
  });
}

void Connection::end_if_idle() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->session_.idle()) self->close();
  });
}

void Connection::proceed(HttpSession::Next next) {
  switch (next) {
    case HttpSession::Next::read:
      return read();
    case HttpSession::Next::write:
      return write();
    case HttpSession::Next::linger: {
      Error ignored;
      socket_.shutdown(tcp::socket::shutdown_send, ignored);
      return read();
    }
    case HttpSession::Next::close:
      return close();
  }
}

void Connection::read() {
  const std::span<char> room = session_.room();
  if (room.empty()) return close();
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          [self = shared_from_this()](const Error& error, std::size_t size) {
                            if (self->closed_ || self->writing_) return;
                            if (error == asio::error::operation_aborted) return;  // a read that expire() has ended
                            // An incomplete request has nobody who waits for its response.
                            if (error) return self->close();
                            self->guarded([&] { self->proceed(self->session_.received(size)); });
                          });
}

void Connection::write() {
  writing_ = true;
  const auto parts = session_.out();
  for (std::size_t k = 0; k < out_.size(); ++k) out_[k] = asio::buffer(parts[k].data(), parts[k].size());
  asio::async_write(socket_, out_, [self = shared_from_this()](const Error& error, std::size_t) {
    self->writing_ = false;
    if (error || self->closed_) return self->close();
    self->guarded([&] { self->proceed(self->session_.sent()); });
  });
}

void Connection::close() noexcept {
  closed_ = true;
  Error ignored;
  socket_.close(ignored);
}

}  // namespace dorm::serve
