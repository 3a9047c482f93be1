// SPDX-License-Identifier: Apache-2.0
// What is decided before a GPU is touched: whether it can be used, and what it holds. By hand.
#include <gtest/gtest.h>

#include "device/cuda_module.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// Three queries of 1000, 2000 and 3000 documents of 6 features: rows of 8 floats, 32 bytes.
DeviceDocuments three_queries() {
  DeviceDocuments documents;
  documents.features = 6;
  documents.query_begin = {0, 1000, 3000, 6000};
  return documents;
}

TEST(DevicePlan, BytesOfRows) {
  const DeviceDocuments documents = three_queries();
  EXPECT_EQ(documents.stride(), 8U);
  EXPECT_EQ(documents.longest(), 3000U);
  EXPECT_EQ(documents.bytes(0, 3), 6000U * 32);
  EXPECT_EQ(documents.bytes(1, 2), 2000U * 32);
}

TEST(DevicePlan, AllIsHeldWhereItFits) {
  const ResidentPlan plan = plan_memory(three_queries(), 100, 100 + 6000 * 32, "gpu");
  EXPECT_EQ(plan.trouble, "");
  EXPECT_EQ(plan.resident_queries, 3U);
  EXPECT_EQ(plan.part_bytes, 0U);
}

TEST(DevicePlan, WhatDoesNotFitIsSentInParts) {
  // The largest query needs a buffer of 3000 rows; beside it the first fits, the second does not.
  const ResidentPlan plan = plan_memory(three_queries(), 100, 100 + 5999 * 32, "gpu");
  EXPECT_EQ(plan.trouble, "");
  EXPECT_EQ(plan.part_bytes, 3000U * 32);
  EXPECT_EQ(plan.resident_queries, 1U);
}

// A piece of short lists may have as many documents.
TEST(DevicePlan, PartsHoldAPiece) {
  DeviceDocuments documents;
  documents.features = 8;
  for (std::uint64_t q = 1; q <= 300; ++q) documents.query_begin.push_back(10 * q);
  const ResidentPlan plan = plan_memory(documents, 0, 1300 * 32, "gpu");
  EXPECT_EQ(plan.trouble, "");
  EXPECT_EQ(plan.part_bytes, kDocumentsOfPiece * 32);
  EXPECT_EQ(plan.resident_queries, 27U);  // 276 rows are left
  EXPECT_NE(plan_memory(documents, 0, 1023 * 32, "gpu").trouble, "");
}

TEST(DevicePlan, TooLittleMemoryIsSaidWithSizes) {
  DeviceDocuments documents = three_queries();
  for (std::uint64_t& begin : documents.query_begin) begin *= 100'000;
  const ResidentPlan plan = plan_memory(documents, 1'000'000'000, 2'000'000'000, "NVIDIA X");
  EXPECT_EQ(plan.trouble,
            "NVIDIA X has 2 GB for this, but 10.6 GB are needed at least, 20.2 GB to hold all documents; expected a "
            "larger GPU, or the device cpu");
}

TEST(DevicePlan, WhyAGpuCannotBeUsed) {
  EXPECT_EQ(cuda_trouble(13000, 13000, 1, 0, ""), "");
  EXPECT_EQ(cuda_trouble(13010, 13000, 2, 1, ""), "");
  EXPECT_EQ(cuda_trouble(13000, 13020, 1, 0, ""), "");  // of the same major version
  EXPECT_EQ(cuda_trouble(0, 13000, 0, 0, ""),
            "no NVIDIA driver was found on this machine (libcuda.so.1); expected one that supports CUDA 13.0, or the "
            "device cpu");
  EXPECT_EQ(cuda_trouble(12040, 13000, 1, 0, ""),
            "the NVIDIA driver supports CUDA 12.4, but this dorm was built with CUDA 13.0; expected a newer driver, or "
            "a dorm built with CUDA 12");
  EXPECT_EQ(cuda_trouble(13000, 13000, 0, 0, "7"),
            "the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES is \"7\"); expected at least one");
  EXPECT_EQ(cuda_trouble(13000, 13000, 1, 1, ""), "cuda:1 is asked for, but there is 1 GPU, cuda:0");
  EXPECT_EQ(cuda_trouble(13000, 13000, 2, 5, "0,1"),
            "cuda:5 is asked for, but there are 2 GPUs, cuda:0 to cuda:1 (CUDA_VISIBLE_DEVICES is \"0,1\")");
}

TEST(DevicePlan, Names) {
  for (const char* name : {"cpu", "cuda", "cuda:0", "cuda:12"}) EXPECT_NO_THROW(check_device_name(name));
  for (const char* name : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "host"})
    EXPECT_EQ(test::message_of([&] { check_device_name(name); }, ErrorCode::bad_option),
              "device \"" + std::string(name) + "\"; expected cpu, cuda or cuda:N (N: 0, 1 ...)");
}

// 1000 documents of 10 columns and a decay: 88 bytes each, and of a left-hand one 88 + 40 for its row, 24 for each of
// the 1000 values and 8 to send it, 16 more.
TEST(DevicePlan, KernelsTakeAsManyDocumentsAtATimeAsFit) {
  KernelNumbers numbers;
  numbers.columns = 10;
  numbers.size = 1000;
  numbers.height = 100;
  numbers.terms = {{1, {{KernelPart::Form::decay, 0, 10}}}};
  const std::uint64_t held = 88000, row = 88 + 40 + 32000 + 16;
  EXPECT_EQ(plan_kernel(numbers, held + 100 * row, "gpu").height, 100U);
  EXPECT_EQ(plan_kernel(numbers, held + 100 * row, "gpu").bytes, held + 100 * row);
  EXPECT_EQ(plan_kernel(numbers, held + 99 * row, "gpu").height, 50U);
  EXPECT_EQ(plan_kernel(numbers, held + 24 * row, "gpu").height, 16U);
  EXPECT_EQ(plan_kernel(numbers, held + 24 * row, "gpu").trouble, "");
  EXPECT_EQ(plan_kernel(numbers, 100000, "GPU").trouble,
            "GPU has 0.0001 GB for this, but 0.000602 GB are needed at least to hold 1000 documents of 10 columns; "
            "expected a larger GPU, or the device cpu");
}

}  // namespace
}  // namespace dorm
