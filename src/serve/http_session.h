// SPDX-License-Identifier: Apache-2.0
// What a connection says, without its socket: bytes come in, bytes go out. Requests are read by the parser of
// Boost.Beast, one after another, and answered by the Service. No call throws: whatever goes wrong becomes a response
// where one can still be sent, and the end of the connection.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "serve/memory_budget.h"
#include "serve/service.h"

namespace dorm::serve {

std::int64_t nanoseconds_now();  // of a clock that only goes forward
std::int64_t nanoseconds_from_now(double seconds);

class HttpSession {
 public:
  /// What the caller does next: read into room() and call received(); write out() and call sent(); shut down what it
  /// sends and go on reading, so that a client that still sends does not lose the response to a reset; or close.
  enum class Next { read, write, linger, close };

  HttpSession(Service& service, std::string remote, const std::atomic<bool>& stopping);
  ~HttpSession();
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  /// Where the next bytes go; empty: there is no memory for them, and the connection is to be closed.
  std::span<char> room() noexcept;
  Next received(std::size_t size) noexcept;

  /// Valid until sent().
  std::span<const std::string_view> out() const noexcept { return out_; }
  Next sent() noexcept;

  /// Whether the present stage takes longer than it may; from any thread.
  bool late(std::int64_t now) const noexcept { return now > deadline_.load(std::memory_order_relaxed); }
  /// The consequence: a response to a request that is not complete, or the end.
  Next time_is_up() noexcept;

  /// Between two requests.
  bool idle() const noexcept { return stage_ == Stage::idle; }

 private:
  enum class Stage { idle, header, body, answering, lingering };
  struct Input;

  template <class Step>
  Next guarded(const Step& step) noexcept;
  Next fail(int status) noexcept;
  void allow(double seconds) { deadline_.store(nanoseconds_from_now(seconds), std::memory_order_relaxed); }
  void begin_request();
  Next advance();                      // as far as the bytes go: to the end of a request, or to the next read
  std::optional<Next> parse_header();  // nothing: there is more to do
  std::optional<Next> parse_body();
  std::optional<Next> begin_body();    // what refuses the request before its body is read, or asks for the body
  const char* refused_header() const;  // the reason; null: there is none
  Request head() const;                // of the request at hand, without its body; views into the parser
  Next refuse(int status, const std::string& message);
  Next refuse_malformed(int status, const std::string& reason);
  Next answer();
  Next send(Answer answer, bool keep, bool without_body);

  Service& service_;
  const std::atomic<bool>& stopping_;
  const std::string remote_;
  std::unique_ptr<Input> input_;  // what has come, and its parser
  MemoryShare share_;
  Request request_;  // the one at hand: views into the parser
  Stage stage_ = Stage::idle;
  bool keep_ = false, continuing_ = false;
  std::size_t searched_ = 0;  // of the buffer, for the end of the header
  std::atomic<std::int64_t> deadline_ = 0;
  std::string head_, answer_;
  std::array<std::string_view, 2> out_ = {};
};

}  // namespace dorm::serve
