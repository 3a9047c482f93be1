// SPDX-License-Identifier: Apache-2.0
// Times of the separation oracles on one core: oracle_bench DIRECTORY [LONGEST]. Writes times.csv (oracles and our
// dense solver), near.csv (near the optimum, beside the feature products) and, for baselines in other languages, the
// instances themselves (instances.bin). Every answer is compared with the dense solver's before its time counts.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/learning/assignment.h"
#include "dorm/oracle.h"

namespace {

using namespace dorm;

struct Case {
  std::string name;
  std::string weights;  // ndcg, precision, mrr, eru
  std::size_t cutoff;   // 0: none
  std::size_t grades;   // 0: real-valued gains
  std::string decay;
};

const std::vector<Case> kCases = {
    {"ndcg@10, c = a", "ndcg", 10, 5, "measure"},
    {"ndcg@10", "ndcg", 10, 5, "power:0.5"},
    {"ndcg@10, 10 grades", "ndcg", 10, 10, "power:0.5"},
    {"ndcg", "ndcg", 0, 5, "power:0.5"},
    {"precision@10", "precision", 10, 2, "power:0.5"},
    {"mrr", "mrr", 0, 2, "power:0.5"},
    {"wta", "precision", 1, 2, "power:0.5"},
    {"eru", "eru", 0, 5, "power:0.5"},
    {"real gains @10", "ndcg", 10, 0, "power:0.5"},
    {"real gains", "ndcg", 0, 0, "power:0.5"},
};

struct Problem {
  PreparedQuery query;
  std::vector<double> scores;
};

// Grades 52/32/13/2/1 % when there are five; uniform when there are more.
double draw_grade(std::size_t grades, Rng& rng) {
  const double u = rng.uniform();
  if (grades == 0) return 4 * u * u;
  if (grades == 2) return u < 0.15 ? 1 : 0;
  if (grades == 5) return u < .52 ? 0 : u < .84 ? 1 : u < .97 ? 2 : u < .99 ? 3 : 4;
  return std::floor(u * static_cast<double>(grades));
}

Factors make_factors(const Case& spec, const std::vector<double>& grade) {
  const std::size_t l = grade.size();
  Factors f;
  for (std::size_t j = 0; j < l; ++j) {
    const double rank = static_cast<double>(j) + 1;
    const double a = spec.weights == "ndcg"  ? 1 / std::log2(rank + 1)
                     : spec.weights == "mrr" ? 1 / rank
                     : spec.weights == "eru" ? std::exp2(-(rank - 1) / 4)
                                             : 1 / static_cast<double>(spec.cutoff);
    f.a.push_back(spec.cutoff == 0 || j < spec.cutoff ? a : 0);
  }
  for (double y : grade)
    f.b.push_back(spec.grades == 2 ? y : spec.weights == "eru" ? std::max(0.0, y - 1) : std::exp2(y) - 1);
  if (spec.weights == "mrr") f.kind = Factors::Kind::first;
  std::vector<double> sorted = f.b;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double ideal = 0;
  for (std::size_t j = 0; j < l; ++j) ideal += f.a[j] * sorted[j];
  if (spec.weights == "ndcg" && ideal > 0) {
    for (double& b : f.b) b /= ideal;
  }
  return f;
}

Problem make_problem(const Case& spec, std::size_t l, double scale, OracleTables& tables, Rng& rng) {
  std::vector<double> grade(l), scores(l);
  for (std::size_t i = 0; i < l; ++i) {
    grade[i] = draw_grade(spec.grades, rng);
    const double relevance = spec.grades == 10 ? grade[i] / 3 : grade[i];
    scores[i] = scale * (0.5 * relevance + rng.normal());
  }
  return {prepare(make_factors(spec, grade), Decay(spec.decay), tables), scores};
}

// Processor time of this thread: other programs on the machine do not count.
double seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Microseconds per call: the best of several rounds of at least `budget` seconds in all.
double time_per_call(std::size_t calls, double budget, const std::function<void()>& all) {
  double best = 1e300, total = 0;
  for (int round = 0; round < 3 || (total < budget && round < 2000); ++round) {
    const double start = seconds();
    all();
    const double taken = seconds() - start;
    best = std::min(best, taken);
    total += taken;
    if (taken > budget && round >= 1) break;
  }
  return best / static_cast<double>(calls) * 1e6;
}

std::vector<double> benefits(const Problem& p) {
  const std::size_t l = p.scores.size();
  std::vector<double> matrix(l * l);
  for (std::size_t i = 0; i < l; ++i) {
    for (std::size_t j = 0; j < l; ++j) {
      matrix[i * l + j] = p.query.tables->c[j] * p.scores[i] - p.query.tables->a[j] * p.query.b[i];
    }
  }
  return matrix;
}

void require_equal(const std::string& what, double got, double wanted) {
  if (std::abs(got - wanted) <= 1e-9 * std::max(1.0, std::abs(wanted))) return;
  fmt::print(stderr, "{}: {} differs from the dense solver's {}\n", what, got, wanted);
  std::exit(1);
}

void write_instance(std::ofstream& out, std::size_t row, const Problem& p, double value) {
  const std::size_t l = p.scores.size();
  const std::uint64_t head[2] = {row, l};
  out.write(reinterpret_cast<const char*>(head), sizeof head);
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
  for (const double* x : {p.query.tables->a.data(), p.query.tables->c.data(), p.query.b.data(), p.scores.data()}) {
    out.write(reinterpret_cast<const char*>(x), static_cast<std::streamsize>(l * sizeof(double)));
  }
}

void bench_lengths(const std::string& directory, std::size_t longest) {
  std::ofstream csv(directory + "/times.csv"), binary(directory + "/instances.bin", std::ios::binary);
  csv << "row,case,length,oracle,micros,dense_micros\n";
  std::size_t row = 0;
  for (const Case& spec : kCases) {
    for (std::size_t l : {10u, 50u, 120u, 200u, 500u, 1000u, 10000u, 100000u}) {
      if (l > longest) continue;
      Rng rng(17 + l);
      OracleTables tables;
      OracleWorkspace work;
      Separation out;
      std::vector<Problem> problems;
      for (std::size_t k = 0; k < (l <= 1000 ? 20u : l <= 10000 ? 4u : 2u); ++k) {
        problems.push_back(make_problem(spec, l, 0.25, tables, rng));
      }
      const bool judged = l <= 1000 && problems[0].query.kind == Factors::Kind::sum;
      double dense = NAN;
      const std::size_t baselines = l <= 200 ? 5 : l <= 500 ? 2 : 1;
      for (std::size_t k = 0; judged && k < baselines; ++k) {
        const std::vector<double> matrix = benefits(problems[k]);
        const double start = seconds();
        const double wanted = assign(matrix, l, l, Sense::maximize).value;
        const double taken = (seconds() - start) * 1e6;
        dense = k == 0 ? taken : std::min(dense, taken);
        separate(problems[k].query, problems[k].scores, out, work);
        require_equal(spec.name, out.value, wanted);
        write_instance(binary, row, problems[k], wanted);
      }
      const double micros = time_per_call(problems.size(), 0.03, [&] {
        for (const Problem& p : problems) separate(p.query, p.scores, out, work);
      });
      fmt::print(csv, "{},\"{}\",{},{},{:.4f},{:.4f}\n", row++, spec.name, l, name_of(problems[0].query.chosen), micros,
                 dense);
      csv.flush();
    }
  }
}

// scores = X w and gradient = X^T z for one query, float32 features: what every oracle call comes with.
[[gnu::always_inline]] inline void feature_products_body(const float* x, std::size_t l, std::size_t d, const float* w,
                                                         const float* z, float* scores, float* gradient) {
  for (std::size_t i = 0; i < l; ++i) {
    float lanes[16] = {};
    for (std::size_t k = 0; k + 16 <= d; k += 16) {
      for (std::size_t m = 0; m < 16; ++m) lanes[m] += x[i * d + k + m] * w[k + m];
    }
    float sum = 0;
    for (float lane : lanes) sum += lane;
    scores[i] = sum;
  }
  for (std::size_t i = 0; i < l; ++i) {
    for (std::size_t k = 0; k < d; ++k) gradient[k] += z[i] * x[i * d + k];
  }
}
__attribute__((target("avx512f,avx512dq,avx512vl,fma"))) void feature_products_avx512(const float* x, std::size_t l,
                                                                                      std::size_t d, const float* w,
                                                                                      const float* z, float* scores,
                                                                                      float* gradient) {
  feature_products_body(x, l, d, w, z, scores, gradient);
}
void feature_products_portable(const float* x, std::size_t l, std::size_t d, const float* w, const float* z,
                               float* scores, float* gradient) {
  feature_products_body(x, l, d, w, z, scores, gradient);
}

// Scores as from a trained model: standard deviation about 0.3, agreeing with the labels.
void bench_near_optimum(const std::string& directory) {
  constexpr std::size_t kQueries = 1000, kFeatures = 144;  // 136 features padded to whole vectors
  std::ofstream csv(directory + "/near.csv");
  csv << "case,decay,oracle_micros,features_micros,dense_micros\n";
  Rng rng(99);
  std::vector<std::size_t> lengths, starts{0};
  for (std::size_t k = 0; k < kQueries; ++k) {
    lengths.push_back(50 + rng.below(71));
    starts.push_back(starts.back() + lengths.back());
  }
  std::vector<float> x(starts.back() * kFeatures), w(kFeatures, 0.1f), z(starts.back(), 0.5f), scores(starts.back()),
      gradient(kFeatures);
  for (float& value : x) value = static_cast<float>(rng.uniform());
  const bool fast = __builtin_cpu_supports("avx512f");
  const double features = time_per_call(kQueries, 0.3, [&] {
    for (std::size_t k = 0; k < kQueries; ++k) {
      (fast ? feature_products_avx512 : feature_products_portable)(x.data() + starts[k] * kFeatures, lengths[k],
                                                                   kFeatures, w.data(), z.data() + starts[k],
                                                                   scores.data() + starts[k], gradient.data());
    }
  });
  for (const char* decay : {"measure", "measure+tail", "power:0.25", "power:0.5", "power:1", "power:2", "log"}) {
    for (std::size_t grades : {5u, 10u, 0u}) {
      const Case spec{"", "ndcg", 10, grades, decay};
      OracleTables tables;
      OracleWorkspace work;
      Separation out;
      std::vector<Problem> problems;
      for (std::size_t l : lengths) problems.push_back(make_problem(spec, l, 0.25, tables, rng));
      double dense = 0;
      constexpr std::size_t kJudged = 20;
      for (std::size_t k = 0; k < kJudged; ++k) {
        const std::vector<double> matrix = benefits(problems[k]);
        const std::size_t l = lengths[k];
        const double start = seconds();
        const double wanted = assign(matrix, l, l, Sense::maximize).value;
        dense += (seconds() - start) * 1e6 / kJudged;
        separate(problems[k].query, problems[k].scores, out, work);
        require_equal(decay, out.value, wanted);
      }
      const double micros = time_per_call(kQueries, 0.1, [&] {
        for (const Problem& p : problems) separate(p.query, p.scores, out, work);
      });
      fmt::print(csv, "\"{} grades\",{},{:.4f},{:.4f},{:.4f}\n", grades, decay, micros, features, dense);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: oracle_bench DIRECTORY [LONGEST]\n");
    return 2;
  }
  bench_near_optimum(argv[1]);
  bench_lengths(argv[1], argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 100000);
}
