// SPDX-License-Identifier: Apache-2.0
// Times of the oracle with limits on groups, on one core: diversity_bench DIRECTORY. oracle_times.csv: by list
// length, number of groups and limit, beside the oracle without limits and the dense assignment of positions to
// groups, whose value is compared first. oracle_share.csv: the oracle's part of a pass over generated queries, beside
// the feature products.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <vector>

#include "base/rng.h"
#include "dorm/data/one_per.h"
#include "dorm/learning/assignment.h"
#include "dorm/oracle.h"
#include "dorm/ranking/group_lists.h"
#include "dorm/synth.h"
#include "learning/risk/ranking_risk.h"
#include "learning/risk/ridge.h"

namespace {

using namespace dorm;

constexpr std::size_t kCutoff = 10, kInstances = 16;

// Of this process alone: the machine may be shared.
double cpu_micros() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

template <class Body>
double best_micros(const Body& body) {
  double best = 1e300, total = 0;
  for (int repeat = 0; repeat < 20 || (total < 5e4 && repeat < 500); ++repeat) {
    const double began = cpu_micros();
    body();
    const double taken = cpu_micros() - began;
    best = std::min(best, taken);
    total += taken;
  }
  return best;
}

// Five grades 52/32/13/2/1 %, scores that half agree with them, groups with Zipf-like sizes.
struct Instance {
  Factors factors;
  std::vector<double> scores;
  GroupLimits groups;
};

Instance make_instance(std::size_t l, std::size_t groups, std::uint32_t limit, Rng& rng) {
  Instance x{{std::vector<double>(l, 0.0), std::vector<double>(l)}, std::vector<double>(l), {}};
  for (std::size_t j = 0; j < std::min(l, kCutoff); ++j) x.factors.a[j] = 1 / std::log2(static_cast<double>(j) + 2);
  for (std::size_t i = 0; i < l; ++i) {
    const double u = rng.uniform();
    const int grade = u < 0.52 ? 0 : u < 0.84 ? 1 : u < 0.97 ? 2 : u < 0.99 ? 3 : 4;
    x.factors.b[i] = (std::exp2(grade) - 1) / 20;
    x.scores[i] = 0.3 * (0.5 * grade + rng.normal());
    const double place = std::pow(rng.uniform(), 2) * static_cast<double>(groups);
    x.groups.group_of.push_back(static_cast<std::uint32_t>(groups == l ? static_cast<double>(i) : place));
  }
  x.groups.limit.assign(groups, limit);
  return x;
}

double dense_value(const Instance& x, const PreparedQuery& query) {
  const std::size_t columns = x.groups.limit.size();
  std::vector<double> best(query.shown * columns, -1e9);
  for (std::size_t j = 0; j < query.shown; ++j)
    for (std::size_t i = 0; i < query.size(); ++i) {
      double& entry = best[j * columns + x.groups.group_of[i]];
      entry = std::max(entry, query.tables->c[j] * x.scores[i] - query.tables->a[j] * query.b[i]);
    }
  return assign(best, query.shown, columns, Sense::maximize).value;
}

void time_oracles(const std::string& folder) {
  std::ofstream out(folder + "/oracle_times.csv");
  out << "decay,documents,groups,limit,micros,without_limits,dense\n";
  Separation found;
  OracleWorkspace work;
  for (const char* decay : {"measure", "power:0.5"})
    for (std::size_t l : {50u, 120u, 500u, 2000u})
      for (std::size_t groups : {std::max<std::size_t>(l / 10, 10), l / 2, l})
        for (std::uint32_t limit : {1u, 3u}) {
          Rng rng(l + groups);
          OracleTables tables;
          std::vector<Instance> instances;
          std::vector<PreparedQuery> limited, plain;
          for (std::size_t k = 0; k < kInstances; ++k) {
            instances.push_back(make_instance(l, groups, limit, rng));
            const Instance& x = instances.back();
            limited.push_back(prepare(x.factors, Decay(decay), tables, x.groups));
            plain.push_back(prepare(x.factors, Decay(decay), tables));
            separate(limited.back(), x.scores, found, work);
            if (limit == 1 && std::abs(dense_value(x, limited.back()) - found.value) > 1e-9) std::exit(1);
          }
          const auto time = [&](const std::vector<PreparedQuery>& queries) {
            return best_micros([&] {
                     for (std::size_t k = 0; k < kInstances; ++k)
                       separate(queries[k], instances[k].scores, found, work);
                   }) /
                   kInstances;
          };
          const double dense = limit > 1 ? std::nan("") : best_micros([&] {
                                                            for (std::size_t k = 0; k < kInstances; ++k)
                                                              dense_value(instances[k], limited[k]);
                                                          }) / kInstances;
          out << fmt::format("{},{},{},{},{:.3f},{:.3f},{:.3f}\n", decay, l, groups, limit, time(limited), time(plain),
                             dense);
        }
}

// One linearisation of every query at the ridge start; the same with the scores at hand is the oracle alone.
void time_share(const std::string& folder) {
  std::ofstream out(folder + "/oracle_share.csv");
  out << "decay,one_per,linearise,oracle\n";
  const Dataset data =
      synthesize({.queries = 300, .features = 136, .documents_median = 85, .groups = 30, .seed = 1, .threads = 1});
  const LinearFeatures features(data);
  const std::vector<double> w = ridge(features, 1e-2, 1);
  const auto measure = make_trainable("ndcg@10");
  for (const char* decay : {"measure", "power:0.5"})
    for (const char* one_per : {"", "group", "group:3"}) {
      std::vector<GroupLimits> groups;
      if (*one_per != 0) groups = group_limits(data, parse_one_per(one_per));
      RankingRisk risk(features, *measure, Decay(decay), 1, OracleKind::automatic, groups);
      risk.set_reference(Bound::given, {});
      const auto workspace = risk.make_workspace();
      Plane plane;
      const double whole = best_micros([&] {
        for (std::size_t q = 0; q < risk.num_blocks(); ++q) risk.linearize(q, w, plane, *workspace);
      });
      OracleTables tables;
      OracleWorkspace work;
      Separation found;
      std::vector<PreparedQuery> queries;
      std::vector<std::vector<double>> scores;
      for (std::size_t q = 0; q < data.num_queries(); ++q) {
        scores.emplace_back(data.query(q).size());
        features.scores(q, w, scores.back());
        const Labels labels = data.query(q).labels;
        queries.push_back(groups.empty()
                              ? prepare(measure->factor(labels), Decay(decay), tables)
                              : prepare(factor_within(*measure, labels, groups[q]), Decay(decay), tables, groups[q]));
      }
      const double oracle = best_micros([&] {
        for (std::size_t q = 0; q < queries.size(); ++q) separate(queries[q], scores[q], found, work);
      });
      const auto each = static_cast<double>(data.num_queries());
      out << fmt::format("{},{},{:.3f},{:.3f}\n", decay, *one_per != 0 ? one_per : "none", whole / each, oracle / each);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  time_oracles(argv[1]);
  time_share(argv[1]);
}
