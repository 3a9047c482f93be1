// SPDX-License-Identifier: Apache-2.0
// Expected values are from a calendar and by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "data/encode/dates.h"
#include "data/encode/formatted_numbers.h"
#include "data/encode/proposal.h"
#include "dorm/data/encoding.h"
#include "dorm/data/input.h"
#include "dorm/error.h"
#include "dorm/read.h"
#include "support/message_of.h"

namespace dorm {
namespace {

float cell(const Dataset& data, std::size_t document, const std::string& feature) {
  for (std::size_t j = 0; j < data.num_features(); ++j)
    if (data.feature_name(j) == feature) return data.query(0).rows.at(document, j);
  ADD_FAILURE() << "no feature " << feature;
  return NAN;
}

Dataset encoded(const std::string& text, const std::string& rules, const std::string& missing = "error") {
  ReadOptions options;
  options.encodings = parse_encodings(rules);
  const MissingRules gaps = parse_missing(missing);
  options.missing = gaps.missing;
  options.missing_by_column = gaps.by_column;
  return parse_csv(text, "f.csv", options);
}

std::vector<std::string> names(const Dataset& data) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < data.num_features(); ++j) out.push_back(data.feature_name(j));
  return out;
}

TEST(Dates, AreDaysFrom1970) {
  const auto days = [](const char* text, DateOrder order = DateOrder::unknown) { return days_of(text, order).value(); };
  EXPECT_EQ(days("1970-01-01"), 0);
  EXPECT_EQ(days("2000-03-01"), 11017);  // 30 years of 365 days, 7 leap days, 31 + 29 days
  EXPECT_EQ(days("1969-12-31"), -1);
  EXPECT_EQ(days("1.3.2000"), 11017);
  EXPECT_EQ(days("3/1/00", DateOrder::month_first), 11017);
  EXPECT_EQ(days("1/3/2000", DateOrder::day_first), 11017);
  EXPECT_EQ(days("2000/3/1", DateOrder::day_first), 11017);
  EXPECT_EQ(days("2000-03-01T12:00"), 11017.5);
  EXPECT_EQ(days("2000-03-01 06:00:00Z"), 11017.25);
  EXPECT_EQ(days("2000-03-01T06:00:00+06:00"), 11017);
  EXPECT_EQ(days("2000-03-01T18:00-0600"), 11018);
}

TEST(Dates, WhatIsNoneIsRefused) {
  for (const char* text : {"", "2000", "2000-13-01", "2000-02-30", "3/1/2000", "2000-01-01x", "2000-01-01T25:00",
                           "2000-01/01", "1-1", "20%"})
    EXPECT_FALSE(days_of(text, DateOrder::unknown)) << text;
  EXPECT_FALSE(days_of("31/1/2000", DateOrder::month_first));
}

TEST(Dates, KnowWeekdayAndMonth) {
  EXPECT_EQ(weekday_of(0), 3u);      // 1970-01-01 was a Thursday
  EXPECT_EQ(weekday_of(-4.5), 5u);   // a Saturday at noon
  EXPECT_EQ(weekday_of(11017), 2u);  // 2000-03-01 was a Wednesday
  EXPECT_EQ(month_of(11017), 2u);
  EXPECT_EQ(date_text(11017), "2000-03-01");
  EXPECT_EQ(date_text(11017.25), "2000-03-01T06:00");
}

TEST(FormattedNumbers, AreReadByTheirRule) {
  const auto value = [](Encode rule, const char* text) {
    double out = NAN;
    return parse_formatted(rule, text, out) ? out : NAN;
  };
  EXPECT_EQ(value(Encode::percent, "20%"), 20);
  EXPECT_EQ(value(Encode::percent, "-1.5 %"), -1.5);
  EXPECT_EQ(value(Encode::percent, "7"), 7);
  EXPECT_TRUE(std::isnan(value(Encode::percent, "1,5%")));
  EXPECT_EQ(value(Encode::thousands, "1,234,567.5"), 1234567.5);
  EXPECT_EQ(value(Encode::thousands, "-1'000"), -1000);
  EXPECT_EQ(value(Encode::thousands, "12"), 12);
  for (const char* text : {"1,23", "1,2345", "1234,567", "1,234'567", ",123", "1,", "%"})
    EXPECT_TRUE(std::isnan(value(Encode::thousands, text))) << text;
  EXPECT_EQ(value(Encode::decimal_comma, "0,5"), 0.5);
  EXPECT_EQ(value(Encode::decimal_comma, "1.234,5"), 1234.5);
  EXPECT_EQ(value(Encode::decimal_comma, "12,5%"), 12.5);
  EXPECT_TRUE(std::isnan(value(Encode::decimal_comma, "1.5")));  // a point stands between groups of three
  EXPECT_EQ(value(Encode::boolean, "Yes"), 1);
  EXPECT_EQ(value(Encode::boolean, "off"), 0);
  EXPECT_TRUE(std::isnan(value(Encode::boolean, "2")));
}

TEST(Encodings, ReadBackAsTheyAreWritten) {
  for (const char* text : {"a=onehot", "a=onehot:5,b\\,c=percent", "d=age+weekday+month", "d=age:dmy:2024-01-31"})
    EXPECT_EQ(encodings_text(parse_encodings(text)), text);
  EXPECT_EQ(test::message_of([] { parse_encodings("a"); }),
            "the encoding a: found 'a'; expected COLUMN=RULE, as in category=onehot,published=age");
  EXPECT_EQ(test::error_of([] { parse_encodings("a=onehots"); }).code(), ErrorCode::unknown_name);
  EXPECT_EQ(test::error_of([] { parse_encodings("a=onehot:0"); }).code(), ErrorCode::bad_option);
  EXPECT_EQ(test::error_of([] { parse_encodings("a=percent+age"); }).code(), ErrorCode::bad_option);
  EXPECT_EQ(test::error_of([] { parse_encodings("a=age,a=month"); }).code(), ErrorCode::bad_option);
}

TEST(Encodings, MakeAFeaturePerValueAndOneForRareOnes) {
  const Dataset data = encoded(
      "label,qid,c,x\n1,q,red,1\n0,q,blue,2\n0,q,red,3\n1,q,NA,4\n0,q,blue,5\n0,q,green,6\n1,q,,7\n", "c=onehot");
  EXPECT_EQ(names(data), (std::vector<std::string>{"c=(missing)", "c=blue", "c=red", "c=(other)", "x"}));
  const int expected[] = {2, 1, 2, 0, 1, 3, 0};
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_EQ(data.query(0).rows.at(i, j), expected[i] == static_cast<int>(j) ? 1.0f : 0.0f) << i << ", " << j;
  EXPECT_EQ(cell(data, 6, "x"), 7);
}

TEST(Encodings, AreAppliedToOtherDataAsTheyWereFitted) {
  const Dataset data =
      encoded("label,qid,c,d\n1,q,a,2024-01-31\n0,q,a,2024-01-30\n0,q,b,2023-12-31\n0,q,b,2024-01-01\n",
              "c=onehot,d=age+month");
  EXPECT_EQ(cell(data, 0, "d"), 0);
  EXPECT_EQ(cell(data, 2, "d"), 31);
  EXPECT_EQ(cell(data, 2, "d=dec"), 1);
  EXPECT_EQ(cell(data, 2, "d=jan"), 0);
  ReadOptions options;
  options.encodings = data.input().encodings;
  const Dataset other = parse_csv("label,qid,c,d\n1,q,new,2024-02-01T12:00\n0,q,a,2024-01-31\n", "g.csv", options);
  EXPECT_EQ(names(other), names(data));
  EXPECT_EQ(cell(other, 0, "c=a"), 0);
  EXPECT_EQ(cell(other, 0, "c=b"), 0);  // no value was rare, so that an unseen one has no feature
  EXPECT_EQ(cell(other, 0, "d"), -1.5);
  EXPECT_EQ(cell(other, 1, "c=a"), 1);
}

TEST(Encodings, OfTablesAndJsonAreTheSame) {
  const Dataset table = encoded(
      "label,qid,c,d,p,b\n1,q,a,2024-01-31,5%,true\n0,q,7,,1%,no\n0,q,a,2024-01-01,2,yes\n1,q,,2024-01-02,3,false\n",
      "c=onehot:1,d=age,p=percent,b=bool", "indicator");
  ReadOptions options;
  options.encodings = parse_encodings("c=onehot:1,d=age,p=percent,b=bool");
  options.missing = Missing::indicator;
  const Dataset lines = parse_jsonl(
      "{\"label\":1,\"qid\":\"q\",\"c\":\"a\",\"d\":\"2024-01-31\",\"p\":\"5%\",\"b\":true}\n"
      "{\"label\":0,\"qid\":\"q\",\"c\":7,\"d\":null,\"p\":\"1%\",\"b\":\"no\"}\n"
      "{\"label\":0,\"qid\":\"q\",\"c\":\"a\",\"d\":\"2024-01-01\",\"p\":2,\"b\":true}\n"
      "{\"label\":1,\"qid\":\"q\",\"d\":\"2024-01-02\",\"p\":3,\"b\":false}\n",
      "f.jsonl", options);
  ASSERT_EQ(names(lines).size(), names(table).size());
  for (const std::string& name : names(table))
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(cell(lines, i, name), cell(table, i, name)) << name << " of " << i;
  EXPECT_EQ(cell(table, 1, "d=(missing)"), 1);
  EXPECT_EQ(cell(table, 1, "d"), static_cast<float>((0 + 30 + 29) / 3.0));
}

TEST(Encodings, ErrorsNameTheCellAndWhatWasExpected) {
  const auto message = [](const std::string& text, const std::string& rules) {
    return test::message_of([&] { encoded(text, rules); });
  };
  EXPECT_EQ(message("label,qid,p\n1,q,x%\n", "p=percent"),
            "f.csv:2:5: found 'x%' in column 'p'; expected a number with or without a percent sign, such as 12.5%");
  EXPECT_EQ(
      message("label,qid,d\n1,q,3/4/2024\n", "d=age"),
      "f.csv:2:5: found '3/4/2024' in column 'd'; expected a date such as 2024-01-31; for 3/4/2024 say the order, "
      "as in age:dmy or age:mdy");
  EXPECT_EQ(message("label,qid,d\n1,q,1\n", "e=age"), "f.csv:1: no feature column 'e', which the encoding names");
  EXPECT_EQ(message("label,qid,d,d=(missing)\n1,q,,1\n1,q,,1\n", "d=onehot"),
            "f.csv: two features are named 'd=(missing)', one of them made of another column; rename the column or "
            "leave it out");
}

TEST(MissingRules, ReadBackAsTheyAreWritten) {
  for (const char* text : {"mean", "mean,bm25=query-min", "a=indicator,b\\,c=zero"}) {
    const MissingRules rules = parse_missing(text);
    EXPECT_EQ(missing_text(rules.missing, rules.by_column), text);
  }
  EXPECT_EQ(test::error_of([] { parse_missing("means"); }).code(), ErrorCode::unknown_name);
  EXPECT_EQ(test::error_of([] { parse_missing("mean,zero"); }).code(), ErrorCode::bad_option);
  EXPECT_EQ(test::error_of([] { parse_missing("a=mean,a=zero"); }).code(), ErrorCode::bad_option);
}

TEST(MissingRules, AreThoseOfTheColumn) {
  const Dataset data =
      encoded("label,qid,s,p,z\n1,a,2,,\n0,a,,4,1\n0,a,6,8,2\n1,b,,,3\n0,b,,1,4\n0,c,,2,5\n0,c,7,2,6\n", "",
              "s=query-min,p=indicator,z=zero");
  const auto at = [&](std::size_t q, std::size_t i, std::size_t j) { return data.query(q).rows.at(i, j); };
  EXPECT_EQ(names(data), (std::vector<std::string>{"s", "p", "p=(missing)", "z"}));
  EXPECT_EQ(at(0, 1, 0), 2);  // of the query
  EXPECT_EQ(at(1, 0, 0), 2);  // the query has none: the smallest of all
  EXPECT_EQ(at(2, 0, 0), 7);
  EXPECT_EQ(at(0, 0, 1), static_cast<float>(17 / 5.0));
  EXPECT_EQ(at(0, 0, 2), 1);
  EXPECT_EQ(at(0, 1, 2), 0);
  EXPECT_EQ(at(0, 0, 3), 0);
  EXPECT_EQ(data.input().means.at("s"), 2);
}

TEST(MissingRules, OfCompressedRowsCountZerosThatAreNotStored) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "0 qid:1 " + std::to_string(i + 2) + ":1\n";
  text += "1 qid:1 1:nan 30:4\n1 qid:2 1:nan 2:3\n1 qid:2 1:-5\n";
  ReadOptions options;
  options.missing_by_column = {{"1", Missing::query_min}};
  const Dataset data = parse_letor(text, "f", options);
  ASSERT_FALSE(data.dense());
  EXPECT_EQ(data.query(0).rows.at(20, 0), 0);
  EXPECT_EQ(data.query(1).rows.at(0, 0), -5);
  options.missing_by_column.clear();
  EXPECT_EQ(test::error_of([&] { parse_letor(text, "f", options); }).code(), ErrorCode::bad_input);
}

TEST(Proposals, FitTheCells) {
  const auto proposal = [](std::initializer_list<const char*> cells, bool by_query = false) {
    ColumnSample sample;
    int row = 0;
    for (const char* text : cells) sample.add(text, by_query ? std::string("q") + std::to_string(row++ / 2) : "q");
    return sample.proposal();
  };
  EXPECT_EQ(proposal({"2024-01-31", "2024-02-01T10:00"}), "age");
  EXPECT_EQ(proposal({"31/1/2024", "1/2/2024"}), "age:dmy");
  EXPECT_EQ(proposal({"1/31/2024", "1/2/2024"}), "age:mdy");
  EXPECT_EQ(proposal({"20%", "5 %"}), "percent");
  EXPECT_EQ(proposal({"1,234", "12,345.5"}), "thousands");
  EXPECT_EQ(proposal({"1,5", "12.345,5"}), "decimal-comma");
  EXPECT_EQ(proposal({"y", "n", "on"}), "bool");
  EXPECT_EQ(proposal({"red", "blue", "red", "blue"}), "onehot");
  EXPECT_EQ(proposal({"Red shoes", "Blue hat", "Green tie"}), "");
  EXPECT_EQ(proposal({"shoes", "shoes", "hats", "hats", "ties", "ties"}, true), "");  // the text of the query
  EXPECT_EQ(proposed_missing("bm25_title"), "query-min");
  EXPECT_EQ(proposed_missing("VectorScore"), "query-min");
  EXPECT_EQ(proposed_missing("num_reviews"), "zero");
  EXPECT_EQ(proposed_missing("price"), "mean");
}

}  // namespace
}  // namespace dorm
