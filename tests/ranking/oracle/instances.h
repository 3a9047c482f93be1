// SPDX-License-Identifier: Apache-2.0
// Random separation problems of every shape the library meets, and the slow truths to judge answers by.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/rng.h"
#include "dorm/learning/assignment.h"
#include "dorm/oracle.h"
#include "support/random_data.h"

namespace dorm::test {

inline constexpr OracleKind kOracleKinds[] = {OracleKind::automatic, OracleKind::proportional, OracleKind::first_hit,
                                              OracleKind::merge,     OracleKind::exchange,     OracleKind::paths};

struct Instance {
  Factors factors;
  std::string decay;
  std::vector<double> scores;
  std::string description;
};

enum class Shape { ndcg_cut, ndcg, precision, wta, mrr, eru, rbp, plateaus, constant, count };

inline std::vector<double> position_weights(Shape shape, std::size_t l, Rng& rng) {
  const std::size_t cutoff = 1 + rng.below(l + 3);
  const double half_life = 2 + static_cast<double>(rng.below(5));
  std::vector<double> a(l);
  double level = 1;
  for (std::size_t j = 0; j < l; ++j) {
    const double rank = static_cast<double>(j) + 1;
    switch (shape) {
      case Shape::ndcg_cut:
        a[j] = j < cutoff ? 1 / std::log2(rank + 1) : 0;
        break;
      case Shape::ndcg:
        a[j] = 1 / std::log2(rank + 1);
        break;
      case Shape::precision:
        a[j] = j < cutoff ? 1 / static_cast<double>(cutoff) : 0;
        break;
      case Shape::wta:
        a[j] = j == 0 ? 1 : 0;
        break;
      case Shape::mrr:
        a[j] = 1 / rank;
        break;
      case Shape::eru:
        a[j] = std::exp2(-(rank - 1) / (half_life - 1));
        break;
      case Shape::rbp:
        a[j] = 0.2 * std::pow(0.8, rank - 1);
        break;
      case Shape::plateaus:
        if (rng.below(3) == 0) level *= rng.uniform();
        a[j] = level;
        break;
      default:
        a[j] = 0.3;
    }
  }
  return a;
}

/// `grades` 0: real-valued gains. Otherwise so many grades, skewed to the low ones.
inline std::vector<double> document_gains(std::size_t l, std::size_t grades, Rng& rng) {
  std::vector<double> b(l);
  const double ceiling = rng.below(2) == 0 ? 1 : 0;
  for (double& x : b) {
    const double u = rng.uniform();
    const double grade = std::floor(u * u * static_cast<double>(grades));
    x = grades == 0 ? u * u : ceiling > 0 ? std::exp2(grade) - 1 : grade;
  }
  const double sum = std::accumulate(b.begin(), b.end(), 0.0);
  for (double& x : b) x /= std::max(sum / 4, 1e-3);
  return b;
}

inline Instance random_instance(std::size_t l, Rng& rng) {
  static const std::vector<std::string> kDecays = {"power:0.25", "power:0.333333", "power:0.5",     "power:1",
                                                   "power:2",    "power:3",        "log",           "loglog",
                                                   "measure",    "measure+tail",   "exponential:40"};
  static const double kScales[] = {0.01, 0.03, 0.1, 0.3, 1, 3, 10};
  Instance out;
  const auto shape = static_cast<Shape>(rng.below(static_cast<std::uint64_t>(Shape::count)));
  out.factors.a = position_weights(shape, l, rng);
  const std::size_t grades = rng.below(4) == 0 ? 0 : 2 + rng.below(11);
  out.factors.b = document_gains(l, grades, rng);
  if (rng.below(shape == Shape::mrr ? 2 : 8) == 0) {
    out.factors.kind = Factors::Kind::first;
    const double share = rng.uniform();
    for (double& x : out.factors.b) x = rng.uniform() < share ? 1 : 0;
  }
  if (rng.below(20) == 0) std::fill(out.factors.b.begin(), out.factors.b.end(), 1.0);
  out.decay = kDecays[rng.below(kDecays.size())];
  const double scale = kScales[rng.below(7)], agree = rng.uniform() * 2 - 0.5;
  const std::uint64_t ties = rng.below(6);
  out.scores.resize(l);
  const double offset = rng.below(8) == 0 ? 5 : 0;
  for (std::size_t i = 0; i < l; ++i) {
    const double z = agree * out.factors.b[i] * 4 + rng.normal();
    out.scores[i] = offset + (ties == 0 ? 0 : scale * (ties == 1 ? std::round(2 * z) / 2 : z));
  }
  out.description = "shape " + std::to_string(static_cast<int>(shape)) + " grades " + std::to_string(grades) +
                    " decay " + out.decay + " l " + std::to_string(l) + " scale " + std::to_string(scale) + " ties " +
                    std::to_string(ties);
  return out;
}

/// What separate() maximises, for one ranking given as position_of.
inline double objective(const Instance& x, std::span<const double> c, std::span<const std::uint32_t> position_of) {
  long double sum = 0, first = 0;
  std::size_t best = SIZE_MAX;
  for (std::size_t i = 0; i < position_of.size(); ++i) {
    const std::size_t j = position_of[i];
    sum += static_cast<long double>(c[j]) * x.scores[i];
    if (x.factors.kind == Factors::Kind::sum)
      sum -= static_cast<long double>(x.factors.a[j]) * x.factors.b[i];
    else if (x.factors.b[i] > 0)
      best = std::min(best, j);
  }
  if (best != SIZE_MAX) first = x.factors.a[best];
  return static_cast<double>(sum - first);
}

/// The maximum over all rankings, one by one.
inline double enumerate(const Instance& x, std::span<const double> c) {
  std::vector<std::uint32_t> position_of(x.scores.size());
  std::iota(position_of.begin(), position_of.end(), 0u);
  double best = -1e300;
  do {
    best = std::max(best, objective(x, c, position_of));
  } while (std::next_permutation(position_of.begin(), position_of.end()));
  return best;
}

/// The maximum by the dense solver; Kind::sum only.
inline double dense(const Instance& x, std::span<const double> c) {
  const std::size_t l = x.scores.size();
  std::vector<double> benefit(l * l);
  for (std::size_t i = 0; i < l; ++i) {
    for (std::size_t j = 0; j < l; ++j) benefit[i * l + j] = c[j] * x.scores[i] - x.factors.a[j] * x.factors.b[i];
  }
  return assign(benefit, l, l, Sense::maximize).value;
}

/// The size against which a difference of two values of this instance is judged.
inline double magnitude(const Instance& x) {
  double largest = 1;
  for (double g : x.scores) largest = std::max(largest, std::abs(g));
  return largest;
}

inline bool is_ranking(std::span<const std::uint32_t> position_of) {
  std::vector<bool> seen(position_of.size(), false);
  for (std::uint32_t j : position_of) {
    if (j >= seen.size() || seen[j]) return false;
    seen[j] = true;
  }
  return true;
}

}  // namespace dorm::test
