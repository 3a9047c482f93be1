// SPDX-License-Identifier: Apache-2.0
// Files of ratings and of features, sound and broken.
#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/recommend/factorize.h"
#include "support/case_name.h"
#include "support/message_of.h"

namespace dorm {
namespace {

struct Sound {
  const char* name;
  const char* text;
  const char* separator;
  bool header;
};
void PrintTo(const Sound& shown, std::ostream* out) { *out << shown.name; }

class SoundRatings : public testing::TestWithParam<Sound> {};

TEST_P(SoundRatings, SayTheSame) {
  RatingsReport report;
  const Ratings ratings = parse_ratings(GetParam().text, "r", &report);
  EXPECT_EQ(report.separator, GetParam().separator);
  EXPECT_EQ(report.header, GetParam().header);
  ASSERT_EQ(ratings.size(), 3u);
  const auto ann = ratings.users().find("ann"), bob = ratings.users().find("b b");
  ASSERT_TRUE(ann && bob);
  EXPECT_EQ(ratings.items()[ratings.of_user(*ann).index[1]], "film 2");
  EXPECT_EQ(ratings.of_user(*ann).value[1], 4.5f);
  EXPECT_EQ(ratings.of_user(*bob).value[0], -1.0f);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, SoundRatings,
    testing::Values(
        Sound{"Tabs", "ann\t1\t5\t880\nann\tfilm 2\t4.5\t881\nb b\t1\t-1\t882\n", "\t", false},
        Sound{"Colons", "ann::1::5::880\r\nann::film 2::4.5::1\r\nb b::1::-1::2", "::", false},
        Sound{"Commas", "userId,movieId,rating,timestamp\nann,1,5,1\nann,\"film 2\",4.5,1\nb b,1,-1,0\n", ",", true},
        Sound{"ColumnsByName", "time,Rating,Item_ID,user\nx,5,1,ann\nx,4.5,film 2,ann\n\nx,-1,1,b b\n", ",", true},
        Sound{"Semicolons", "a;b;c\nann;1;5\nann;film 2;4.5\nb b;1;-1\n", ";", true}),
    test::case_name);

TEST(RatingsReader, TakesBlanksAndKeepsTheLastOfDuplicates) {
  RatingsReport report;
  const Ratings ratings = parse_ratings("1  7 3\n 1 7 2 99\n", "r", &report);
  ASSERT_EQ(ratings.size(), 1u);
  EXPECT_EQ(ratings.of_user(0).value[0], 2.0f);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_NE(report.warnings[0].find("1 ratings were replaced"), std::string::npos);
}

struct Broken {
  const char* name;
  const char* text;
  const char* message;
};
void PrintTo(const Broken& shown, std::ostream* out) { *out << shown.name; }

class BrokenRatings : public testing::TestWithParam<Broken> {};

TEST_P(BrokenRatings, AreRefusedWithTheirPlace) {
  const std::string message = test::message_of([] { parse_ratings(GetParam().text, "r.csv"); }, ErrorCode::bad_input);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Files, BrokenRatings,
    testing::Values(Broken{"TextAsRating", "1,2,3\n1,3,good\n", "r.csv:2:5: found 'good'; expected a finite"},
                    Broken{"TextAsRatingOnTheFirstLine", "1,2,good\n", "r.csv:1:5: found 'good'"},
                    Broken{"NotFinite", "1,2,nan\n", "r.csv:1:5: found 'nan'"},
                    Broken{"TooFewCells", "1\t2\t3\n1\t2\n", "r.csv:2:4: found 2 cells"},
                    Broken{"NoItem", "1,2,3\n1,,3\n", "r.csv:2:3: found nothing; expected the id of the item"},
                    Broken{"OpenQuote", "1,2,3\n1,\"x,3\n", "r.csv:2:3: found a quote"},
                    Broken{"Empty", "\n\n", "r.csv: no ratings"},
                    Broken{"HeaderOnly", "user,item,rating\n", "r.csv: no ratings"}),
    test::case_name);

TEST(SideFeatures, TakeTheTrailingNumbers) {
  const SideFeatures features = parse_side_features("1|Toy (1995)|01-Jan||0|1\n2|Eye, 3|x||1|1\n", "items");
  ASSERT_EQ(features.names.size(), 2u);
  EXPECT_EQ(features.ids[1], "2");
  EXPECT_EQ(features.values, (std::vector<double>{0, 1, 1, 1}));
}

TEST(SideFeatures, TurnTextIntoIndicators) {
  const SideFeatures features =
      parse_side_features("1::Toy ReportData::Comedy|Children\n2::Heat::Crime\n3::X::Comedy\n", "items");
  EXPECT_EQ(features.names, (std::vector<std::string>{"column 3: Comedy", "column 3: Children", "column 3: Crime"}));
  EXPECT_EQ(features.values, (std::vector<double>{1, 1, 0, 0, 0, 1, 1, 0, 0}));
}

TEST(SideFeatures, TakeTheColumnsAskedFor) {
  const SideFeatures features = parse_side_features("id,age,sex\nu,30,F\nv,40,M\n", "users", "2-3");
  EXPECT_EQ(features.names, (std::vector<std::string>{"age", "sex: F", "sex: M"}));
  EXPECT_EQ(features.values, (std::vector<double>{30, 1, 0, 40, 0, 1}));
  EXPECT_THROW(parse_side_features("u,1\n", "users", "1"), Error);
  EXPECT_THROW(parse_side_features("u,1\n", "users", "2-9"), Error);
  EXPECT_THROW(parse_side_features("u,1\nu,2\n", "users"), Error);
  EXPECT_THROW(parse_side_features("u,1\nv,2,3\n", "users"), Error);
}

TEST(SideFeatures, FindTheTitles) {
  const std::vector<std::string> films = {"Toy ReportData", "Heat", "X"};
  EXPECT_EQ(parse_side_features("1::Toy ReportData::Comedy|Children\n2::Heat::Crime\n3::X::Comedy\n", "items").titles,
            films);
  // By its heading, wherever it stands; a column in which most cells are alike is none.
  EXPECT_EQ(parse_side_features("id,kind,Movie_Title,n\n1,a,Toy ReportData,1\n2,a,Heat,2\n3,b,X,3\n", "items").titles,
            films);
  EXPECT_TRUE(parse_side_features("1,a,4\n2,a,5\n3,b,6\n", "items").titles.empty());
  EXPECT_TRUE(parse_side_features("1,3\n2,4\n", "items").titles.empty());
}

TEST(Titles, NeedAColumnOfText) {
  const SideFeatures titles = parse_titles("1,2001,same\n2,2002,same\n", "titles");
  EXPECT_EQ(titles.ids[1], "2");
  EXPECT_EQ(titles.titles, (std::vector<std::string>{"same", "same"}));
  EXPECT_NE(test::message_of([] { parse_titles("1,3\n2,4\n", "titles"); }).find("no column of text"),
            std::string::npos);
  EXPECT_NE(test::message_of([] { parse_titles("1,a\n1,b\n", "titles"); }).find("appears twice"), std::string::npos);
}

}  // namespace
}  // namespace dorm
