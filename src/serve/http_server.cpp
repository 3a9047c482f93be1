// SPDX-License-Identifier: Apache-2.0
// The server: it listens, hands sockets to connections, looks at their deadlines, and ends in good order. The thread
// that calls run() does that and nothing else, so that signals and deadlines wait for no request; workers serve the
// connections. This file, http_connection.cpp and http_session.cpp are those that see Boost.Asio and Beast; they
// compile as one.
#include <fmt/format.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
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

constexpr auto kSweep = std::chrono::milliseconds(250), kSweepAtTheEnd = std::chrono::milliseconds(5);
constexpr double kRetrySeconds = 0.05;  // after a failed accept, such as too many open files: others will close
constexpr double kLastSeconds = 0.5;    // for workers, after the connections

}  // namespace

bool available() { return true; }

struct Server::State {
  explicit State(Options given)
      : options(std::move(given)),
        address(parsed(options.address)),
        service(options),
        threads(thread_count(options.threads)),
        context(static_cast<int>(threads)),
        acceptor(control),
        signals(control) {
    listen();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
      if (options.signals) signals.add(signal);  // from now on: one may come as soon as the port is known
  }

  ~State() {
    context.stop();
    for (std::thread& worker : workers) worker.join();
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

  /// Whatever is thrown is counted, and the server goes on.
  template <class Step>
  void guarded(const Step& step) noexcept {
    try {
      step();
    } catch (...) {
      service.metrics().failed();
    }
  }

  void start_workers() {
    const auto work = [this] {
      for (bool left = false; !left;)
        guarded([&] {
          context.run();
          left = true;
        });
      const std::lock_guard lock(mutex);
      --working;
      worker_left.notify_one();
    };
    for (std::size_t k = 0; k < threads; ++k) {
      try {
        workers.reserve(workers.size() + 1);
        {
          const std::lock_guard lock(mutex);
          ++working;
        }
        workers.emplace_back(work);
      } catch (const std::exception& error) {  // the system has no more
        {
          const std::lock_guard lock(mutex);
          --working;
        }
        service.metrics().failed();
        if (options.say)
          guarded([&] {
            options.say(fmt::format("{} of {} threads could be started: {}", workers.size(), threads, error.what()));
          });
        break;
      }
    }
  }

  void accept() {
    acceptor.async_accept(asio::make_strand(context), [this](const ErrorOf& error, tcp::socket socket) {
      accepting = false;
      if (stopping) return;
      if (error) {
        accept_after = nanoseconds_from_now(kRetrySeconds);
        return;
      }
      guarded([&] { admit(std::move(socket)); });
      arm();
    });
    accepting = true;
  }

  void await_signals() {
    signals.async_wait([this](const ErrorOf& error, int signal) {
      awaiting = false;
      if (error) return;
      if (signal == SIGHUP && reloader)
        reloader->ask();
      else if (signal != SIGHUP && stopping)
        ended = true;
      else if (signal != SIGHUP)
        finish();
      if (stopping) control.stop();  // tend() follows at once
      arm();
    });
    awaiting = true;
  }

  /// What is to be waited for; again after a failure.
  void arm() {
    guarded([this] {
      if (!stopping && !accepting && nanoseconds_now() > accept_after) accept();
    });
    guarded([this] {
      if (!awaiting) await_signals();
    });
  }

  void admit(tcp::socket socket) {
    if (connections.size() < options.limits.connections) {
      std::make_shared<Connection>(std::move(socket), service, connections, stopping)->start();
      return;
    }
    service.metrics().turned_away();
    const std::string_view text =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 1\r\n"
        "Connection: close\r\n\r\n";
    ErrorOf ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text.data(), text.size()), ignored);
    socket.shutdown(tcp::socket::shutdown_send, ignored);
  }

  template <class Chosen, class Act>
  void for_each_chosen(const Chosen& wanted, const Act& act) {
    std::vector<std::shared_ptr<Connection>> list;
    connections.each([&](Connection& connection) {
      if (!wanted(connection)) return;
      if (auto held = connection.weak_from_this().lock()) list.push_back(std::move(held));
    });
    for (const auto& each : list) act(*each);
  }

  /// A few times a second.
  void tend() {
    if (stop_asked && !stopping) finish();
    arm();
    const std::int64_t now = nanoseconds_now();
    for_each_chosen([now](Connection& connection) { return connection.late(now); },
                    [](Connection& connection) { connection.expire(); });
    if (stopping && (connections.size() == 0 || now > stop_deadline)) ended = true;
  }

  /// No more connections; those that wait for a request are closed, the others after theirs.
  void finish() {
    stopping = true;
    stop_deadline = nanoseconds_from_now(options.limits.stop_seconds);
    ErrorOf ignored;
    acceptor.close(ignored);
    for_each_chosen([](Connection&) { return true; }, [](Connection& connection) { connection.end_if_idle(); });
  }

  bool run() {
    reloader.emplace(service.shared_store(), options.watch_seconds);
    const auto open = asio::make_work_guard(control), serving = asio::make_work_guard(context);
    start_workers();
    arm();
    while (!ended) {
      const auto pause = stopping ? kSweepAtTheEnd : kSweep;
      guarded([&] {
        control.restart();
        if (!workers.empty()) {
          control.run_for(pause);
          return;
        }
        control.poll();  // not a single worker could be started: this thread serves
        context.run_for(kSweepAtTheEnd);
      });
      guarded([this] { tend(); });
    }
    context.stop();
    reloader.reset();
    ErrorOf ignored;
    signals.clear(ignored);
    std::unique_lock lock(mutex);
    return worker_left.wait_for(lock, std::chrono::duration<double>(kLastSeconds), [this] { return working == 0; });
  }

  Options options;
  asio::ip::address address;
  Service service;
  std::size_t threads;
  Connections connections;  // outlives the contexts, whose handlers hold connections
  std::atomic<bool> stopping = false, stop_asked = false;
  asio::io_context context;     // of the connections; outlives control, whose pending accept holds a socket of it
  asio::io_context control{1};  // of everything below, by one thread
  tcp::acceptor acceptor;
  asio::signal_set signals;
  std::optional<Reloader> reloader;
  bool accepting = false, awaiting = false, ended = false;
  std::int64_t accept_after = 0, stop_deadline = 0;
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable worker_left;
  std::size_t working = 0;  // with the mutex held
};

Server::Server(Options options) : state_(std::make_unique<State>(std::move(options))) {}
Server::~Server() = default;

std::string Server::url() const {
  const tcp::endpoint endpoint = state_->acceptor.local_endpoint();
  const std::string address = endpoint.address().to_string();
  return endpoint.address().is_v6() ? fmt::format("http://[{}]:{}", address, endpoint.port())
                                    : fmt::format("http://{}:{}", address, endpoint.port());
}

bool Server::run() { return state_->run(); }

void Server::stop() {
  state_->stop_asked = true;  // seen within a quarter of a second, even where there is no memory to post
  try {
    asio::post(state_->control, [this] {
      if (!state_->stopping) state_->guarded([this] { state_->finish(); });
      state_->control.stop();
    });
  } catch (const std::exception&) {
  }
}

}  // namespace dorm::serve
