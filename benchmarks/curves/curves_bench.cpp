// SPDX-License-Identifier: Apache-2.0
// What curves cost beside lines, on generated data. One CSV line of two figures each, lines first: seconds of a pass of
// features and oracles, of a training to a gap of 1e-3, of scoring new documents; bytes of what training stores of the
// features. Processor time of one thread. Arguments: queries, documents per query, features, curves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numeric>

#include "base/rng.h"
#include "base/vector/ordered_sum.h"
#include "dorm/measure.h"
#include "dorm/synth.h"
#include "learning/risk/ranking_risk.h"
#include "learning/solver/oracle_workers.h"
#include "learning/train/rounds.h"
#include "learning/train/training_set.h"

namespace {

using namespace dorm;

constexpr int kPasses = 10;
constexpr std::size_t kBatch = 16;

double processor_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The least of several passes over short stretches, which other programs on the machine disturb little.
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

struct Costs {
  double pass = 0, training = INFINITY, scoring = INFINITY;
  std::size_t passes = 0;
};

Costs costs_of(const Dataset& data, const Dataset& scored, const std::string& curves) {
  KernelOptions representation;
  representation.curves = curves;
  const TrainingSet set(data, {"zscore", {}}, 1, representation);
  const auto measure = make_trainable("ndcg@10");
  RankingRisk risk(set.features(), *measure, Decay("measure"), 1);
  const std::vector<double> start = set.fit({}).w;
  risk.set_trade_off(set.units().trade_off(100, risk.num_blocks()));
  risk.set_reference(Bound::best, start);
  Costs costs;
  std::vector<double> w;
  for (int k = 0; k < 2; ++k) {
    const double before = processor_seconds();
    SolveResult result = solve(risk, {.tolerance = 1e-3}, {}, {start, {}});
    costs.training = std::min(costs.training, processor_seconds() - before);
    costs.passes = result.report.passes;
    w = std::move(result.w);
  }
  costs.pass = linearize_seconds(risk, w);
  const Model model = set.model(w);
  for (int k = 0; k < kPasses; ++k) {
    const double before = processor_seconds();
    score(model, scored, 1);
    costs.scoring = std::min(costs.scoring, processor_seconds() - before);
  }
  return costs;
}

int run(const SynthOptions& synth, const std::string& curves) {
  SynthOptions other = synth;
  other.queries = 1000;
  other.documents_median = 120;
  other.seed = 2;
  const Dataset data = synthesize(synth), scored = synthesize(other);
  const Costs lines = costs_of(data, scored, "none"), curved = costs_of(data, scored, curves);
  fmt::print("{},{},{},{},{},{},{},{}\n", lines.pass, curved.pass, lines.training, curved.training, lines.scoring,
             curved.scoring, lines.passes, curved.passes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: curves_bench QUERIES DOCUMENTS FEATURES CURVES\n");
    return 2;
  }
  SynthOptions synth;
  synth.queries = std::strtoull(argv[1], nullptr, 10);
  synth.documents_median = std::atof(argv[2]);
  synth.features = std::strtoull(argv[3], nullptr, 10);
  synth.seed = 1;
  return run(synth, argv[4]);
}
