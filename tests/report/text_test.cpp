// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dorm::report {
namespace {

constexpr const char* kBad = "\xEF\xBF\xBD";

TEST(Clean, KeepsWhatCanBeShown) {
  for (const std::string text : {"", "plain", "tab\tline\n", "\u00e9\u05d0\u20ac", "\U0001F600"})
    EXPECT_EQ(clean(text), text);
}

TEST(Clean, ReplacesEveryByteThatCannot) {
  const std::string b = kBad;
  const std::pair<std::string, std::string> cases[] = {
      {std::string("a\0b", 3), "a" + b + "b"},
      {"\x1b[31m", b + "[31m"},
      {"\x7f", b},
      {"\xff", b},
      {"\xc3", b},                         // cut short
      {"\xc3(", b + "("},                  // no continuation
      {"\xc0\xaf", b + b},                 // overlong /
      {"\xc2\x85", b + b},                 // U+0085, a control character
      {"\xed\xa0\x80", b + b + b},         // a surrogate
      {"\xef\xbf\xbf", b + b + b},         // U+FFFF
      {"\xf4\x90\x80\x80", b + b + b + b}  // beyond U+10FFFF
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(clean(text), expected);
}

TEST(Escape, LeavesNoMarkupInHtml) {
  EXPECT_EQ(escape_html("<a href=\"x\" title='y'>&amp;</a>"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;");
}

TEST(Escape, KeepsMarkdownOnOneLineAndInOneCell) {
  EXPECT_EQ(escape_markdown("a|b\nc"), "a\\|b c");
  EXPECT_EQ(escape_markdown("<b>*x*</b>"), "\\<b\\>\\*x\\*\\</b\\>");
}

TEST(Escape, DisarmsFormulas) {
  EXPECT_EQ(disarmed("plain"), "plain");
  EXPECT_EQ(disarmed("=HYPERLINK(1)"), "'=HYPERLINK(1)");
  EXPECT_EQ(disarmed("+1"), "'+1");
}

TEST(PValues, AreNeverShownAsZero) {
  EXPECT_EQ(p_value_text(0.01234), "0.0123");
  EXPECT_EQ(p_value_text(1), "1.0000");
  EXPECT_EQ(p_value_text(0), "< 0.0001");
  EXPECT_EQ(p_value_text(std::nan("")), "");
}

TEST(Numbers, AreShownAsTheColumnAsks) {
  EXPECT_EQ(number_text(0.71784, number_column("")), "0.7178");
  EXPECT_EQ(number_text(-0.00001, number_column("")), "0.0000");
  EXPECT_EQ(number_text(12, count_column("")), "12");
  EXPECT_EQ(number_text(656.8752, significant_column("", 6)), "656.875");
  EXPECT_EQ(number_text(10000, significant_column("", 4)), "10000");
  EXPECT_EQ(number_text(0.00056, significant_column("", 2)), "0.00056");
  EXPECT_EQ(number_text(std::nan(""), number_column("")), "");
  EXPECT_EQ(number_text(HUGE_VAL, number_column("")), "");
}

TEST(Numbers, CarryTheirIntervalInTheSamePrecision) {
  EXPECT_EQ(interval_text(Cell(0.5, 0.25, 0.75), number_column("", 2)), "[0.25, 0.75]");
  EXPECT_EQ(interval_text(Cell(0.5), number_column("", 2)), "");
}

}  // namespace
}  // namespace dorm::report
