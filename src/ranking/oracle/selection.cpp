// SPDX-License-Identifier: Apache-2.0
// The default decay, c = a with a cutoff n: only the n largest g - kappa b matter, so they are selected and nothing is
// sorted but them; everyone else follows in document order.
#include <algorithm>
#include <limits>

#include "base/numeric.h"
#include "base/vector/lanes.h"
#include "ranking/oracle/algorithms.h"
#include "ranking/oracle/limits.h"

namespace dorm::oracle {
namespace {

constexpr std::size_t kGroups = kMaxSelection / kLanes + 2;  // groups of eight strided classes of documents

// Writes the keys and returns the largest of each of 8 kGroups disjoint sets of documents.
[[gnu::always_inline]] inline void make_keys(const double* g, const double* b, double kappa, std::size_t l, double* key,
                                             double* largest) {
  Lanes best[kGroups];
  for (Lanes& x : best) x = Lanes{} - kInfinity;
  std::size_t i = 0, group = 0;
  for (; i + kLanes <= l; i += kLanes) {
    Lanes x, gain;
    load_lanes(g + i, x);
    load_lanes(b + i, gain);
    x = x - gain * kappa;
    store_lanes(x, key + i);
    best[group] = x > best[group] ? x : best[group];
    group = group + 1 == kGroups ? 0 : group + 1;
  }
  for (std::size_t k = 0; k < kGroups; ++k) store_lanes(best[k], largest + k * kLanes);
  for (std::size_t lane = 0; i < l; ++i, ++lane) {
    key[i] = g[i] - kappa * b[i];
    double& other = largest[group * kLanes + lane];
    other = key[i] > other ? key[i] : other;
  }
}

// The n-th largest of the groups' maxima: at least n documents reach it, and few more.
double threshold(const double* largest, std::size_t n, OracleWorkspace::Buffers& work) {
  constexpr std::size_t kSets = kGroups * kLanes;
  std::uint32_t order[kSets];
  sort_descending({largest, kSets}, {order, kSets}, work.sort, work.level);
  return largest[order[n - 1]];
}

// Finds the top n: `selected` ascending by document, and each one's position.
void select(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work, std::size_t n) {
  const std::size_t l = query.size();
  const PositionTables& t = *query.tables;
  double* key = reserve(work.key, l);
  double largest[kGroups * kLanes];
  compiled_for<make_keys>(work.level)(g.data(), query.b.data(), t.proportional ? t.kappa : 0, l, key, largest);
  const double least = threshold(largest, n, work);
  std::uint32_t* survivor = reserve(work.list, l + 1);
  double* survivor_key = reserve(work.sorted_g, l + 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < l; ++i) {
    survivor[count] = static_cast<std::uint32_t>(i);
    survivor_key[count] = key[i];
    count += key[i] >= least;
  }
  std::uint32_t* order = reserve(work.order, count);
  sort_descending({survivor_key, count}, {order, count}, work.sort, work.level);
  for (std::size_t j = 0; j < n; ++j) work.ranking[j] = survivor[order[j]];
}

}  // namespace

void separate_by_selection(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work, Separation& out) {
  const std::size_t l = query.size(), n = query.tables->decay_cutoff;
  const double *a = query.tables->a.data(), *c = query.tables->c.data(), *b = query.b.data();
  const double tail_a = a[l - 1], tail_c = c[l - 1];
  select(query, g, work, n);
  std::uint32_t sorted[kMaxSelection + 1];
  std::copy_n(work.ranking.data(), n, sorted);
  std::sort(sorted, sorted + n);
  sorted[n] = static_cast<std::uint32_t>(l);

  double score = 0, measure = 0;
  if (tail_a != 0 || tail_c != 0) {
    for (std::size_t i = 0; i < l; ++i) {
      score += tail_c * g[i];
      measure += tail_a * b[i];
    }
  }
  std::uint32_t* position_of = out.position_of.data();
  double* coefficient = out.coefficient.data();
  std::fill_n(coefficient, l, tail_c);
  for (std::uint32_t i = 0, k = 0; k <= n; i = sorted[k++] + 1) {
    const auto shift = static_cast<std::uint32_t>(n) - k;
    for (; i < sorted[k]; ++i) position_of[i] = i + shift;
  }
  for (std::size_t j = 0; j < n; ++j) {
    const std::uint32_t i = work.ranking[j];
    position_of[i] = static_cast<std::uint32_t>(j);
    coefficient[i] = c[j];
    score += (c[j] - tail_c) * g[i];
    measure += (a[j] - tail_a) * b[i];
  }
  out.loss = query.ideal - measure;
  out.value = score - measure;
}

}  // namespace dorm::oracle
