// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/line_reader.h"

namespace dorm {

bool LineReader::next(std::string_view& line) {
  while (at_ == chunk_.text.size()) {
    at_ = 0;
    if (!source_.next(chunk_)) {
      chunk_.text = {};
      return false;
    }
    source_.load(chunk_);
  }
  const std::size_t end = chunk_.text.find('\n', at_);
  line = chunk_.text.substr(at_, end - at_);
  at_ = end + 1;
  ++line_number_;
  carriage_return_ = line.ends_with('\r');
  if (carriage_return_) line.remove_suffix(1);
  const std::size_t nul = line.find('\0');
  if (nul != std::string_view::npos) throw error(nul + 1, "found a NUL byte; expected text");
  if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  return true;
}

}  // namespace dorm
