// SPDX-License-Identifier: Apache-2.0
// What is decided before a card is touched: whether it can be used, and what it holds. By hand.
#include <gtest/gtest.h>

#include "base/device/cuda_module.h"
#include "support/message_of.h"

namespace dorm {
namespace {

// Three pieces of 10, 20 and 30 documents of 6 features: rows of 8 floats, 32 bytes.
DeviceLists three_pieces() {
  DeviceLists lists;
  lists.features = 6;
  lists.list_begin = {0, 10, 30, 60};
  lists.piece_begin = {0, 1, 2, 3};
  lists.group_begin = {0, 3};
  return lists;
}

TEST(DevicePlan, BytesOfRows) {
  const DeviceLists lists = three_pieces();
  EXPECT_EQ(lists.stride(), 8U);
  EXPECT_EQ(lists.longest(), 30U);
  EXPECT_EQ(row_bytes(lists, 0, 3), 60U * 32);
  EXPECT_EQ(row_bytes(lists, 1, 2), 20U * 32);
  EXPECT_EQ(pieces_that_fit(lists, 0, 30 * 32), 2U);
  EXPECT_EQ(pieces_that_fit(lists, 0, 30 * 32 - 1), 1U);
  EXPECT_EQ(pieces_that_fit(lists, 2, 1), 3U);  // at least one
}

TEST(DevicePlan, AllIsHeldWhereItFits) {
  const ResidentPlan plan = plan_memory(three_pieces(), 100, 100 + 60 * 32, "card");
  EXPECT_EQ(plan.trouble, "");
  EXPECT_EQ(plan.resident_pieces, 3U);
  EXPECT_EQ(plan.part_bytes, 0U);
}

TEST(DevicePlan, WhatDoesNotFitIsSentInParts) {
  // The largest piece needs a buffer of 30 rows; beside it the first piece fits, the second does not.
  const ResidentPlan plan = plan_memory(three_pieces(), 100, 100 + 59 * 32, "card");
  EXPECT_EQ(plan.trouble, "");
  EXPECT_EQ(plan.part_bytes, 30U * 32);
  EXPECT_EQ(plan.resident_pieces, 1U);
}

TEST(DevicePlan, TooLittleMemoryIsSaidWithSizes) {
  DeviceLists lists = three_pieces();
  for (std::uint64_t& begin : lists.list_begin) begin *= 10'000'000;
  const ResidentPlan plan = plan_memory(lists, 1'000'000'000, 2'000'000'000, "NVIDIA X");
  EXPECT_EQ(plan.trouble,
            "NVIDIA X has 2 GB for this, but 10.6 GB are needed at least, 20.2 GB to hold all documents; expected a "
            "larger card, or the device cpu");
}

TEST(DevicePlan, WhyACardCannotBeUsed) {
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
            "the NVIDIA driver shows no card (CUDA_VISIBLE_DEVICES is \"7\"); expected at least one");
  EXPECT_EQ(cuda_trouble(13000, 13000, 1, 1, ""), "cuda:1 is asked for, but there is 1 card, cuda:0");
  EXPECT_EQ(cuda_trouble(13000, 13000, 2, 5, "0,1"),
            "cuda:5 is asked for, but there are 2 cards, cuda:0 to cuda:1 (CUDA_VISIBLE_DEVICES is \"0,1\")");
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
  EXPECT_EQ(plan_kernel(numbers, held + 100 * row, "card").height, 100U);
  EXPECT_EQ(plan_kernel(numbers, held + 100 * row, "card").bytes, held + 100 * row);
  EXPECT_EQ(plan_kernel(numbers, held + 99 * row, "card").height, 50U);
  EXPECT_EQ(plan_kernel(numbers, held + 24 * row, "card").height, 16U);
  EXPECT_EQ(plan_kernel(numbers, held + 24 * row, "card").trouble, "");
  EXPECT_EQ(plan_kernel(numbers, 100000, "card").trouble,
            "card has 0.0001 GB for this, but 0.000602 GB are needed at least to hold 1000 documents of 10 columns; "
            "expected a larger card, or the device cpu");
}

}  // namespace
}  // namespace dorm
