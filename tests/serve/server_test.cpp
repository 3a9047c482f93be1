// SPDX-License-Identifier: Apache-2.0
// Clients that are slow, silent or gone: limits of time, which tests of the command would have to wait for.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "dorm/apps/serve.h"
#include "dorm/model.h"
#include "support/message_of.h"
#include "support/temporary_directory.h"

namespace dorm::serve {
namespace {

class Running {
 public:
  explicit Running(Limits limits) {
    Model model;
    model.features = {"x"};
    model.weights = {1};
    model.measure = "ndcg@10";
    save_model(model, folder_.path("m.json"));
    Options options;
    options.models = {{"m", folder_.path("m.json")}};
    options.port = 0;
    options.threads = 2;
    options.limits = limits;
    server_ = std::make_unique<Server>(options);
    thread_ = std::thread([this] { server_->run(); });
  }
  ~Running() {
    server_->stop();
    thread_.join();
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  /// A connected socket.
  int connect() const {
    const std::string url = server_->url();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1))));
    ::inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    return socket;
  }

 private:
  test::TemporaryDirectory folder_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

void send_text(int socket, const std::string& text) {
  ASSERT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

/// All that comes until the server closes.
std::string received(int socket) {
  std::string text;
  char part[4096];
  for (ssize_t size = 0; (size = ::recv(socket, part, sizeof part, 0)) > 0;)
    text.append(part, static_cast<std::size_t>(size));
  ::close(socket);
  return text;
}

TEST(Server, AHeaderThatNeverEndsIsCutOff) {
  const Running running({.header_seconds = 0.05});
  const int socket = running.connect();
  send_text(socket, "GET /v1/models HTTP/1.1\r\nHost: localh");
  const std::string answer = received(socket);
  EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 408");
}

TEST(Server, ABodyThatNeverEndsIsCutOff) {
  const Running running({.body_seconds = 0.05});
  const int socket = running.connect();
  send_text(socket, "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"docum");
  EXPECT_EQ(received(socket).substr(0, 12), "HTTP/1.1 408");
}

TEST(Server, SilentConnectionsAreClosed) {
  const Running running({.header_seconds = 0.05, .idle_seconds = 0.05});
  EXPECT_EQ(received(running.connect()), "");
  const int socket = running.connect();
  send_text(socket, "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string answer = received(socket);
  EXPECT_EQ(answer.substr(0, 15), "HTTP/1.1 200 OK");
  EXPECT_EQ(answer.rfind("HTTP/1.1"), 0u) << "one answer, then the end";
}

TEST(Server, AHundredSlowClientsKeepNobodyWaiting) {
  const Running running({.header_seconds = 60});
  std::vector<int> slow;
  for (int k = 0; k < 100; ++k) {
    slow.push_back(running.connect());
    send_text(slow.back(), "POST /v1/rank HT");
  }
  const int socket = running.connect();
  send_text(socket, "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(received(socket).substr(0, 15), "HTTP/1.1 200 OK");
  for (const int each : slow) ::close(each);
}

TEST(Server, TheEndDoesNotWaitForThoseWhoNeverFinish) {
  int socket = -1;
  {
    const Running running({.stop_seconds = 0.05});
    socket = running.connect();
    send_text(socket, "POST /v1/rank HT");
  }
  EXPECT_EQ(received(socket), "");
}

}  // namespace
}  // namespace dorm::serve
