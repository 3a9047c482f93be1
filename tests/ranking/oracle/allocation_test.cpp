// SPDX-License-Identifier: Apache-2.0
// Counts allocations: none once a workspace has seen the longest query.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "ranking/oracle/instances.h"

namespace {
std::atomic<std::size_t> allocations{0};
}

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size) { return operator new(size); }
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
void operator delete[](void* p) noexcept { operator delete(p); }
void operator delete[](void* p, std::size_t) noexcept { operator delete(p); }

namespace dorm {
namespace {

using test::Instance;
using test::random_instance;

TEST(Allocation, NoneAfterWarmUp) {
  Rng rng(12);
  std::vector<Instance> instances;
  std::vector<PreparedQuery> queries;
  OracleTables tables;
  for (int k = 0; k < 300; ++k) {
    instances.push_back(random_instance(1 + rng.below(300), rng));
    queries.push_back(prepare(instances.back().factors, Decay(instances.back().decay), tables));
  }
  OracleWorkspace work;
  Separation out;
  const auto pass = [&] {
    for (std::size_t k = 0; k < queries.size(); ++k) {
      for (OracleKind kind : {OracleKind::automatic, OracleKind::merge, OracleKind::exchange, OracleKind::paths}) {
        if (supports(queries[k], kind)) separate(queries[k], instances[k].scores, out, work, kind);
      }
    }
  };
  pass();
  const std::size_t before = allocations;
  EXPECT_GT(before, 0u);
  pass();
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace dorm
