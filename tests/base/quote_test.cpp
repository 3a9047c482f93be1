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

TEST(Quote, ShowsOtherLanguages) {
  EXPECT_EQ(in_quotes("ünï 日本 😀"), "'ünï 日本 😀'");
  EXPECT_EQ(in_quotes("cut \xc3"), "'cut \\xc3'");
  EXPECT_EQ(in_quotes("no\xc2\xa0"
                      "break"),
            "'no\\xc2\\xa0break'");
  EXPECT_EQ(in_quotes("\xc2\x9b"), "'\\xc2\\x9b'");           // a control of Latin-1
  EXPECT_EQ(in_quotes("\xe2\x80\xae"), "'\\xe2\\x80\\xae'");  // writes from right to left
}

TEST(Quote, CutsLongTextShort) {
  EXPECT_EQ(in_quotes(std::string(40, 'a')), "'" + std::string(40, 'a') + "'");
  EXPECT_EQ(in_quotes(std::string(41, 'a')), "'" + std::string(40, 'a') + "...'");
  EXPECT_EQ(in_quotes(std::string(39, 'a') + "üb"), "'" + std::string(39, 'a') + "ü...'");
}

}  // namespace
}  // namespace dorm
