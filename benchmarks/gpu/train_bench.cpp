// SPDX-License-Identifier: Apache-2.0
// Trainings on a device, in parts. A CSV line each:
//
//   device,threads,C,solver,run,seconds,solve,oracle,program,passes,primal,dual
//
// `seconds` are those of the whole training with all transfers, without reading the file. The first run of a process
// includes what it takes to start a GPU.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "dorm/error.h"
#include "dorm/read.h"
#include "dorm/train.h"

int main(int argc, char** argv) try {
  std::map<std::string, std::string> given = {
      {"device", "cuda"}, {"threads", "0"}, {"C", "100"},         {"rounds", "1"}, {"solver", ""},
      {"bytes", "0"},     {"shards", "0"},  {"decay", "measure"}, {"runs", "1"},   {"tolerance", "1e-3"}};
  for (int k = 2; k < argc; ++k) {
    const std::string word = argv[k];
    const std::size_t sign = word.find('=');
    if (sign == std::string::npos || !given.contains(word.substr(0, sign))) argc = 0;
    given[word.substr(0, sign)] = word.substr(sign + 1);
  }
  if (argc < 2) {
    fmt::print(stderr, "usage: gpu_train_bench DATA [NAME=VALUE ...]\n");
    for (const auto& [name, value] : given) fmt::print(stderr, "  {}={}\n", name, value);
    return 2;
  }
  const auto whole = [&](const char* name) { return std::strtoull(given[name].c_str(), nullptr, 10); };
  dorm::TrainOptions options;
  options.bound = dorm::Bound::best;
  options.rounds = whole("rounds");
  options.compute.device = given["device"];
  options.compute.memory = whole("bytes");
  options.shards = whole("shards");
  options.decay = given["decay"];
  options.C = std::atof(given["C"].c_str());
  options.compute.threads = whole("threads");
  options.solve.tolerance = std::atof(given["tolerance"].c_str());
  if (!given["solver"].empty()) options.solve.solver = dorm::parse_solver(given["solver"]);
  const dorm::Dataset data = dorm::read_dataset(argv[1]);
  for (std::size_t run = 1; run <= whole("runs"); ++run) {
    const dorm::TrainResult result = dorm::train(data, options);
    const dorm::SolveReport& solve = result.report.solve;
    fmt::print("{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{},{:.8g},{:.8g}\n", options.compute.device,
               options.compute.threads, options.C, result.model.solver, run, result.report.seconds, solve.seconds,
               solve.oracle_seconds, solve.qp_seconds, solve.passes, solve.primal, solve.dual);
  }
} catch (const dorm::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
