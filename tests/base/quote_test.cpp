// SPDX-License-Identifier: Apache-2.0
#include "base/quote.h"

#include <gtest/gtest.h>

namespace dorm {
namespace {

TEST(Quote, EscapesWhatATerminalMightObey) {
  EXPECT_EQ(in_quotes("plain text"), "'plain text'");
  EXPECT_EQ(in_quotes(std::string_view("a\0b", 3)), "'a\\x00b'");
  EXPECT_EQ(in_quotes("\t\n\r\x1b[31m\xff\x7f"), "'\\t\\n\\r\\x1b[31m\\xff\\x7f'");
}

TEST(Quote, CutsLongTextShort) {
  EXPECT_EQ(in_quotes(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
}

}  // namespace
}  // namespace dorm
