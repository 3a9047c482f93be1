// SPDX-License-Identifier: Apache-2.0
// A training on a device, in parts. One CSV line: device,threads,C,shards,seconds,solve,oracle,dual,passes,primal,dual
// bound; `seconds` are those of the whole training with all transfers, without reading the file.
#include <fmt/format.h>

#include <cstdlib>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/train.h"

int main(int argc, char** argv) try {
  if (argc < 5) {
    fmt::print(stderr, "usage: gpu_train_bench DATA DEVICE THREADS C [SHARDS [BYTES [DECAY [ROUNDS]]]]\n");
    return 2;
  }
  dorm::TrainOptions options;
  options.bound = dorm::Bound::best;
  options.rounds = 1;
  options.device = argv[2];
  options.solve.threads = std::strtoull(argv[3], nullptr, 10);
  options.C = std::atof(argv[4]);
  if (argc > 5) options.shards = std::strtoull(argv[5], nullptr, 10);
  if (argc > 6) options.device_bytes = std::strtoull(argv[6], nullptr, 10);
  if (argc > 7) options.decay = argv[7];
  if (argc > 8) options.rounds = std::strtoull(argv[8], nullptr, 10);
  const dorm::Dataset data = dorm::read_dataset(argv[1]);
  const dorm::TrainResult result = dorm::train(data, options);
  const dorm::SolveReport& solve = result.report.solve;
  fmt::print("{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{:.8g},{:.8g}\n", options.device, options.solve.threads,
             options.C, options.shards, result.report.seconds, solve.seconds, solve.oracle_seconds, solve.qp_seconds,
             solve.passes, solve.primal, solve.dual);
} catch (const dorm::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
