// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "dorm/error.h"
#include "dorm/oracle.h"
#include "support/message_of.h"

namespace dorm {
namespace {

std::vector<double> discounts(std::size_t l, std::size_t cutoff) {
  std::vector<double> a(l, 0.0);
  for (std::size_t j = 0; j < std::min(l, cutoff); ++j) a[j] = 1 / std::log2(static_cast<double>(j) + 2);
  return a;
}

TEST(Decay, FollowsThePapersFormulas) {
  const std::vector<double> a = discounts(3, 2);
  const struct {
    const char* name;
    std::vector<double> wanted;
  } table[] = {
      {"measure", {1, 1 / std::log2(3.0), 0}},
      {"power:0.5", {1 / std::sqrt(2.0), 1 / std::sqrt(3.0), 0.5}},
      {"power:1", {1 / 2.0, 1 / 3.0, 1 / 4.0}},
      {"power:3", {1 / 8.0, 1 / 27.0, 1 / 64.0}},
      {"log", {1 / std::log(3.0), 1 / std::log(4.0), 1 / std::log(5.0)}},
      {"loglog", {1 / std::log(std::log(3.0)), 1 / std::log(std::log(4.0)), 1 / std::log(std::log(5.0))}},
      {"measure+tail", {1 + 1e-3, 1 / std::log2(3.0) + 1e-3 / std::sqrt(2.0), 1e-3 / std::sqrt(3.0)}},
      {"measure+tail:0.5", {1.5, 1 / std::log2(3.0) + 0.5 / std::sqrt(2.0), 0.5 / std::sqrt(3.0)}},
      {"exponential:1", {1, 0.5, 0.25}},
  };
  for (const auto& row : table) {
    const std::vector<double> c = Decay(row.name).values(a);
    ASSERT_EQ(c.size(), 3u);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(c[j], row.wanted[j], 1e-14) << row.name << " position " << j;
    EXPECT_EQ(Decay(row.name).name(), row.name);
  }
}

TEST(Decay, DecreasesStrictlyUpToTwoThousandDocuments) {
  for (const char* name : {"power:0.25", "power:0.333333", "power:0.5", "power:1", "power:2", "power:3", "log",
                           "loglog", "measure+tail", "exponential"}) {
    const std::vector<double> c = Decay(name).values(discounts(2000, 2000));
    for (std::size_t j = 1; j < c.size(); ++j) ASSERT_LT(c[j], c[j - 1]) << name << " position " << j;
  }
}

void expect_error(const char* name, ErrorCode code, const std::string& message) {
  SCOPED_TRACE(name);
  EXPECT_EQ(test::message_of([&] { Decay decay(name); }, code), message);
}

TEST(Decay, RefusesBadNames) {
  expect_error("pwoer:1", ErrorCode::unknown_name,
               "unknown decay \"pwoer:1\"; expected measure, power:d, log, loglog, measure+tail[:eps], "
               "exponential[:h], discount");
  expect_error("", ErrorCode::unknown_name,
               "unknown decay \"\"; expected measure, power:d, log, loglog, measure+tail[:eps], "
               "exponential[:h], discount");
  expect_error("power:-1", ErrorCode::bad_option, "decay \"power:-1\": \"-1\" is not a positive number");
  expect_error("power:1x", ErrorCode::bad_option, "decay \"power:1x\": \"1x\" is not a positive number");
  expect_error("power:nan", ErrorCode::bad_option, "decay \"power:nan\": \"nan\" is not a positive number");
  expect_error("power", ErrorCode::bad_option, "decay \"power\" needs a parameter, as in power:0.5");
  expect_error("log:2", ErrorCode::bad_option, "decay \"log:2\": log takes no parameter");
}

TEST(Decay, RefusesToStandStillWhereTheMeasureDecreases) {
  EXPECT_EQ(test::message_of([] { Decay("exponential:1").values(discounts(2000, 2000)); }, ErrorCode::bad_option),
            "decay \"exponential:1\" does not decrease from rank 1076 to 1077, where the measure does");
  EXPECT_NO_THROW(Decay("exponential:1").values(discounts(2000, 10)));
}

}  // namespace
}  // namespace dorm
