// SPDX-License-Identifier: Apache-2.0
// The body of a request for the parser of Boost.Beast: memory is taken as bytes arrive, not as a header announces them,
// and only as far as the budget goes.
#pragma once

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/optional.hpp>
#include <string>
#include <utility>

#include "serve/exchange.h"
#include "serve/memory_budget.h"

namespace dorm::serve {

struct BudgetedBody {
  struct value_type {
    std::string text;              // with room for its padding
    MemoryShare* share = nullptr;  // null: no byte is accepted
    std::size_t most = 0;          // the length, or what it may be at most

    /// False: the budget does not allow it.
    bool grow(std::size_t size) {
      if (size + kBodyPadding <= text.capacity() && share->resize(text.capacity())) return true;
      const std::size_t wanted = std::min(std::max({size, 2 * text.capacity(), kFirstBytes}), std::max(size, most));
      if (!share->resize(wanted + kBodyPadding)) return false;
      std::string larger;  // a string that grows by itself would take more than was counted
      make_room(larger, wanted);
      larger.append(text);
      text = std::move(larger);
      return true;
    }
  };

  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(boost::beast::http::header<isRequest, Fields>&, value_type& body) : body_(body) {}

    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& error) { error = {}; }

    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& error) {
      error = {};
      const std::size_t size = boost::asio::buffer_size(buffers);
      if (body_.share == nullptr || !body_.grow(body_.text.size() + size)) {
        error = make_error_code(boost::system::errc::not_enough_memory);
        return 0;
      }
      for (auto part = boost::asio::buffer_sequence_begin(buffers); part != boost::asio::buffer_sequence_end(buffers);
           ++part) {
        const boost::asio::const_buffer piece = *part;
        body_.text.append(static_cast<const char*>(piece.data()), piece.size());
      }
      return size;
    }

    void finish(boost::system::error_code& error) { error = {}; }

   private:
    value_type& body_;
  };

 private:
  static constexpr std::size_t kFirstBytes = std::size_t{1} << 14;
};

}  // namespace dorm::serve
