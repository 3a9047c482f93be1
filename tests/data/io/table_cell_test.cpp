// SPDX-License-Identifier: Apache-2.0
#include "data/io/tables/table_cell.h"

#include <gtest/gtest.h>

#include "data/io/files/text_formats.h"

namespace dorm {
namespace {

double number_in(std::string_view text) {
  double value = -99;
  EXPECT_EQ(parse_cell(text, value), Cell::number) << text;
  return value;
}

Cell kind_of(std::string_view text) {
  double value = 0;
  return parse_cell(text, value);
}

TEST(TableCell, NumbersAndBooleansAreNumbers) {
  EXPECT_EQ(number_in(" -1.5e2 "), -150);
  for (const char* yes : {"true", "TRUE", "True", "yes", "Yes"}) EXPECT_EQ(number_in(yes), 1) << yes;
  for (const char* no : {"false", "FALSE", "no", "No"}) EXPECT_EQ(number_in(no), 0) << no;
}

TEST(TableCell, WhatPeopleWriteForNothingIsMissing) {
  for (const char* text :
       {"", "  ", "NA", "n/a", "#N/A", "<NA>", "null", "NULL", "None", "\\N", "nan", "inf", "-Infinity"})
    EXPECT_EQ(kind_of(text), Cell::missing) << text;
  EXPECT_EQ(kind_of("1e39"), Cell::too_large);
  EXPECT_EQ(kind_of("1e999"), Cell::too_large);
}

TEST(TableCell, WhatIsNoNumberIsToldApart) {
  for (const char* text : {"2024-01-31", "31.01.2024", "1/31/24", "2024-01-31T10:00:00Z", "2024-01-31 10:00"})
    EXPECT_EQ(kind_of(text), Cell::date) << text;
  for (const char* text : {"1,234", "1,234.5", "-0,5", "1'000", "1 000"})
    EXPECT_EQ(kind_of(text), Cell::commas) << text;
  for (const char* text : {"shoes", "1-2", "10.0.0.1", "3 kg", ",", "-", "1,", "12a"})
    EXPECT_EQ(kind_of(text), Cell::text) << text;
}

TEST(FormatOfText, IsSeenFromTheFirstLine) {
  EXPECT_EQ(format_of_text("# c\n\n2 qid:1 1:0.5\n"), DataFormat::letor);
  EXPECT_EQ(format_of_text("2\tqid:1\t1:0.5\n"), DataFormat::letor);
  EXPECT_EQ(format_of_text("qid:1 1:0.5\n"), DataFormat::letor);
  EXPECT_EQ(format_of_text("1:0.5 2:3\n"), DataFormat::letor);
  EXPECT_EQ(format_of_text("\xEF\xBB\xBFlabel,qid\r\n"), DataFormat::csv);
  EXPECT_EQ(format_of_text("label;qid;a\n"), DataFormat::csv);
  EXPECT_EQ(format_of_text("label\tqid\ta\n"), DataFormat::tsv);
  EXPECT_EQ(format_of_text("{\"qid\": 1}\n"), DataFormat::jsonl);
  EXPECT_EQ(format_of_text(""), DataFormat::letor);
}

}  // namespace
}  // namespace dorm
