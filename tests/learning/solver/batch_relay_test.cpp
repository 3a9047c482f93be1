// SPDX-License-Identifier: Apache-2.0
#include "learning/solver/batch_relay.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "base/parallel.h"

namespace dorm {
namespace {

// body(index, worker) for [0, count) in batches, after(last) behind each; an exception ends the followers, too.
void relay(std::size_t threads, std::size_t count, std::size_t batch, const std::function<void(std::size_t)>& body,
           const std::function<void(std::size_t)>& after) {
  BatchRelay work;
  ThreadPool pool(threads);
  pool.run(threads, [&](std::size_t index, std::size_t worker) {
    if (index > 0) return work.follow(worker);
    try {
      for (std::size_t first = 0; first < count; first += batch) {
        const std::size_t size = std::min(batch, count - first);
        work.run(size, worker, [&](std::size_t i, std::size_t) { body(first + i); });
        after(first + size);
      }
    } catch (...) {
      work.finish();
      throw;
    }
    work.finish();
  });
}

TEST(BatchRelay, ABatchIsWholeWhenItReturnsAndNothingLaterHasBegun) {
  for (const std::size_t threads : {1u, 2u, 4u}) {
    std::vector<int> visits(103, 0);
    std::size_t done = 0;
    relay(
        threads, visits.size(), 10, [&](std::size_t i) { ++visits[i]; },
        [&](std::size_t last) {
          for (std::size_t i = 0; i < visits.size(); ++i) EXPECT_EQ(visits[i], i < last ? 1 : 0);
          done = last;
        });
    EXPECT_EQ(done, visits.size());
  }
}

TEST(BatchRelay, RethrowsTheLowestIndexOfTheBatch) {
  for (const std::size_t threads : {1u, 3u}) {
    std::string message;
    try {
      relay(
          threads, 40, 8,
          [](std::size_t i) {
            if (i >= 18) throw std::runtime_error(std::to_string(i));
          },
          [](std::size_t) {});
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, "18") << threads << " threads";
  }
}

}  // namespace
}  // namespace dorm
