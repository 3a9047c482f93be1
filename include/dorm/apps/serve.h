// SPDX-License-Identifier: Apache-2.0
// Models behind HTTP: what `dorm serve` runs. docs/serve.md is the guide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dorm::serve {

/// A model and what requests call it: letters, digits, '.', '_' and '-'.
struct ModelFile {
  std::string name, path;
};

/// What one client can take. Beyond a limit a request is refused, and nothing of it is kept.
struct Limits {
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{8} << 20;
  std::size_t memory_bytes = std::size_t{256} << 20;  // of the bodies of all requests and responses in flight
  std::size_t documents = 10'000;                     // of one request
  std::size_t connections = 1'024;                    // open at a time
  double header_seconds = 5;                          // from the first byte of a request to the end of its header
  double body_seconds = 30;                           // from there to its last byte; and for the answer
  double idle_seconds = 60;                           // between requests
  double stop_seconds = 10;  // for requests in hand when the server is to stop; the end takes two more
};

class Router;  // src/serve/router.h

using Say = std::function<void(std::string_view line)>;

struct Options {
  std::vector<ModelFile> models;      // the first that fits serves requests that name none
  std::string address = "127.0.0.1";  // a number; one that is not loopback needs a token
  std::uint16_t port = 8080;          // 0: any that is free
  std::string token;                  // what requests must bear; empty: none is asked for
  std::size_t threads = 0;            // 0: all cores
  double watch_seconds = 1;           // how often files are looked at; 0: never
  bool signals = true;                // run() looks after SIGINT, SIGTERM and SIGHUP; else the caller does
  Limits limits;
  std::function<void(Router& router)> routes;  // in place of all endpoints about models, where it is given
  Say log;  // one JSON object per request, by a thread of its own; lines that it cannot take in time are dropped
  Say say;  // what happens to models and threads while the server runs; from any thread, one at a time
};

/// The token of a file: its first line, which Server accepts as token. Throws Error(bad_input) or Error(io).
std::string read_token(const std::string& path);

/// Whether this build has the server: it needs simdjson.
bool available();

class Server {
 public:
  /// Loads the models and listens. Throws Error: a model that cannot be read, an address that cannot be had,
  /// unsupported where the server is not available().
  explicit Server(Options options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string url() const;  // "http://127.0.0.1:8080"

  /// Answers requests until SIGINT, SIGTERM or stop(), then finishes those in hand. SIGHUP reads the models again.
  /// Signals count where options.signals says so. False: some requests are still being worked on after the time that
  /// limits.stop_seconds gives them, or after a second signal; the destructor waits for them.
  bool run();
  void stop();  // from any thread

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dorm::serve
