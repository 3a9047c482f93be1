// SPDX-License-Identifier: Apache-2.0
// Limits on groups: the most violated list of the first `shown` positions.
//
//   maximise   sum_{j < shown} c_j g_{i_j} - a_j b_{i_j}   over lists with at most limit[s] documents of group s
//
// a = kappa c: the value is sum_j c_j (g - kappa b), and filling the list by descending g - kappa b is optimal. One
// document per group: which member stands at position j depends on j alone, so it is chosen first, and an assignment of
// positions to groups remains. Otherwise documents are the columns of an assignment whose groups have capacities.
#include <algorithm>
#include <numeric>

#include "ranking/oracle/algorithms.h"

namespace dorm::oracle {
namespace {

bool one_per_group(const GroupLimits& groups) {
  return std::all_of(groups.limit.begin(), groups.limit.end(), [](std::uint32_t k) { return k == 1; });
}

bool proportional(const PreparedQuery& query) {
  const PositionTables& t = *query.tables;
  return t.proportional && t.a[t.length - 1] == t.kappa * t.c[t.length - 1];
}

void rank_by_key(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  double* key = reserve(work.key, l);
  std::uint32_t* order = reserve(work.order, l);
  for (std::size_t i = 0; i < l; ++i) key[i] = g[i] - query.tables->kappa * query.b[i];
  sort_descending({key, l}, {order, l}, work.sort, work.level);
  work.grouped.room.assign(query.groups.limit.begin(), query.groups.limit.end());
  std::size_t filled = 0;
  for (std::size_t r = 0; filled < query.shown; ++r) {
    std::uint32_t& room = work.grouped.room[query.groups.group_of[order[r]]];
    if (room == 0) continue;
    --room;
    work.ranking[filled++] = order[r];
  }
}

// Positions x groups: the best member for each position.
void fill_by_group(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t columns = query.groups.limit.size();
  double* value = reserve(work.grouped.value, query.shown * columns);
  std::uint32_t* member = reserve(work.grouped.member, query.shown * columns);
  std::fill(value, value + query.shown * columns, kForbidden);
  for (std::size_t j = 0; j < query.shown; ++j, value += columns, member += columns) {
    const double a = query.tables->a[j], c = query.tables->c[j];
    for (std::size_t i = 0; i < query.size(); ++i) {
      const double x = c * g[i] - a * query.b[i];
      const std::uint32_t s = query.groups.group_of[i];
      if (!(x > value[s])) continue;
      value[s] = x;
      member[s] = static_cast<std::uint32_t>(i);
    }
  }
}

void rank_by_group(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  fill_by_group(query, g, work);
  const std::size_t columns = query.groups.limit.size();
  std::vector<std::uint32_t>& identity = work.grouped.identity;
  for (std::size_t s = identity.size(); s < columns; ++s) identity.push_back(static_cast<std::uint32_t>(s));
  const auto column_of = work.grouped.assignment.solve({{work.grouped.value.data(), query.shown * columns},
                                                        query.shown,
                                                        columns,
                                                        {identity.data(), columns},
                                                        query.groups.limit});
  for (std::size_t j = 0; j < query.shown; ++j) work.ranking[j] = work.grouped.member[j * columns + column_of[j]];
}

void rank_by_document(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  const std::size_t l = query.size();
  double* value = reserve(work.grouped.value, query.shown * l);
  for (std::size_t j = 0; j < query.shown; ++j)
    for (std::size_t i = 0; i < l; ++i) value[j * l + i] = query.tables->c[j] * g[i] - query.tables->a[j] * query.b[i];
  const auto column_of = work.grouped.assignment.solve(
      {{value, query.shown * l}, query.shown, l, query.groups.group_of, query.groups.limit});
  std::copy(column_of.begin(), column_of.end(), work.ranking.begin());
}

void describe(const PreparedQuery& query, Scores g, const std::uint32_t* ranking, Separation& out) {
  std::fill(out.position_of.begin(), out.position_of.end(), kNotShown);
  std::fill(out.coefficient.begin(), out.coefficient.end(), 0.0);
  double score = 0, measure = 0, first = 0;
  for (std::size_t j = query.shown; j-- > 0;) {
    const std::uint32_t i = ranking[j];
    out.position_of[i] = static_cast<std::uint32_t>(j);
    out.coefficient[i] = query.tables->c[j];
    score += query.tables->c[j] * g[i];
    measure += query.tables->a[j] * query.b[i];
    first = query.b[i] > 0 ? query.tables->a[j] : first;
  }
  if (query.kind == Factors::Kind::first) measure = first;
  out.loss = query.ideal - measure;
  out.value = score - measure;
}

}  // namespace

void separate_grouped(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work, Separation& out) {
  if (query.kind == Factors::Kind::first)
    rank_grouped_first_hit(query, g, work);
  else if (proportional(query))
    rank_by_key(query, g, work);
  else if (one_per_group(query.groups))
    rank_by_group(query, g, work);
  else
    rank_by_document(query, g, work);
  describe(query, g, work.ranking.data(), out);
}

}  // namespace dorm::oracle
