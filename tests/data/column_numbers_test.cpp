// SPDX-License-Identifier: Apache-2.0
// Data that names few of many numbers: stored in the columns that occur, and written, hashed and named as before.
#include "data/column_numbers.h"

#include <gtest/gtest.h>

#include <numeric>
#include <sstream>

#include "data/io/binary/binary.h"
#include "data/storage.h"
#include "dorm/read.h"
#include "dorm/write.h"

namespace dorm {
namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr const char* kWide = "1 qid:1 99999999:1\n0 qid:1 5:1\n1 qid:2 99999999:0.5\n0 qid:2 7:1\n";

template <class Write>
std::string written(const Dataset& data, Write write) {
  std::ostringstream out;
  write(data, out);
  return out.str();
}

TEST(ColumnNumbers, AreLeftOutWhenMostOfManyDoNotOccur) {
  EXPECT_EQ(occurring_numbers(Numbers{7, 3, 7, 2000000000}, 2000000001), (Numbers{3, 7, 2000000000}));
  EXPECT_EQ(occurring_numbers(Numbers{1023, 3, 7, 3}, 1024), (Numbers{3, 7, 1023}));
  EXPECT_EQ(occurring_numbers(Numbers{7, 3}, 1023), Numbers{});
  Numbers half(512), more(513);
  std::iota(half.begin(), half.end(), 100u);
  std::iota(more.begin(), more.end(), 100u);
  EXPECT_EQ(occurring_numbers(half, 1024), half);
  EXPECT_EQ(occurring_numbers(more, 1024), Numbers{});
  EXPECT_EQ(occurring_numbers(Numbers{}, 1024), Numbers{0});
}

TEST(ColumnNumbers, PlacesAreFoundInPlace) {
  Numbers columns = {2000000000, 3, 7, 3};
  to_places(columns, Numbers{3, 7, 2000000000}, columns);
  EXPECT_EQ(columns, (Numbers{2, 0, 1, 0}));
}

TEST(ColumnNumbers, ColumnsKeepTheirNumbers) {
  const Dataset data = parse_letor(kWide, "wide");
  ASSERT_EQ(data.num_features(), 3u);
  EXPECT_EQ(data.feature_range(), 99999999u);
  EXPECT_EQ(data.feature_name(0), "5");
  EXPECT_EQ(data.feature_name(2), "99999999");
  EXPECT_EQ(data.feature_number(2), 99999998u);
  EXPECT_EQ(data.query(1).rows.at(0, 2), 0.5f);
  EXPECT_EQ(data.fingerprint(), 1279909834243203515u);  // as when 99999999 columns were stored
}

TEST(ColumnNumbers, CountFromZeroWhereTheFileDoes) {
  const Dataset data = parse_letor("1 qid:1 0:1 2147483647:2\n0 qid:1 0:3\n", "zero");
  ASSERT_EQ(data.num_features(), 2u);
  EXPECT_EQ(data.feature_name(0), "0");
  EXPECT_EQ(data.feature_name(1), "2147483647");
}

TEST(ColumnNumbers, NothingButZerosIsOneColumn) {
  const Dataset data = parse_letor("1 qid:1 99999999:0\n0 qid:1 5:0\n", "zeros");
  EXPECT_EQ(data.num_features(), 1u);
  EXPECT_EQ(data.feature_range(), 99999999u);
}

TEST(ColumnNumbers, SurviveTextAndBinaryForm) {
  for (const char* text : {kWide, "1 qid:1 3000:0 5:1\n0 qid:1 0:0 7:2\n"}) {
    const Dataset data = parse_letor(text, "wide");
    const Dataset again = parse_letor(written(data, write_letor), "again");
    const std::string bytes = written(data, write_binary);
    const Dataset binary = parse_binary(std::as_bytes(std::span(bytes)), "binary");
    for (const Dataset* copy : {&again, &binary}) {
      EXPECT_EQ(copy->num_features(), data.num_features());
      EXPECT_EQ(copy->feature_range(), data.feature_range());
      EXPECT_EQ(copy->fingerprint(), data.fingerprint());
    }
    EXPECT_EQ(written(binary, write_binary), bytes);
  }
}

TEST(ColumnNumbers, ATableHasTheColumnsThatOccur) {
  const std::string table =
      written(parse_letor(kWide, "wide"), [](const Dataset& d, std::ostream& o) { write_csv(d, o); });
  EXPECT_EQ(table, "label,qid,5,7,99999999\n1,1,0,0,1\n0,1,1,0,0\n1,2,0,0,0.5\n0,2,0,1,0\n");
}

TEST(ColumnNumbers, FewColumnsAndNamedOnesAreAllKept) {
  EXPECT_EQ(parse_letor("1 qid:1 1000:1\n0 qid:1 5:1\n", "narrow").num_features(), 1000u);
  DatasetBuilder builder;
  builder.add({1, "a"}, SparseRow{Numbers{1999}, std::vector<float>{1}});
  builder.set_feature_names(std::vector<std::string>(2000, "x"));
  EXPECT_EQ(builder.finish().num_features(), 2000u);
}

}  // namespace
}  // namespace dorm
