// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

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

TEST(Parallel, TheNumberOfThreadsIsBounded) {
  const std::size_t most = std::max<std::size_t>(64, 4 * std::thread::hardware_concurrency());
  EXPECT_EQ(thread_count(5), 5u);
  EXPECT_EQ(thread_count(std::numeric_limits<std::size_t>::max()), most);
  EXPECT_LE(ThreadPool(std::numeric_limits<std::size_t>::max()).size(), most);
}

std::size_t threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (std::size_t count = 0; word == "Threads:" && status >> count) return count;
  return 0;
}

// Threads that pools gave back for good are ending: until they have, their stacks are address space that comes free.
void wait_for_ending_threads() {
  const std::size_t staying = thread_count(0) + 1;  // those that sleep, and this one
  for (int wait = 0; wait < 5000 && threads_of_this_process() > staying; ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Address space for a few stacks only: threads fail to start, and the pool goes on with those it has.
TEST(Parallel, GoesOnWithoutThreadsThatCannotBeMade) {
  wait_for_ending_threads();
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  long pages = 0;
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{40} << 20);
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &tight), 0);
  std::vector<int> visits(1000, 0);
  std::size_t size = 0;
  {
    ThreadPool pool(64);
    size = pool.size();
    for (int round = 0; round < 3; ++round) pool.run(visits.size(), [&](std::size_t i, std::size_t) { ++visits[i]; });
  }
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_EQ(std::count(visits.begin(), visits.end(), 3), 1000);
  EXPECT_LT(size, 64u);
}

std::size_t sum_of_squares(std::size_t count, std::size_t threads) {
  std::vector<std::size_t> squares(count, 0);
  parallel_for(count, threads, [&](std::size_t i, std::size_t) { squares[i] += i * i; });
  return std::accumulate(squares.begin(), squares.end(), std::size_t{0});
}
constexpr std::size_t kSquares = 99 * 100 * 199 / 6;  // of 0 to 99

TEST(Parallel, WorksInsideOtherWorkAndForSeveralUsersAtOnce) {
  std::vector<std::thread> users;
  std::vector<std::size_t> wrong(4, 0);
  for (std::size_t user = 0; user < wrong.size(); ++user)
    users.emplace_back([&wrong, user] {
      for (int round = 0; round < 50; ++round) {
        std::vector<std::size_t> sums(3);
        parallel_for(3, 3, [&](std::size_t i, std::size_t) { sums[i] = sum_of_squares(100, 2); });
        wrong[user] += static_cast<std::size_t>(std::count(sums.begin(), sums.end(), kSquares) != 3);
      }
    });
  for (std::thread& user : users) user.join();
  EXPECT_EQ(std::count(wrong.begin(), wrong.end(), 0u), 4);
}

TEST(Parallel, ThreadsAreUsedAgain) {
  EXPECT_EQ(sum_of_squares(100, 2), kSquares);
  wait_for_ending_threads();
  const std::size_t before = threads_of_this_process();
  for (int round = 0; round < 200; ++round) EXPECT_EQ(sum_of_squares(100, 2), kSquares);
  EXPECT_EQ(threads_of_this_process(), before);
}

// A forked process inherits no threads: it makes its own, and an old pool goes on without.
TEST(Parallel, GoesOnInAForkedProcess) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the thread sanitizer ends forked processes that make threads";
#endif
  ThreadPool pool(3);
  EXPECT_EQ(sum_of_squares(100, 3), kSquares);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::alarm(20);
    std::vector<int> visits(100, 0);
    pool.run(visits.size(), [&](std::size_t i, std::size_t) { ++visits[i]; });
    const bool alone = std::count(visits.begin(), visits.end(), 1) == 100 && pool.size() == 1;
    const bool own = sum_of_squares(100, 3) == kSquares && threads_of_this_process() == 3;
    ::_exit(alone && own ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(sum_of_squares(100, 3), kSquares);
}

TEST(Parallel, NothingToDoReturnsAtOnce) {
  parallel_for(0, 2, [](std::size_t, std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace dorm
