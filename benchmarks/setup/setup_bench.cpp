// SPDX-License-Identifier: Apache-2.0
// What training does before its first pass, part by part, on one core; one line "part,seconds" each, of processor time,
// system time included. The first is streaming the features once, the last two are a pass of scores and pull-backs over
// scaled rows, all of them kept and none of them kept. Argument: a file in the binary form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>

#include "dorm/data/prepare.h"
#include "dorm/read.h"
#include "learning/risk/ranking_risk.h"
#include "learning/train/training_set.h"

namespace {

using namespace dorm;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void report(const char* part, const std::function<void()>& body, const std::function<void()>& before = {}) {
  double best = INFINITY;
  for (int repeat = 0; repeat < 3; ++repeat) {
    if (before) before();
    const double start = processor_seconds();
    body();
    best = std::min(best, processor_seconds() - start);
  }
  fmt::print("{},{}\n", part, best);
}

// In eight lanes, so that memory and not the adder is what is timed.
float sum_of(const Dataset& data) {
  float lanes[8] = {};
  for (std::size_t q = 0; q < data.num_queries(); ++q) {
    const Query query = data.query(q);
    const float* const values = query.rows.dense_row(0);
    for (std::size_t k = 0; k + 8 <= query.size() * query.rows.stride(); k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += values[k + lane];
  }
  return lanes[0] + lanes[1] + lanes[2] + lanes[3] + lanes[4] + lanes[5] + lanes[6] + lanes[7];
}

void visit_all(const LinearFeatures& features, std::span<const double> w) {
  std::vector<double> scores;
  Plane plane;
  PullBackWorkspace workspace;
  for (std::size_t q = 0; q < features.data().num_queries(); ++q) {
    scores.resize(features.data().query(q).size());
    features.scores(q, w, scores);
    features.pull_back(q, scores, plane, workspace);
  }
}

void run(const std::string& path) {
  volatile float sink = 0;
  const Dataset data = read_binary(path);
  report("stream", [&] { sink = sum_of(data); });
  report("read", [&] { read_binary(path); });
  report("leaks", [&] { find_label_leaks(data); });
  report(
      "scaling, norm, survey",
      [&] {
        Survey survey(data);
        TrainingSet(data, "auto", 1, {}, 1, &survey);
      },
      [&] { sink = sum_of(data); });  // scaling lets the rows of the file go
  const TrainingSet set(data, "auto", 1);
  std::vector<double> w;
  report("ridge", [&] { w = set.fit({.kind = InitialModel::ridge}).w; });
  const auto measure = make_trainable("ndcg@10");
  const Decay decay("measure");
  report("queries", [&] { RankingRisk(set.features(), *measure, decay, 1); });
  RankingRisk risk(set.features(), *measure, decay, 1);
  report("references", [&] { risk.set_reference(Bound::best, w); });
  report("risk of zero", [&] { risk.loss(std::vector<double>(w.size(), 0.0)); });
  const LinearFeatures kept(data, set.scaling(), std::numeric_limits<std::uint64_t>::max(), 1);
  report("pass, rows kept", [&] { visit_all(kept, w); });
  const LinearFeatures visited(data, set.scaling(), 0, 1);
  report("pass, rows scaled on visit", [&] { visit_all(visited, w); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: setup_bench FILE.dorm\n");
    return 2;
  }
  run(argv[1]);
  return 0;
}
