// SPDX-License-Identifier: Apache-2.0
// What a training pass costs against reading the features once, on generated data. One CSV line:
// stream,features,oracle,planes,pass,two_threads: seconds of one pass; planes are what remains of a pass of a bcda run.
// Processor time, but for two threads. Arguments: queries, documents per query, features, decay.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numeric>

#include "base/rng.h"
#include "base/vector/ordered_sum.h"
#include "dorm/synth.h"
#include "learning/risk/ranking_risk.h"
#include "learning/solver/oracle_workers.h"
#include "learning/train/rounds.h"
#include "learning/train/training_set.h"

namespace {

using namespace dorm;

constexpr int kPasses = 20, kSolves = 6;
constexpr std::size_t kBatch = 16;

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Processor time of body(first, last) over all of [0, count): the sum over short stretches of the least of several
// passes, which other programs on the machine disturb little.
template <class Body>
double seconds_of(std::size_t count, const Body& body) {
  constexpr std::size_t kStretches = 15;
  std::vector<double> best(kStretches, INFINITY);
  for (int pass = 0; pass < kPasses; ++pass)
    for (std::size_t k = 0; k < kStretches; ++k) {
      const double start = processor_seconds();
      body(piece_begin(count, kStretches, k), piece_begin(count, kStretches, k + 1));
      best[k] = std::min(best[k], processor_seconds() - start);
    }
  return std::accumulate(best.begin(), best.end(), 0.0);
}

// The sum of all floats of some queries, in lanes enough that memory and not the adder is what is timed.
float sum_of(const Dataset& data, std::size_t first, std::size_t last) {
  constexpr std::size_t kSums = 64;
  float sums[kSums] = {};
  const float* values = data.query(first).rows.dense_row(0);
  const std::size_t count = (data.first_document(last - 1) + data.query(last - 1).size() - data.first_document(first)) *
                            data.query(first).rows.stride();
  for (std::size_t k = 0; k + kSums <= count; k += kSums)
    for (std::size_t lane = 0; lane < kSums; ++lane) sums[lane] += values[k + lane];
  return std::accumulate(sums, sums + kSums, 0.0f);
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
  return seconds_of(queries.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t q = first; q < last; ++q) separate(queries[q], scores[q], separation, workspace);
  });
}

// Features and oracle, in the random order and the batches of a pass.
double linearize_seconds(const RankingRisk& risk, std::span<const double> w) {
  OracleWorkers workers(risk, 1);
  std::vector<std::size_t> order = workers.blocks();
  Rng(1).shuffle(std::span(order));
  return seconds_of(order.size(), [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; k += kBatch) {
      const std::size_t end = std::min(last, k + kBatch);
      workers.linearize(
          std::span(order).subspan(k, end - k), w, [](const BlockResponse&) {}, std::span(order).subspan(end));
    }
  });
}

struct Timed {
  SolveResult result;
  double seconds = INFINITY;  // of a pass: processor time on one thread, else by the clock
};

void solve_again(const RankingRisk& risk, std::span<const double> start, std::size_t threads, Timed& best) {
  SolveOptions options;
  options.threads = threads;
  const double before = processor_seconds();
  SolveResult result = solve(risk, options, {}, {start, {}});
  const double taken = threads == 1 ? processor_seconds() - before : result.report.seconds;
  best.seconds = std::min(best.seconds, taken / static_cast<double>(result.report.passes));
  best.result = std::move(result);
}

int run(const SynthOptions& synth, const std::string& decay_name) {
  TrainingSet set(synthesize(synth), "none", 1);
  const auto measure = make_trainable("ndcg@10");
  const Decay decay(decay_name);
  RankingRisk risk(set.features(), *measure, decay, 1);
  const std::vector<double> start = set.fit({}).w;
  risk.set_trade_off(set.units().trade_off(100, risk.num_blocks()));
  risk.set_reference(Bound::best, start);

  Timed one, two;
  for (int pass = 0; pass < kSolves; ++pass) {  // in turns
    solve_again(risk, start, 1, one);
    solve_again(risk, start, 2, two);
  }
  if (one.result.w != two.result.w || one.result.report.status != SolveStatus::converged) {
    fmt::print(stderr, "two threads gave another result, or the solver did not converge: no timing\n");
    return 1;
  }
  const Dataset& data = set.features().data();
  volatile float sink = 0;
  const double stream =
      seconds_of(data.num_queries(), [&](std::size_t first, std::size_t last) { sink = sum_of(data, first, last); });
  const double oracle = oracle_seconds(set.linear_features(), *measure, decay, one.result.w);
  const double linearize = linearize_seconds(risk, one.result.w);
  fmt::print("{},{},{},{},{},{}\n", stream, linearize - oracle, oracle, one.seconds - linearize, one.seconds,
             two.seconds);
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
