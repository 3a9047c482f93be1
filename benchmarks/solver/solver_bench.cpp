// SPDX-License-Identifier: Apache-2.0
// One solver on generated data: its history as CSV lines "pass,seconds,primal,dual,gap". Arguments: solver (or
// bcda-dense: bcda with the dense assignment oracle), queries, documents per query, features, C, tolerance, seconds.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "dorm/synth.h"
#include "learning/risk/ranking_risk.h"
#include "learning/train/rounds.h"
#include "learning/train/training_set.h"

namespace {

void run(const std::string& name, const dorm::SynthOptions& synth, double C, double tolerance, double seconds) {
  dorm::TrainingSet set(dorm::synthesize(synth), "auto", 1);
  const bool dense = name == "bcda-dense";
  dorm::RankingRisk risk(set.features(), *dorm::make_trainable("ndcg@10"), dorm::Decay("power:0.5"), 1,
                         dense ? dorm::OracleKind::assignment : dorm::OracleKind::automatic);
  const std::vector<double> start = set.fit({}).w;  // ridge
  risk.set_trade_off(set.units().trade_off(C, risk.num_blocks()));
  risk.set_reference(dorm::Bound::best, start);
  dorm::SolveOptions options;
  options.solver = dorm::parse_solver(dense ? "bcda" : name);
  options.tolerance = tolerance;
  options.seconds = seconds;
  options.max_passes = 1000000;
  const dorm::SolveReport report = dorm::solve(risk, options, {}, {start, {}}).report;
  for (const dorm::Progress& p : report.history)
    fmt::print("{},{},{:.17g},{:.17g},{}\n", p.pass, p.seconds, p.primal, p.dual, p.gap);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    fmt::print(stderr, "usage: solver_bench SOLVER QUERIES DOCUMENTS FEATURES C TOLERANCE SECONDS\n");
    return 2;
  }
  dorm::SynthOptions synth;
  synth.queries = std::strtoull(argv[2], nullptr, 10);
  synth.documents_median = std::atof(argv[3]);
  synth.features = std::strtoull(argv[4], nullptr, 10);
  synth.seed = 1;
  run(argv[1], synth, std::atof(argv[5]), std::atof(argv[6]), std::atof(argv[7]));
}
