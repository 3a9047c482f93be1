// SPDX-License-Identifier: Apache-2.0
#include "data/io/records/nested_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "base/number.h"
#include "base/quote.h"
#include "data/io/files/decompress.h"
#include "data/io/files/file.h"
#include "data/io/files/peek.h"
#include "dorm/error.h"

namespace dorm {
namespace {

constexpr std::string_view kShape = R"({"query": {"document": number}})";
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

using Take = std::function<void(const std::string&, const std::string&, double)>;

/// The events of the parser. Without a tree in memory, files of any number of queries take no more than their text.
class NestedNumbers final : public nlohmann::json_sax<Json> {
 public:
  NestedNumbers(std::string_view text, const std::string& name, std::string_view what, const Take& take)
      : text_(text), name_(name), what_(what), take_(take) {}

  bool null() override { refuse("null"); }
  bool boolean(bool value) override { refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return number(value); }
  bool string(string_t& value) override { refuse(in_quotes(value)); }
  bool binary(binary_t& /*value*/) override { refuse("binary data"); }
  bool start_array(std::size_t /*size*/) override { refuse("a list"); }
  bool end_array() override { return true; }
  bool start_object(std::size_t /*size*/) override {
    if (depth_ == 2) refuse("an object");
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool key(string_t& key) override {
    (depth_ == 1 ? query_ : document_) = key;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    // nlohmann counts from 1, and points behind the token that it could not use.
    const std::string_view before = text_.substr(0, std::min(position > 0 ? position - 1 : 0, text_.size()));
    const auto line = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
    if (dynamic_cast<const nlohmann::json::out_of_range*>(&error)) refuse("a number too large for a double");
    throw Error(ErrorCode::bad_input, {name_, line, before.size() - begin + 1},
                fmt::format("not JSON from here on; expected {}", kShape));
  }

 private:
  bool number(double value) {
    if (depth_ != 2 || !std::isfinite(value)) refuse(fmt::format("{}", value));
    take_(query_, document_, value);
    return true;
  }

  [[noreturn]] void refuse(const std::string& found) const {
    if (depth_ == 2)
      throw Error(ErrorCode::bad_input, {name_},
                  fmt::format("query {}, document {}: found {}; expected {}", in_quotes(query_), in_quotes(document_),
                              found, what_));
    throw Error(ErrorCode::bad_input, {name_},
                depth_ == 1 ? fmt::format("query {}: found {}; expected an object with a number per document, as in {}",
                                          in_quotes(query_), found, kShape)
                            : fmt::format("found {}; expected {}", found, kShape));
  }

  std::string_view text_;
  const std::string& name_;
  std::string_view what_;
  const Take& take_;
  std::string query_, document_;
  int depth_ = 0;  // of objects
};

}  // namespace

bool begins_as_numbers(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const auto next = [&text] {  // past blanks
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    return text.empty() ? '\0' : text.front();
  };
  const auto take = [&](char c) {
    if (next() != c) return false;
    text.remove_prefix(1);
    return true;
  };
  const auto take_key = [&] {
    if (!take('"')) return false;
    while (!text.empty() && text.front() != '"')
      text.remove_prefix(std::min<std::size_t>(text.front() == '\\' ? 2 : 1, text.size()));
    return take('"') && take(':');
  };
  if (!take('{')) return false;
  if (next() == '}') return true;
  if (!take_key() || !take('{')) return false;
  if (next() == '}') return true;
  return take_key() && (next() == '-' || is_digit(next()));
}

bool is_nested_numbers_file(const std::string& path) {
  constexpr std::size_t kLookedAt = 4096;
  const std::string head = first_bytes(path, kLookedAt);
  // What cannot be looked at is not JSON.
  if (head.empty()) return false;
  if (compression_of_content(head) == Compression::none) return begins_as_numbers(head);
  std::string text(kLookedAt, '\0');
  text.resize(open_stream(InputFile(path))->read(text.data(), text.size()));
  return begins_as_numbers(text);
}

std::string text_of_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  const std::unique_ptr<ByteStream> stream = open_stream(InputFile(path));
  std::string text;
  for (std::size_t done = 0; done == text.size();) {
    text.resize(done + kPiece);
    const std::size_t count = stream->read(text.data() + done, kPiece);
    done += count;
    if (count < kPiece) {
      text.resize(done);
      break;
    }
  }
  return text;
}

void for_each_nested_number(std::string_view text, const std::string& name, std::string_view what, const Take& take) {
  NestedNumbers numbers(text, name, what, take);
  Json::sax_parse(text, &numbers);
}

}  // namespace dorm
