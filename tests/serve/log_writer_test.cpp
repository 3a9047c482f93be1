// SPDX-License-Identifier: Apache-2.0
#include "serve/log_writer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

namespace dorm::serve {
namespace {

TEST(LogWriter, WritesAllLinesInOrderBeforeItEnds) {
  std::vector<std::string> lines;
  {
    LogWriter log([&](std::string_view line) { lines.emplace_back(line); });
    for (int k = 0; k < 1000; ++k) log.add(std::to_string(k));
    EXPECT_EQ(log.dropped(), 0u);
  }
  ASSERT_EQ(lines.size(), 1000u);
  for (std::size_t k = 0; k < lines.size(); ++k) EXPECT_EQ(lines[k], std::to_string(k));
}

TEST(LogWriter, DropsAndCountsWhatAStuckWriterDoesNotTake) {
  const auto release = std::make_shared<std::promise<void>>();
  const std::shared_future<void> released = release->get_future().share();
  {
    LogWriter log([released](std::string_view) { released.wait(); });
    const std::string line(1000, 'x');
    for (int k = 0; k < 5000; ++k) log.add(line);
    EXPECT_GE(log.dropped(), 3900u) << "no more than a mebibyte waits";
    EXPECT_LE(log.dropped(), 5000u);
  }
  release->set_value();  // the end has not waited for it
}

TEST(LogWriter, CountsLinesThatCannotBeWritten) {
  LogWriter log([](std::string_view) { throw std::runtime_error("no space left on device"); });
  log.add("a");
  log.add("b");
  for (int k = 0; log.dropped() < 2 && k < 1000; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(log.dropped(), 2u);
}

TEST(LogWriter, WithoutAFunctionThereIsNoLog) {
  LogWriter log({});
  EXPECT_FALSE(log.wanted());
  log.add("a");
  EXPECT_EQ(log.dropped(), 0u);
}

}  // namespace
}  // namespace dorm::serve
