// SPDX-License-Identifier: Apache-2.0
// The memory forecast against hand arithmetic.
#include "learning/train/memory.h"

#include <gtest/gtest.h>

#include "dorm/error.h"
#include "dorm/solver.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// 10 queries of 100 documents, 5 features: rows are padded to 8 floats.
MemoryInput small() {
  MemoryInput input;
  input.queries = 10;
  input.documents = 1000;
  input.features = 5;
  input.nonzeros = 5000;
  input.planes_per_block = 6;
  return input;
}

TEST(Memory, CountsPaddedRowsOfDenseFeatures) {
  EXPECT_EQ(predict_memory(small()).features, 1000u * 8 * 4);
  EXPECT_EQ(predict_memory(small()).scaled, 0u);
}

TEST(Memory, CountsValuesColumnsAndRowEndsOfCompressedFeatures) {
  MemoryInput input = small();
  input.dense = false;
  EXPECT_EQ(predict_memory(input).features, 5000u * 8 + 1000 * 8);
}

TEST(Memory, MappedFeaturesAreNotResident) {
  MemoryInput input = small();
  input.mapped = true;
  const MemoryForecast forecast = predict_memory(input);
  EXPECT_EQ(forecast.features, 0u);
  EXPECT_EQ(forecast.mapped, 1000u * 8 * 4);
  EXPECT_EQ(predict_memory(small()).total() - forecast.total(), 1000u * 8 * 4);
}

TEST(Memory, AScaledCopyHasTheFormOfTheDataAndThereIsOnePerTraining) {
  MemoryInput input = small();
  input.scaled = true;
  input.copies = 3;
  EXPECT_EQ(predict_memory(input).scaled, 3u * 1000 * 8 * 4);
  input.dense = false;
  EXPECT_EQ(predict_memory(input).scaled, 3u * 2 * (5000 * 8 + 1000 * 8));
}

TEST(Memory, PlanesAreFullCachesWithTheirGramMatrices) {
  const std::uint64_t plane = sizeof(Plane) + 5 * 4;
  EXPECT_EQ(predict_memory(small()).planes, 10 * (6 * plane + 6 * 6 * 8));
  EXPECT_EQ(predict_memory(small()).least_planes, 10 * (4 * plane + 4 * 4 * 8));
}

TEST(Memory, ALimitIsKeptByFewerPlanesOrRefused) {
  const MemoryForecast free = predict_memory(small());
  MemoryForecast forecast = free;
  limit_memory(forecast, free.total());
  EXPECT_EQ(forecast.planes, free.planes);
  limit_memory(forecast, free.total() - 100);
  EXPECT_EQ(forecast.planes, free.planes - 100);
  EXPECT_EQ(forecast.total(), free.total() - 100);
  limit_memory(forecast, free.least());
  EXPECT_EQ(forecast.planes, free.least_planes);
  const std::string message =
      test::message_of([&] { limit_memory(forecast, free.least() - 1); }, ErrorCode::bad_option);
  EXPECT_NE(message.find("convert the data to .dorm"), std::string::npos) << message;
}

// All of up to 512 MiB, else a thirty-second.
TEST(Memory, OfManyScaledRowsFewAreKept) {
  MemoryInput input = small();
  input.scaled = true;
  input.documents = 100'000'000;
  const std::uint64_t all = 100'000'000u * std::uint64_t{8 * 4};
  EXPECT_EQ(predict_memory(input).scaled, all / 32);
  EXPECT_EQ(predict_memory(input).least_scaled, 0u);
  input.documents /= 10;
  EXPECT_EQ(predict_memory(input).scaled, all / 10);
  EXPECT_EQ(predict_memory(input).least_scaled, 0u);
  input.kernel = 1;  // of which all are needed
  EXPECT_EQ(predict_memory(input).least_scaled, all / 10);
}

TEST(Memory, WhatALimitLeavesGoesToScaledRows) {
  MemoryInput input = small();
  input.scaled = true;
  input.documents = 100'000'000;
  const MemoryForecast free = predict_memory(input);
  MemoryForecast forecast = free;
  limit_memory(forecast, free.total() + 1000);
  EXPECT_EQ(forecast.planes, free.planes);
  EXPECT_EQ(forecast.scaled, free.scaled + 1000);
  limit_memory(forecast, 10 * free.total());
  EXPECT_EQ(forecast.scaled, free.most_scaled);
  limit_memory(forecast, free.least() + 100);
  EXPECT_EQ(forecast.scaled, 50u);
  EXPECT_EQ(forecast.planes, free.least_planes + 50);
}

TEST(Memory, CountsTheRowsOfAGramMatrixUpToTheCache) {
  KernelOptions kernel;
  kernel.spec = "rbf";
  kernel.cache_bytes = 1'000'000;
  MemoryInput input = small();
  add_kernel(input, kernel, 10);
  EXPECT_EQ(input.kernel, 1000u * 8 * 4 + 1'000'000 + (1'000'000 / 4));  // 10 rows and 64 of scratch would be more
  EXPECT_EQ(input.plane_length, 101u);
  kernel.cache_bytes = 1'000'000'000;
  add_kernel(input, kernel, 0);
  EXPECT_EQ(input.kernel, 1000u * 8 * 4 + (1000 + 64) * 1000 * 4);
  EXPECT_EQ(predict_memory(input).total(), predict_memory(small()).features + predict_memory(small()).queries +
                                               input.kernel + predict_memory(input).planes);
}

TEST(Memory, AnExactKernelKeepsQueriesWithSomethingToLearnOnly) {
  KernelOptions kernel;
  kernel.spec = "rbf";
  kernel.cache_bytes = 1'000'000'000;
  MemoryInput input = small();
  input.learnable = 300;
  add_kernel(input, kernel, 10);
  EXPECT_EQ(input.kernel, 1000u * 8 * 4 + (300 + 64) * 300 * 4 + (10 + 64) * 300 * 4);
  EXPECT_EQ(num_weights(input, kernel), 600u);
}

TEST(Memory, PathsSideBySideHavePlanesAndFoldsHaveData) {
  MemoryInput input = small();
  input.scaled = true;
  input.copies = 5;
  input.running = 2;
  input.plane_sets = 3;
  input.kept = 700;
  const MemoryForecast one = predict_memory(small()), forecast = predict_memory(input);
  EXPECT_EQ(forecast.scaled, 5 * one.features);
  EXPECT_EQ(forecast.queries, 2 * one.queries);
  EXPECT_EQ(forecast.planes, 6 * one.planes);
  EXPECT_EQ(forecast.least_planes, 6 * one.least_planes);
  EXPECT_EQ(forecast.total(), one.features + 5 * one.features + 2 * one.queries + 6 * one.planes + 700);
}

TEST(Memory, ValidationDataIsReadAndScaledBesides) {
  MemoryInput input = small();
  input.scaled = true;
  input.validation = 100;
  EXPECT_EQ(predict_memory(input).features, 1100u * 8 * 4);
  EXPECT_EQ(predict_memory(input).scaled, 1000u * 8 * 4 + 100u * 8 * 8);  // judged in 64 bits
}

TEST(Memory, CountsTheFeaturesThatStandForAKernel) {
  KernelOptions kernel;
  kernel.spec = "rbf";
  kernel.approximation = "nystroem:20";
  MemoryInput input = small();
  add_kernel(input, kernel, 100);
  EXPECT_EQ(input.kernel, 1000u * 8 * 4 + 1100 * 20 * 4 + 20 * 20 * 3 * 8);
  EXPECT_EQ(input.plane_length, 20u);
}

}  // namespace
}  // namespace dorm
