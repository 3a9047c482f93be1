// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/batch_relay.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/parallel.h"

namespace dorm {
namespace {

void relay(std::size_t threads, std::size_t count, std::size_t batch,
           const std::function<void(std::size_t, std::size_t)>& body,
           const std::function<void(std::size_t, std::size_t)>& serial) {
  BatchRelay work(body);
  ThreadPool pool(threads);
  pool.run(threads, [&](std::size_t index, std::size_t worker) {
    if (index == 0)
      work.lead(count, batch, worker, serial);
    else
      work.follow(worker);
  });
}

TEST(BatchRelay, SerialPartsSeeTheirWholeBatchAndNothingLater) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    std::vector<int> visits(103, 0);
    std::size_t expected_first = 0;
    relay(
        threads, visits.size(), 10, [&](std::size_t i, std::size_t) { ++visits[i]; },
        [&](std::size_t first, std::size_t last) {
          EXPECT_EQ(first, expected_first);
          for (std::size_t i = 0; i < visits.size(); ++i) EXPECT_EQ(visits[i], i < last ? 1 : 0);
          expected_first = last;
        });
    EXPECT_EQ(expected_first, visits.size());
  }
}

TEST(BatchRelay, RethrowsTheLowestIndexOfTheBatch) {
  for (const std::size_t threads : {1u, 3u}) {
    std::string message;
    try {
      relay(
          threads, 40, 8,
          [](std::size_t i, std::size_t) {
            if (i >= 18) throw std::runtime_error(std::to_string(i));
          },
          [](std::size_t, std::size_t) {});
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "18") << threads << " threads";
  }
}

}  // namespace
}  // namespace dorm
