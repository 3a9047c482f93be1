// SPDX-License-Identifier: Apache-2.0
// Solves random instances and writes them with the answers, for another implementation to judge: oracle_driver SEED
// COUNT SHORTEST LONGEST > FILE. Each record: length as a double, the value found, then a, c, b, g.
#include <cstdio>
#include <cstdlib>

#include "ranking/oracle/instances.h"

int main(int argc, char** argv) {
  using namespace dorm;
  if (argc != 5) return 2;
  Rng rng(std::strtoull(argv[1], nullptr, 10));
  const std::size_t shortest = std::strtoul(argv[3], nullptr, 10), longest = std::strtoul(argv[4], nullptr, 10);
  OracleWorkspace work;
  Separation out;
  for (long k = std::strtol(argv[2], nullptr, 10); k > 0;) {
    const test::Instance x = test::random_instance(shortest + rng.below(longest - shortest + 1), rng);
    if (x.factors.kind == Factors::Kind::first) continue;
    OracleTables tables;
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables);
    separate(query, x.scores, out, work);
    const std::size_t l = query.size();
    const double head[2] = {static_cast<double>(l), out.value};
    std::fwrite(head, sizeof(double), 2, stdout);
    for (const double* numbers : {x.factors.a.data(), query.tables->c.data(), x.factors.b.data(), x.scores.data()}) {
      std::fwrite(numbers, sizeof(double), l, stdout);
    }
    --k;
  }
}
