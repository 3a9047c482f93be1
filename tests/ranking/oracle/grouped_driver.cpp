// SPDX-License-Identifier: Apache-2.0
// As oracle_driver, with limits on groups: grouped_driver SEED COUNT SHORTEST LONGEST > FILE. Each record, all
// doubles: documents l, groups G, list length n, the value found, then a, c, b, g, group of each document (l numbers
// each), limits (G).
#include <cstdio>
#include <cstdlib>

#include "ranking/oracle/grouped_instances.h"

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
    const PreparedQuery query = prepare(x.factors, Decay(x.decay), tables, test::random_groups(x.scores.size(), rng));
    separate(query, x.scores, out, work);
    const std::size_t l = query.size();
    const auto write = [](const std::vector<double>& numbers, std::size_t count) {
      std::fwrite(numbers.data(), sizeof(double), count, stdout);
    };
    write({static_cast<double>(l), static_cast<double>(query.groups.limit.size()), static_cast<double>(query.shown),
           out.value},
          4);
    write(x.factors.a, l);
    write(query.tables->c, l);
    write(x.factors.b, l);
    write(x.scores, l);
    write({query.groups.group_of.begin(), query.groups.group_of.end()}, l);
    write({query.groups.limit.begin(), query.groups.limit.end()}, query.groups.limit.size());
    --k;
  }
}
