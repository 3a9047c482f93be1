// SPDX-License-Identifier: Apache-2.0
// Connections in memory: arbitrary bytes in arbitrary pieces.
#include "serve/http_session.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "in_memory_connection.h"
#include "support/temporary_directory.h"

namespace dorm::serve {
namespace {

using test::InMemoryConnection;

class HttpSessionTest : public testing::Test {
 protected:
  HttpSessionTest() {
    Model model;
    model.features = {"x", "y"};
    model.weights = {1, 10};
    model.measure = "ndcg@10";
    save_model(model, folder_.path("m.json"));
    options_.models = {{"m", folder_.path("m.json")}};
    options_.limits.header_bytes = 2000;
    options_.limits.body_bytes = 5000;
  }

  Service& service() {
    if (!service_) service_ = std::make_unique<Service>(options_);
    return *service_;
  }

  /// All that the server sends for these bytes, which arrive as far as `ends` say, without the lines of the time.
  std::string said(std::string_view bytes, std::span<const std::size_t> ends = {}) {
    InMemoryConnection connection(service());
    std::size_t at = 0;
    for (const std::size_t end : ends) {
      connection.receive(bytes.substr(at, end - at));
      at = end;
    }
    connection.receive(bytes.substr(at));
    return test::without_dates(connection.sent());
  }

  std::vector<int> statuses(std::string_view bytes) { return test::statuses_of(said(bytes)); }

  test::TemporaryDirectory folder_;
  Options options_;
  std::unique_ptr<Service> service_;
};

const std::string kBody = R"({"documents":[{"id":"a","values":[1,2]},{"id":"b","values":[3,4]}]})";

std::string post_with(const std::string& headers, const std::string& body) {
  return "POST /v1/rank HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body;
}

std::string chunked(const std::string& body, const std::string& extension = "", const std::string& trailer = "") {
  const std::size_t half = body.size() / 2;
  return post_with("Transfer-Encoding: chunked\r\n",
                   fmt::format("{:x}{}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n{}\r\n", half, extension, body.substr(0, half),
                               body.size() - half, body.substr(half), trailer));
}

std::string post(const std::string& body = kBody) {
  return post_with(fmt::format("Content-Length: {}\r\n", body.size()), body);
}

const std::string kGet = "GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

using Statuses = std::vector<int>;

TEST_F(HttpSessionTest, RequestsAreAnsweredInTheirOrder) {
  EXPECT_EQ(statuses(post() + kGet + chunked(kBody) + "GET /no HTTP/1.1\r\nHost: localhost\r\n\r\n" + kGet),
            (Statuses{200, 200, 200, 404, 200}));
}

TEST_F(HttpSessionTest, AHeaderOfAChunkOrATrailerHasTheLimitOfAHeader) {
  const std::string head = "Transfer-Encoding: chunked\r\n";
  EXPECT_EQ(statuses(chunked(kBody, ";a=" + std::string(1500, 'x')) + kGet), (Statuses{200, 200}));
  EXPECT_EQ(statuses(chunked(kBody, ";a=" + std::string(2000, 'x')) + kGet), (Statuses{431}));
  EXPECT_EQ(statuses(chunked(kBody, ";a=" + std::string(200'000, 'x'))), (Statuses{431}));
  EXPECT_EQ(statuses(post_with(head, "5;a=" + std::string(200'000, 'x'))), (Statuses{431}));
  EXPECT_EQ(statuses(post_with(head, std::string(200'000, '0'))), (Statuses{431}));
  EXPECT_EQ(statuses(chunked(kBody, "", "A: " + std::string(200'000, 'x') + "\r\n")), (Statuses{431}));
  EXPECT_EQ(statuses(chunked(kBody, "", "A: b\r\n") + kGet), (Statuses{200, 200}));
}

TEST_F(HttpSessionTest, ManyShortHeadersHaveTheLimitOfOneLongOne) {
  std::string many;
  for (int k = 0; k < 1000; ++k) many += fmt::format("A{}: b\r\n", k);
  EXPECT_EQ(statuses("GET / HTTP/1.1\r\nHost: localhost\r\n" + many + "\r\n"), (Statuses{431}));
}

TEST_F(HttpSessionTest, ATrailerDoesNotReplaceAHeader) {
  options_.token = "0123456789abcdef";
  EXPECT_EQ(statuses(chunked(kBody, "", "Authorization: Bearer 0123456789abcdef\r\n")), (Statuses{401}));
}

TEST_F(HttpSessionTest, AnUnknownTransferEncodingEndsTheConnection) {
  for (const char* coding : {"gzip", "xchunked", "chunked, gzip", "gzip, chunked", "identity", "chunked, chunked", ""})
    EXPECT_EQ(statuses(post_with(fmt::format("Transfer-Encoding: {}\r\n", coding), kGet)), (Statuses{400})) << coding;
  EXPECT_EQ(statuses(post_with("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + kGet)),
            (Statuses{400}));
  EXPECT_EQ(statuses(post_with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n" + kGet)),
            (Statuses{400}));
  EXPECT_EQ(statuses("POST /v1/rank HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + kGet), (Statuses{400}));
}

TEST_F(HttpSessionTest, SeveralHostsAndFoldedHeadersEndTheConnection) {
  EXPECT_EQ(statuses("GET /v2 HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n" + kGet), (Statuses{400}));
  EXPECT_EQ(statuses("GET /v2 HTTP/1.1\r\nHost: localhost\r\nA: b\r\n c\r\n\r\n" + kGet), (Statuses{400}));
  EXPECT_EQ(statuses("GET /v2 HTTP/1.1\r\nHost: localhost\r\nA: b\r\n\tc\r\n\r\n" + kGet), (Statuses{400}));
  EXPECT_EQ(statuses("GET /v2 HTTP/1.1\r\n Host: localhost\r\n\r\n" + kGet), (Statuses{400}));
  EXPECT_EQ(statuses("GET /v2 HTTP/1.1\r\nHost : localhost\r\n\r\n" + kGet), (Statuses{400}));
}

TEST_F(HttpSessionTest, WhatIsKnownBeforeTheBodyIsAnsweredBeforeIt) {
  const auto with_body = [](const std::string& line) {
    return line + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\n";
  };
  EXPECT_EQ(statuses(with_body("GET /v2/health/live")), (Statuses{413})) << "it needs no token, and takes no body";
  EXPECT_EQ(statuses(with_body("POST /nowhere")), (Statuses{404}));
  EXPECT_EQ(statuses(with_body("DELETE /v1/rank")), (Statuses{405}));
  EXPECT_EQ(statuses(with_body("POST /v1/rank")), (Statuses{})) << "its body is waited for";
  EXPECT_EQ(statuses(post(std::string(5001, ' '))), (Statuses{413}));
  EXPECT_EQ(statuses(chunked(std::string(10'001, ' '))), (Statuses{413}));
  EXPECT_EQ(statuses(post_with("Expect: 100-continue\r\nContent-Length: 5\r\n", "")), (Statuses{100}));
}

TEST_F(HttpSessionTest, BodiesShareABudget) {
  options_.limits.body_bytes = 200'000;
  options_.limits.memory_bytes = 500'000;
  const std::string body = kBody + std::string(199'000 - kBody.size(), ' ');
  const std::string part = post(body).substr(0, 199'000);
  {
    InMemoryConnection first(service()), second(service()), third(service());
    first.receive(part);
    second.receive(part);
    EXPECT_LE(service().budget().used(), 500'000u);
    third.receive(part);
    EXPECT_EQ(test::statuses_of(third.sent()), (Statuses{503}));
    EXPECT_EQ(test::statuses_of(said(kGet)), (Statuses{200}));
    first.receive(post(body).substr(199'000));
    EXPECT_EQ(test::statuses_of(first.sent()), (Statuses{200}));
    EXPECT_EQ(test::statuses_of(said(post(body))), (Statuses{200})) << "there is room again";
  }
  EXPECT_EQ(service().budget().used(), 0u);
}

TEST_F(HttpSessionTest, AnAnnouncedBodyTakesNoMemoryBeforeItComes) {
  options_.limits.body_bytes = 8'000'000;
  options_.limits.memory_bytes = 9'000'000;
  std::vector<std::unique_ptr<InMemoryConnection>> many;
  for (int k = 0; k < 300; ++k) {
    many.push_back(std::make_unique<InMemoryConnection>(service()));
    many.back()->receive(post_with("Content-Length: 8000000\r\n", ""));
  }
  EXPECT_LT(service().budget().used(), 1'000'000u);
  EXPECT_EQ(statuses(post()), (Statuses{200}));
}

TEST_F(HttpSessionTest, AnIncompleteRequestIsAnsweredWhenItsTimeIsUp) {
  for (const std::string& part : {post().substr(0, 20), post().substr(0, post().size() - 5)}) {
    InMemoryConnection connection(service());
    connection.receive(part);
    connection.wait_too_long();
    EXPECT_EQ(test::statuses_of(connection.sent()), (Statuses{408}));
    EXPECT_TRUE(connection.closed());
  }
  InMemoryConnection idle(service());
  idle.wait_too_long();
  EXPECT_EQ(idle.sent(), "");
  EXPECT_TRUE(idle.closed());
}

/// Well-formed requests with bytes changed, repeated, removed and inserted, or none.
std::string some_bytes(std::mt19937& random) {
  static const std::vector<std::string> pieces = {
      post(),
      kGet,
      chunked(kBody),
      chunked(kBody, ";a=b", "A: b\r\n"),
      "\r\n",
      "0\r\n\r\n",
      " ",
      "Host: localhost\r\n",
      post_with("Expect: 100-continue\r\nContent-Length: 67\r\n", kBody),
      "Transfer-Encoding: chunked\r\n",
      "Content-Length: 3\r\n",
      "GET /v2 HTTP/1.0\r\n\r\n",
      "HEAD /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /v1/models/m HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      std::string(2500, 'x')};
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::string bytes;
  for (std::size_t k = 1 + below(4); k > 0; --k) bytes += pieces[below(pieces.size())];
  for (std::size_t k = below(4); k > 0; --k) {
    const std::size_t at = below(bytes.size());
    switch (below(4)) {
      case 0:
        bytes[at] = static_cast<char>(below(256));
        break;
      case 1:
        bytes.erase(at, below(20));
        break;
      case 2:
        bytes.insert(at, pieces[below(pieces.size())]);
        break;
      default:
        bytes.insert(at, bytes.substr(at, below(300)));
    }
    if (bytes.empty()) bytes = kGet;
  }
  return bytes;
}

TEST_F(HttpSessionTest, TheResponsesDoNotDependOnHowBytesArrive) {
  std::mt19937 random(7);
  int answered = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string bytes = some_bytes(random);
    const std::string whole = said(bytes);
    for (const int status : test::statuses_of(whole)) {
      EXPECT_NE(status, 500) << bytes;
      answered += status == 200;
    }
    std::vector<std::size_t> ends;
    const std::size_t step = 1 + random() % (round % 10 == 0 ? 1 : 200);
    for (std::size_t end = random() % step; end < bytes.size(); end += 1 + random() % step) ends.push_back(end);
    ASSERT_EQ(said(bytes, ends), whole) << "round " << round << "\n" << bytes;
  }
  EXPECT_GT(answered, 1000);
  EXPECT_EQ(service().budget().used(), 0u);
}

}  // namespace
}  // namespace dorm::serve
