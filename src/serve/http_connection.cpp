// SPDX-License-Identifier: Apache-2.0
#include "serve/http_connection.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <ctime>
#include <utility>

namespace dorm::serve {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::size_t kReadBytes = std::size_t{64} << 10;
constexpr double kLingerSeconds = 2;

std::string_view view(boost::beast::string_view text) { return {text.data(), text.size()}; }

/// "Mon, 16 Nov 2026 14:00:00 GMT", made once a second by each thread.
const std::string& date_text() {
  thread_local std::time_t second = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != second) {
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT", fmt::gmtime(now));
    second = now;
  }
  return text;
}

std::string head_text(const Answer& answer, bool keep_alive) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\nDate: {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\n"
      "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'self'; "
      "frame-ancestors 'none'; base-uri 'none'; form-action 'none'\r\n",
      answer.status, view(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(answer.status)))),
      date_text(), answer.type, answer.body.size());
  if (!answer.version.empty()) fmt::format_to(std::back_inserter(head), "X-Dorm-Model: {}\r\n", answer.version);
  for (const auto& [name, value] : answer.headers) fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace

std::int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t nanoseconds_from_now(double seconds) {
  return nanoseconds_now() + static_cast<std::int64_t>(seconds * 1e9);
}

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

Connection::Connection(Socket socket, Service& service, Connections& all, const std::atomic<bool>& stopping)
    : socket_(std::move(socket)), service_(service), all_(all), stopping_(stopping), buffer_(2 * kReadBytes) {
  Error ignored;
  socket_.set_option(tcp::no_delay(true), ignored);
  const auto from = socket_.remote_endpoint(ignored);
  if (!ignored) remote_ = from.address().to_string();
  all_.add(this);
  service_.metrics().connected(1);
}

Connection::~Connection() {
  all_.remove(this);
  service_.metrics().connected(-1);
}

void Connection::start() {
  allow(service_.limits().header_seconds);
  begin_request();
  read();
}

void Connection::expire() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->time_is_up(); });
}

void Connection::end_if_idle() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->stage_ == Stage::idle) self->close();
  });
}

void Connection::begin_request() {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(service_.limits().header_bytes));
  parser_->body_limit(service_.limits().body_bytes);
  stage_ = Stage::idle;
}

void Connection::read() {
  socket_.async_read_some(buffer_.prepare(kReadBytes),
                          [self = shared_from_this()](const Error& error, std::size_t size) {
                            if (self->stage_ == Stage::closed || self->stage_ == Stage::answering) return;
                            if (self->stage_ == Stage::lingering) return error ? self->close() : self->read();
                            if (error)
                              return self->close();  // an incomplete request has nobody who waits for its answer
                            self->buffer_.commit(size);
                            self->parse();
                          });
}

void Connection::parse() {
  if (stage_ == Stage::idle && buffer_.size() > 0) {
    stage_ = Stage::header;
    allow(service_.limits().header_seconds);
  }
  while (buffer_.size() > 0 && !parser_->is_done()) {
    Error error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::need_more) break;
    if (error) return refuse_malformed(error);
    if (stage_ == Stage::header && parser_->is_header_done() && !begin_body()) return;
  }
  if (parser_->is_done()) return answer();
  read();
}

bool Connection::begin_body() {
  stage_ = Stage::body;
  allow(service_.limits().body_seconds);
  const auto length = parser_->content_length();
  if (length && *length > service_.limits().body_bytes) {
    refuse_malformed(http::error::body_limit);
    return false;
  }
  if (!parser_->is_done())
    if (auto refused = service_.turned_back(head())) {
      send(std::move(*refused), false, false);
      return false;
    }
  auto& request = parser_->get();
  request.body() = std::move(body_);
  request.body().clear();
  make_room(request.body(), length ? static_cast<std::size_t>(*length) : 0);
  parser_->eager(true);
  if (!parser_->is_done() && boost::beast::iequals(request[http::field::expect], "100-continue")) {
    static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    Error ignored;
    socket_.write_some(asio::buffer(kContinue.data(), kContinue.size()), ignored);
  }
  return true;
}

void Connection::refuse_malformed(const Error& error) {
  const bool large = error == http::error::body_limit, long_header = error == http::error::header_limit;
  const Limits& limits = service_.limits();
  const std::string message =
      large         ? fmt::format("the body is too large; expected at most {} bytes", limits.body_bytes)
      : long_header ? fmt::format("the header is too large; expected at most {} bytes", limits.header_bytes)
                    : fmt::format("no valid request: {}", error.message());
  send(service_.refuse(large ? 413 : long_header ? 431 : 400, message, remote_), false, false);
}

Request Connection::head() const {
  const auto& message = parser_->get();
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.host = view(message[http::field::host]);
  request.content_type = view(message[http::field::content_type]);
  request.authorization = view(message[http::field::authorization]);
  request.json_bytes = view(message["Inference-Header-Content-Length"]);
  request.remote = remote_;
  request.must_name_host = message.version() >= 11;
  return request;
}

void Connection::answer() {
  auto& message = parser_->get();
  Request request = head();
  request.body = std::move(message.body());
  const bool keep = message.keep_alive() && !stopping_;
  const bool without_body = request.method == "HEAD";
  Answer answer = service_.answer(request);
  body_ = std::move(request.body);
  if (body_.capacity() > kKeptBody + kBodyPadding) body_ = {};
  send(std::move(answer), keep, without_body);
}

void Connection::send(Answer answer, bool keep, bool without_body) {
  stage_ = Stage::answering;
  allow(service_.limits().body_seconds);
  head_ = head_text(answer, keep);
  answer_ = without_body ? std::string() : std::move(answer.body);
  const std::array<asio::const_buffer, 2> both = {asio::buffer(head_), asio::buffer(answer_)};
  asio::async_write(socket_, both, [self = shared_from_this(), keep](const Error& error, std::size_t) {
    if (error || self->stage_ == Stage::closed) return self->close();
    if (!keep) return self->linger();
    self->allow(self->service_.limits().idle_seconds);
    self->begin_request();
    if (self->stopping_ && self->buffer_.size() == 0) return self->close();
    self->parse();
  });
}

/// A client that still sends must not lose the answer to a reset: what comes is thrown away for a moment.
void Connection::linger() {
  stage_ = Stage::lingering;
  allow(kLingerSeconds);
  Error ignored;
  socket_.shutdown(tcp::socket::shutdown_send, ignored);
  buffer_.consume(buffer_.size());
  read();
}

void Connection::time_is_up() {
  if (!late(nanoseconds_now())) return;  // something has happened since
  if (stage_ != Stage::header && stage_ != Stage::body) return close();
  stage_ = Stage::answering;  // the pending read ends without a word
  Error ignored;
  socket_.cancel(ignored);
  send(service_.refuse(408, "the request did not come in time", remote_), false, false);
}

void Connection::close() {
  stage_ = Stage::closed;
  Error ignored;
  socket_.close(ignored);
}

}  // namespace dorm::serve
