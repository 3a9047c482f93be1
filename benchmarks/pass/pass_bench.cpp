// SPDX-License-Identifier: Apache-2.0
// What a training pass costs against reading the features once, on generated data. One CSV line:
// stream,features,oracle,planes,pass,two_threads: seconds; the middle ones are per pass of a bcda run. Arguments:
// queries, documents per query, features, decay.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "dorm/synth.h"
#include "learning/risk/ranking_risk.h"
#include "learning/train/rounds.h"
#include "learning/train/training_set.h"

namespace {

using namespace dorm;

double seconds_of(const std::function<void()>& body) {
  double best = INFINITY;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    body();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

// The sum of all floats, in eight lanes so that memory and not the adder is what is timed.
float sum_of(const Dataset& data) {
  float lanes[8] = {};
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const float* values = query.rows.dense_row(0);
    const std::size_t count = query.size() * query.rows.stride();
    for (std::size_t k = 0; k < count; k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += values[k + lane];
  }
  float sum = 0;
  for (const float lane : lanes) sum += lane;
  return sum;
}

double oracle_seconds(const LinearFeatures& features, const FactoredMeasure& measure, const Decay& decay,
                      std::span<const double> w) {
  OracleTables tables;
  std::vector<PreparedQuery> queries;
  std::vector<std::vector<double>> scores;
  const Dataset& data = features.data();
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    queries.push_back(prepare(measure.factor(data.query(q).labels), decay, tables));
    scores.emplace_back(data.query(q).size());
    features.scores(q, w, scores.back());
  }
  Separation separation;
  OracleWorkspace workspace;
  return seconds_of([&] {
    for (std::size_t q = 0; q < queries.size(); ++q) separate(queries[q], scores[q], separation, workspace);
  });
}

SolveResult solve_with(const RankingRisk& risk, std::span<const double> start, std::size_t threads) {
  SolveOptions options;
  options.threads = threads;
  return solve(risk, options, {}, {start, {}});
}

int run(const SynthOptions& synth, const std::string& decay_name) {
  TrainingSet set(synthesize(synth), "none", 1);
  const auto measure = make_trainable("ndcg@10");
  const Decay decay(decay_name);
  RankingRisk risk(set.features(), *measure, decay, 1);
  const std::vector<double>& start = set.start(Start::ridge);
  risk.set_trade_off(set.units().trade_off(100, risk.num_blocks()));
  risk.set_reference(Bound::best, start);

  const SolveResult one = solve_with(risk, start, 1), two = solve_with(risk, start, 2);
  if (one.w != two.w || one.report.status != SolveStatus::converged) {
    fmt::print(stderr, "two threads gave another result, or the solver did not converge: no timing\n");
    return 1;
  }
  volatile float sink = 0;
  const double stream = seconds_of([&] { sink = sum_of(set.features().data()); });
  const double oracle = oracle_seconds(set.linear_features(), *measure, decay, one.w);
  const auto passes = static_cast<double>(one.report.passes);
  fmt::print("{},{},{},{},{},{}\n", stream, one.report.oracle_seconds / passes - oracle, oracle,
             one.report.qp_seconds / passes, one.report.seconds / passes, two.report.seconds / passes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: pass_bench QUERIES DOCUMENTS FEATURES DECAY\n");
    return 2;
  }
  SynthOptions synth;
  synth.queries = std::strtoull(argv[1], nullptr, 10);
  synth.documents_median = std::atof(argv[2]);
  synth.features = std::strtoull(argv[3], nullptr, 10);
  synth.seed = 1;
  return run(synth, argv[4]);
}
