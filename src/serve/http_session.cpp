// SPDX-License-Identifier: Apache-2.0
#include "serve/http_session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <chrono>
#include <ctime>
#include <exception>
#include <new>
#include <utility>

#include "serve/http_body.h"

namespace dorm::serve {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t kHeadRead = std::size_t{16} << 10, kBodyRead = std::size_t{64} << 10;
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

/// Where there is no memory for another text.
std::string_view emergency_text(int status) {
  return status == 503 ? "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                       : "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
}

/// Whether the first byte of a request can begin a method; bytes of other protocols cannot.
bool begins_method(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

int status_of(const boost::system::error_code& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  return error == boost::system::errc::not_enough_memory ? 503 : 400;
}

/// Whether a line goes on in the next one, which begins with a blank: the obsolete folding of headers.
bool is_folded(std::string_view header) {
  return header.find("\r\n ") != std::string_view::npos || header.find("\r\n\t") != std::string_view::npos;
}

/// The memory of a body for the next one of this thread.
std::string& spare_body() {
  thread_local std::string spare;
  return spare;
}

}  // namespace

std::int64_t nanoseconds_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t nanoseconds_from_now(double seconds) {
  return nanoseconds_now() + static_cast<std::int64_t>(seconds * 1e9);
}

struct HttpSession::Input {
  boost::beast::flat_buffer buffer;
  std::optional<http::request_parser<BudgetedBody>> parser;
};

HttpSession::HttpSession(Service& service, std::string remote, const std::atomic<bool>& stopping)
    : service_(service),
      stopping_(stopping),
      remote_(std::move(remote)),
      input_(std::make_unique<Input>()),
      share_(service.budget()) {
  allow(service_.limits().header_seconds);
  begin_request();
}

HttpSession::~HttpSession() = default;

template <class Step>
HttpSession::Next HttpSession::guarded(const Step& step) noexcept {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return fail(503);
  } catch (...) {
    return fail(500);
  }
}

HttpSession::Next HttpSession::fail(int status) noexcept {
  service_.metrics().failed();
  stage_ = Stage::answering;
  allow(service_.limits().body_seconds);
  keep_ = continuing_ = false;
  out_ = {emergency_text(status), {}};
  return Next::write;
}

std::span<char> HttpSession::room() noexcept {
  try {
    const auto space = input_->buffer.prepare(stage_ == Stage::body ? kBodyRead : kHeadRead);
    return {static_cast<char*>(space.data()), space.size()};
  } catch (const std::exception&) {
    service_.metrics().failed();
    return {};
  }
}

HttpSession::Next HttpSession::received(std::size_t size) noexcept {
  if (stage_ == Stage::lingering) return Next::read;  // and thrown away
  input_->buffer.commit(size);
  return guarded([this] { return advance(); });
}

void HttpSession::begin_request() {
  auto& parser = input_->parser.emplace();
  parser.header_limit(static_cast<std::uint32_t>(service_.limits().header_bytes + 1));  // seen to before
  parser.body_limit(service_.limits().body_bytes);
  searched_ = 0;
  stage_ = Stage::idle;
}

HttpSession::Next HttpSession::advance() {
  while (!input_->parser->is_done()) {
    if (input_->buffer.size() == 0) return Next::read;
    if (stage_ == Stage::idle) {
      stage_ = Stage::header;
      allow(service_.limits().header_seconds);
    }
    if (const std::optional<Next> next = stage_ == Stage::header ? parse_header() : parse_body()) return *next;
  }
  return answer();
}

/// The parser gets a header as a whole: what it says must not depend on how bytes arrive.
std::optional<HttpSession::Next> HttpSession::parse_header() {
  auto& buffer = input_->buffer;
  const std::size_t most = service_.limits().header_bytes;
  const std::string_view bytes(static_cast<const char*>(buffer.data().data()), std::min(buffer.size(), most));
  if (!begins_method(bytes.front())) return refuse_malformed(400, "bad method");
  const std::size_t end = bytes.find("\r\n\r\n", searched_);
  if (end == std::string_view::npos) {
    searched_ = bytes.size() - std::min<std::size_t>(bytes.size(), 3);
    if (bytes.size() == most) return refuse_malformed(431, "");
    return Next::read;
  }
  const std::string_view header = bytes.substr(0, end + 4);
  boost::system::error_code error;
  input_->parser->put(boost::asio::const_buffer(header.data(), header.size()), error);
  const bool folded = is_folded(header);
  buffer.consume(header.size());
  if (folded) return refuse_malformed(400, "a header is folded; expected one line for each");
  if (error || !input_->parser->is_header_done()) return refuse_malformed(status_of(error), error.message());
  return begin_body();
}

std::optional<HttpSession::Next> HttpSession::parse_body() {
  auto& buffer = input_->buffer;
  // What is no part of the body itself, the header of a chunk or the trailer, must fit as a whole.
  const std::size_t most = service_.limits().header_bytes, size = std::min(buffer.size(), most);
  boost::system::error_code error;
  const std::size_t used = input_->parser->put(boost::asio::const_buffer(buffer.data().data(), size), error);
  buffer.consume(used);
  if (error == http::error::need_more) {
    if (used > 0) return std::nullopt;
    if (size == most) return refuse_malformed(431, "");
    return Next::read;
  }
  if (error) return refuse_malformed(status_of(error), error.message());
  return std::nullopt;
}

const char* HttpSession::refused_header() const {
  const auto& message = input_->parser->get();
  if (message.count(http::field::host) > 1) return "several Host headers; expected one";
  const std::size_t encodings = message.count(http::field::transfer_encoding);
  if (encodings == 0) return nullptr;
  if (message.version() < 11) return "Transfer-Encoding in HTTP/1.0; expected Content-Length";
  if (encodings > 1 || !boost::beast::iequals(message[http::field::transfer_encoding], "chunked"))
    return "an unknown Transfer-Encoding; expected chunked, or Content-Length";
  return nullptr;
}

std::optional<HttpSession::Next> HttpSession::begin_body() {
  stage_ = Stage::body;
  allow(service_.limits().body_seconds);
  auto& parser = *input_->parser;
  auto& message = parser.get();
  if (const char* const reason = refused_header()) return refuse(400, fmt::format("no valid request: {}", reason));
  const auto length = parser.content_length();
  if (length && *length > service_.limits().body_bytes) return refuse_malformed(413, "");
  request_ = head();  // what a trailer says beside it does not count
  keep_ = message.keep_alive();
  if (parser.is_done()) return std::nullopt;
  if (auto refused = service_.turned_back(request_)) return send(std::move(*refused), false, false);
  BudgetedBody::value_type& body = message.body();
  body.text = std::move(spare_body());
  body.text.clear();
  body.share = &share_;
  body.most = length ? static_cast<std::size_t>(*length) : service_.limits().body_bytes;
  parser.eager(true);
  if (message.version() < 11 || !boost::beast::iequals(message[http::field::expect], "100-continue"))
    return std::nullopt;
  continuing_ = true;
  out_ = {"HTTP/1.1 100 Continue\r\n\r\n", {}};
  return Next::write;
}

HttpSession::Next HttpSession::refuse(int status, const std::string& message) {
  return send(service_.refuse(status, message, remote_), false, false);
}

HttpSession::Next HttpSession::refuse_malformed(int status, const std::string& reason) {
  const Limits& limits = service_.limits();
  switch (status) {
    case 413:
      return refuse(status, fmt::format("the body is too large; expected at most {} bytes", limits.body_bytes));
    case 431:
      return refuse(status,
                    fmt::format("the header{} is too large; expected at most {} bytes",
                                stage_ == Stage::header ? "" : " of a chunk, or the trailer,", limits.header_bytes));
    case 503:
      return refuse(status, "too many bodies at once: no memory for this one");
    default:
      return refuse(status, fmt::format("no valid request: {}", reason));
  }
}

Request HttpSession::head() const {
  const auto& message = input_->parser->get();
  Request request;
  request.method = view(message.method_string());
  request.target = view(message.target());
  request.host = view(message[http::field::host]);
  request.content_type = view(message[http::field::content_type]);
  request.authorization = view(message[http::field::authorization]);
  request.origin = view(message[http::field::origin]);
  request.fetch_site = view(message["Sec-Fetch-Site"]);
  request.json_bytes = view(message["Inference-Header-Content-Length"]);
  request.remote = remote_;
  request.must_name_host = message.version() >= 11;
  return request;
}

HttpSession::Next HttpSession::answer() {
  request_.body = std::move(input_->parser->get().body().text);
  const bool without_body = request_.method == "HEAD";
  Answer answer = service_.answer(request_);
  if (request_.body.capacity() <= kKeptBody + kBodyPadding) spare_body() = std::move(request_.body);
  request_.body = {};
  share_.resize(0);
  if (!share_.resize(answer.body.size()))
    answer = service_.refuse(503, "too many bodies at once: no memory for the response", remote_);
  return send(std::move(answer), keep_ && !stopping_, without_body);
}

HttpSession::Next HttpSession::send(Answer answer, bool keep, bool without_body) {
  head_ = head_text(answer, keep);
  answer_ = without_body ? std::string() : std::move(answer.body);
  stage_ = Stage::answering;
  allow(service_.limits().body_seconds);
  keep_ = keep;
  continuing_ = false;
  out_ = {head_, answer_};
  return Next::write;
}

HttpSession::Next HttpSession::sent() noexcept {
  if (std::exchange(continuing_, false)) return guarded([this] { return advance(); });
  answer_ = {};
  share_.resize(0);
  if (!keep_) {
    stage_ = Stage::lingering;
    allow(kLingerSeconds);
    input_->parser.reset();
    input_->buffer.clear();
    return Next::linger;
  }
  return guarded([this] {
    allow(service_.limits().idle_seconds);
    begin_request();
    return stopping_ && input_->buffer.size() == 0 ? Next::close : advance();
  });
}

HttpSession::Next HttpSession::time_is_up() noexcept {
  if (stage_ != Stage::header && stage_ != Stage::body) return Next::close;
  if (continuing_) return Next::close;
  return guarded([this] { return refuse(408, "the request did not come in time"); });
}

}  // namespace dorm::serve
