// SPDX-License-Identifier: Apache-2.0
// The server: it listens, hands sockets to connections, looks at their deadlines, and ends in good order. This file and
// http_connection.cpp are the ones that see Boost.Asio and Beast; they compile as one.
#include <fmt/format.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <csignal>
#include <thread>
#include <vector>

#include "base/parallel.h"
#include "dorm/apps/serve.h"
#include "dorm/ranking/group_lists.h"
#include "serve/http_connection.h"
#include "serve/reloader.h"
#include "serve/service.h"

namespace dorm::serve {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ErrorOf = boost::system::error_code;

constexpr double kSweepSeconds = 0.25;

}  // namespace

bool available() { return true; }

struct Server::State {
  explicit State(Options given)
      : options(std::move(given)),
        address(parsed(options.address)),
        service(options),
        threads(thread_count(options.threads)),
        context(static_cast<int>(threads)),
        control(asio::make_strand(context)),
        acceptor(control),
        signals(control),
        sweep(control),
        retry(control) {
    listen();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (options.signals) signals.add(signal);  // from now on: whoever knows the port may send one
  }

  static asio::ip::address parsed(const std::string& text) {
    ErrorOf error;
    auto address = asio::ip::make_address(text, error);
    if (error)
      throw Error(ErrorCode::bad_option,
                  fmt::format("the address is {}; expected one in numbers, such as 127.0.0.1 or ::1", text));
    return address;
  }

  void listen() {
    ErrorOf error;
    const tcp::endpoint endpoint(address, options.port);
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw Error(ErrorCode::io,
                  fmt::format("cannot listen at {} port {}: {}", options.address, options.port, error.message()));
  }

  void accept() {
    acceptor.async_accept(asio::make_strand(context), [this](const ErrorOf& error, tcp::socket socket) {
      if (stopping) return;
      if (error) {  // such as too many open files: others will close
        retry.expires_after(std::chrono::milliseconds(50));
        retry.async_wait([this](const ErrorOf& stopped) {
          if (!stopped && !stopping) accept();
        });
        return;
      }
      admit(std::move(socket));
      accept();
    });
  }

  void admit(tcp::socket socket) {
    if (connections.size() < options.limits.connections) {
      std::make_shared<Connection>(std::move(socket), service, connections, stopping)->start();
      return;
    }
    service.metrics().turned_away();
    const std::string text =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
        "Connection: close\r\n\r\n";
    ErrorOf ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  void look_at_deadlines() {
    sweep.expires_after(std::chrono::milliseconds(static_cast<int>(1000 * kSweepSeconds)));
    sweep.async_wait([this](const ErrorOf& error) {
      if (error) return;
      const std::int64_t now = nanoseconds_now();
      for (const auto& each : chosen([now](Connection& connection) { return connection.late(now); })) each->expire();
      if (stopping && (connections.size() == 0 || now > stop_deadline)) return end();
      look_at_deadlines();
    });
  }

  template <class Chosen>
  std::vector<std::shared_ptr<Connection>> chosen(const Chosen& wanted) {
    std::vector<std::shared_ptr<Connection>> list;
    connections.each([&](Connection& connection) {
      if (!wanted(connection)) return;
      if (auto held = connection.weak_from_this().lock()) list.push_back(std::move(held));
    });
    return list;
  }

  void await_signals(Reloader& reloader) {
    signals.async_wait([this, &reloader](const ErrorOf& error, int signal) {
      if (error) return;
      if (signal == SIGHUP)
        reloader.ask();
      else if (stopping)
        return end();
      else
        finish();
      await_signals(reloader);
    });
  }

  /// No more connections; those that wait for a request are closed, the others after theirs.
  void finish() {
    stopping = true;
    stop_deadline = nanoseconds_from_now(options.limits.stop_seconds);
    ErrorOf ignored;
    acceptor.close(ignored);
    retry.cancel();
    for (const auto& each : chosen([](Connection&) { return true; })) each->end_if_idle();
    sweep.cancel();
    poll_for_end();
  }

  void poll_for_end() {
    sweep.expires_after(std::chrono::milliseconds(5));
    sweep.async_wait([this](const ErrorOf& error) {
      if (error) return;
      const std::int64_t now = nanoseconds_now();
      if (connections.size() == 0 || now > stop_deadline) return end();
      for (const auto& each : chosen([now](Connection& connection) { return connection.late(now); })) each->expire();
      poll_for_end();
    });
  }

  void end() { context.stop(); }

  Options options;
  asio::ip::address address;
  Service service;
  std::size_t threads;
  Connections connections;  // outlives the context, whose handlers hold connections
  std::atomic<bool> stopping = false;
  std::atomic<std::int64_t> stop_deadline = 0;
  asio::io_context context;
  asio::strand<asio::io_context::executor_type> control;  // of everything below
  tcp::acceptor acceptor;
  asio::signal_set signals;
  asio::steady_timer sweep, retry;
};

Server::Server(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Server::~Server() = default;

std::string Server::url() const {
  const tcp::endpoint endpoint = state_->acceptor.local_endpoint();
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("http://[{}]:{}", address, endpoint.port())
                                    : fmt::format("http://{}:{}", address, endpoint.port());
}

void Server::run() {
  State& state = *state_;
  Reloader reloader(state.service.store(), state.options.watch_seconds);
  state.await_signals(reloader);
  state.accept();
  state.look_at_deadlines();
  std::vector<std::thread> others;
  for (std::size_t k = 1; k < state.threads; ++k) others.emplace_back([&state] { state.context.run(); });
  state.context.run();
  for (std::thread& other : others) other.join();
  state.signals.clear();
}

void Server::stop() {
  asio::post(state_->control, [this] { state_->finish(); });
}

}  // namespace dorm::serve
