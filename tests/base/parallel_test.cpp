// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace dorm {
namespace {

TEST(Parallel, VisitsEveryIndexOnceWhateverTheThreads) {
  for (std::size_t threads : {1u, 2u, 7u}) {
    std::vector<int> visits(1000, 0);
    parallel_for(visits.size(), threads, [&](std::size_t i, std::size_t) { ++visits[i]; });
    EXPECT_EQ(std::count(visits.begin(), visits.end(), 1), 1000) << threads << " threads";
  }
}

TEST(Parallel, PoolIsReusable) {
  ThreadPool pool(3);
  std::vector<std::size_t> out(50);
  for (std::size_t round = 1; round <= 20; ++round) {
    pool.run(out.size(), [&](std::size_t i, std::size_t) { out[i] = i * round; });
    EXPECT_EQ(std::accumulate(out.begin(), out.end(), std::size_t{0}), round * 49 * 50 / 2);
  }
}

TEST(Parallel, WorkerNumbersStayBelowTheSize) {
  ThreadPool pool(4);
  std::vector<std::size_t> worker(200);
  pool.run(worker.size(), [&](std::size_t i, std::size_t w) { worker[i] = w; });
  for (std::size_t w : worker) EXPECT_LT(w, pool.size());
}

TEST(Parallel, RethrowsAndStaysUsable) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.run(10,
                        [](std::size_t i, std::size_t) {
                          if (i == 3) throw std::runtime_error("three");
                        }),
               std::runtime_error);
  int calls = 0;
  pool.run(1, [&](std::size_t, std::size_t) { ++calls; });
  EXPECT_EQ(calls, 1);
}

TEST(Parallel, NothingToDoReturnsAtOnce) {
  parallel_for(0, 2, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace dorm
