// SPDX-License-Identifier: Apache-2.0
// What the style sheet repeats, and what the page relies on in it.
#include "report/page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dorm::report {
namespace {

std::string_view rule(std::string_view selector) {
  const std::string_view css = style_sheet();
  const std::size_t begin = css.find(selector) + selector.size();
  return css.substr(begin, css.find('}', begin) - begin);
}

TEST(StyleSheet, HasOneDarkPaletteForTheSystemAndForTheReader) {
  const std::string_view system = rule(":root:not([data-theme=light]){"), reader = rule(":root[data-theme=dark]{");
  EXPECT_EQ(std::string(reader), std::string(system) + " color-scheme:dark;\n");
}

TEST(StyleSheet, HasAClassForEveryShade) {
  for (int k = 0; k < kShades; ++k)
    EXPECT_NE(style_sheet().find(fmt::format(".h{}{{", k)), std::string_view::npos) << k;
  EXPECT_EQ(style_sheet().find(fmt::format(".h{}{{", kShades)), std::string_view::npos);
}

TEST(Page, StaysWellFormedXmlWithItsStylesAndScript) {
  for (const std::string_view text : {style_sheet(), parts_style_sheet()})
    EXPECT_EQ(text.find_first_of("<&"), std::string_view::npos);
  constexpr std::string_view kBegin = "//<![CDATA[\n", kEnd = "//]]>\n";
  ASSERT_TRUE(script().starts_with(kBegin) && script().ends_with(kEnd));
  const std::string_view inside = script().substr(kBegin.size(), script().size() - kBegin.size() - kEnd.size());
  for (const std::string_view end : {"]]>", "</script", "<!--"})
    EXPECT_EQ(inside.find(end), std::string_view::npos) << end;
}

}  // namespace
}  // namespace dorm::report
