// SPDX-License-Identifier: Apache-2.0
#include "learning/tune/tune_forecast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dorm {
namespace {

using Sort = TuneForecast::Sort;

TEST(TuneForecast, SaysNothingBeforeSomethingWasMeasured) {
  TuneForecast forecast;
  const std::size_t linear = forecast.add_kernel(1);
  forecast.expect(linear, Sort::bound, 4);
  EXPECT_TRUE(std::isnan(forecast.left(1)));
  forecast.measured(linear, Sort::bound, 2);
  EXPECT_DOUBLE_EQ(forecast.left(1), 3 * 2);
  EXPECT_DOUBLE_EQ(forecast.left(2), 3);
  EXPECT_DOUBLE_EQ(forecast.left(100), 2);  // three problems, so three threads at most
}

TEST(TuneForecast, KindsHaveTheirOwnCost) {
  TuneForecast forecast;
  const std::size_t linear = forecast.add_kernel(1);
  forecast.expect(linear, Sort::bound, 2);
  forecast.expect(linear, Sort::ridge, 3);
  forecast.measured(linear, Sort::bound, 10);
  forecast.measured(linear, Sort::ridge, 1);
  EXPECT_DOUBLE_EQ(forecast.left(1), 10 + 2 * 1);
  forecast.give_up(linear, Sort::ridge, 1);
  EXPECT_DOUBLE_EQ(forecast.left(1), 10 + 1);
  forecast.known(linear, Sort::bound);
  EXPECT_DOUBLE_EQ(forecast.left(1), 1);
}

TEST(TuneForecast, AKernelToComeIsScaledFromWhatWasMeasured) {
  TuneForecast forecast;
  const std::size_t linear = forecast.add_kernel(1), kernel = forecast.add_kernel(20);
  forecast.expect(linear, Sort::bound, 1);
  forecast.expect(kernel, Sort::bound, 5);
  forecast.measured(linear, Sort::bound, 0.5);
  EXPECT_DOUBLE_EQ(forecast.left(1), 5 * 20 * 0.5);
  forecast.measured(kernel, Sort::bound, 3);  // and by its own cost, once that is known
  EXPECT_DOUBLE_EQ(forecast.left(1), 4 * 3);
}

TEST(TuneForecast, AnExactKernelCostsByDocumentsPerFeature) {
  EXPECT_EQ(exact_kernel_cost(10, 100), 1);
  EXPECT_DOUBLE_EQ(exact_kernel_cost(16000, 20) / exact_kernel_cost(8000, 20), 2);
}

}  // namespace
}  // namespace dorm
