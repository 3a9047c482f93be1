// SPDX-License-Identifier: Apache-2.0
// What is done once per query: validation, distinct gains, the ideal value, the choice of an algorithm.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dorm/error.h"
#include "dorm/ranking/group_lists.h"
#include "ranking/oracle/limits.h"

namespace dorm {
namespace {

void validate_gains(const Factors& factors) {
  if (factors.a.size() != factors.b.size()) {
    throw Error(ErrorCode::bad_input, fmt::format("{} position weights for {} gains; expected equal lengths",
                                                  factors.a.size(), factors.b.size()));
  }
  for (std::size_t i = 0; i < factors.b.size(); ++i) {
    const double b = factors.b[i];
    if (!std::isfinite(b) || b < 0) {
      throw Error(ErrorCode::bad_input, fmt::format("gain b[{}] = {}; expected a finite, non-negative number", i, b));
    }
    if (factors.kind == Factors::Kind::first && b != 0 && b != 1) {
      throw Error(ErrorCode::bad_input, fmt::format("gain b[{}] = {}; a first-hit measure expects 0 or 1", i, b));
    }
  }
}

// Distinct gains, ascending, and which of them each document has; left out where there are too many.
void find_classes(PreparedQuery& query) {
  std::array<double, oracle::kMaxClasses> seen{};
  std::size_t classes = 0, same = 0;
  query.gain_of.resize(query.b.size());
  for (std::size_t i = 0; i < query.b.size(); ++i) {
    if (i == 0 || seen[same] != query.b[i]) {
      same = 0;
      while (same < classes && seen[same] != query.b[i]) ++same;
      if (same == seen.size()) {
        query.gain_of = {};
        return;
      }
      if (same == classes) seen[classes++] = query.b[i];
    }
    query.gain_of[i] = static_cast<std::uint8_t>(same);
  }
  query.gains.assign(seen.data(), seen.data() + classes);
  std::sort(query.gains.begin(), query.gains.end());
  std::array<std::uint8_t, oracle::kMaxClasses> place{};
  for (std::size_t k = 0; k < classes; ++k)
    place[k] = static_cast<std::uint8_t>(std::lower_bound(query.gains.begin(), query.gains.end(), seen[k]) -
                                         query.gains.begin());
  for (std::uint8_t& gain : query.gain_of) gain = place[gain];
}

// Which of the general algorithms is fastest was measured (docs/benchmarks-archive.md). The exchange makes n passes, so
// it is for lists well longer than the cutoff. The merge is fast for two gains whatever the cutoff, for three in short
// lists, and for several without a cutoff.
OracleKind choose_general(std::size_t l, std::size_t n, std::size_t classes) {
  const bool few = classes > 0;
  if (n + 1 >= l) return few && l > 20 ? OracleKind::merge : OracleKind::paths;
  if (few && classes <= 3 && l <= 5 * n) return OracleKind::merge;
  if (classes == 2 && n >= 16) return OracleKind::merge;
  if (n <= oracle::kMaxExchange) return (n <= 24 ? 2 : 8) * n <= l ? OracleKind::exchange : OracleKind::paths;
  return few && (8 * n <= l || l >= 1000) ? OracleKind::merge : OracleKind::paths;
}

OracleKind choose(const PreparedQuery& query) {
  if (supports(query, OracleKind::proportional)) return OracleKind::proportional;
  if (supports(query, OracleKind::first_hit)) return OracleKind::first_hit;
  return choose_general(query.size(), query.tables->cutoff, query.gains.size());
}

}  // namespace

PreparedQuery prepare(const Factors& factors, const Decay& decay, OracleTables& tables) {
  validate_gains(factors);
  PreparedQuery query;
  query.tables = &tables.find_or_make(factors.a, decay);
  query.kind = factors.kind;
  query.b = factors.b;
  query.ideal = ideal_value(factors);
  find_classes(query);
  query.chosen = choose(query);
  return query;
}

PreparedQuery prepare(const Factors& factors, const Decay& decay, OracleTables& tables, GroupLimits groups) {
  validate_gains(factors);
  require_valid(groups, factors.b.size());
  PreparedQuery query;
  query.tables = &tables.find_or_make(factors.a, decay);
  query.kind = factors.kind;
  query.b = factors.b;
  query.ideal = ideal_value(factors, groups);
  query.shown = list_length(factors.a, groups);
  query.groups = std::move(groups);
  return query;
}

double largest_loss(const PreparedQuery& query) {
  Separation worst;
  OracleWorkspace workspace;
  separate(query, std::vector<double>(query.size(), 0.0), worst, workspace);
  return worst.loss;
}

bool supports(const PreparedQuery& query, OracleKind kind) {
  if (!query.groups.empty()) return kind == OracleKind::automatic;
  const bool first = query.kind == Factors::Kind::first;
  switch (kind) {
    case OracleKind::automatic:
      return true;
    case OracleKind::proportional:
      return !first && (query.tables->proportional || query.gains.size() == 1);
    case OracleKind::first_hit:
      return first;
    case OracleKind::merge:
      return !first && !query.gains.empty();
    case OracleKind::exchange:
      return !first && query.tables->cutoff > 0 && query.tables->cutoff <= oracle::kMaxExchange;
    case OracleKind::paths:
      return !first;
    case OracleKind::assignment:
      return !first && query.size() <= oracle::kMaxDense;
  }
  return false;
}

std::string_view name_of(OracleKind kind) {
  switch (kind) {
    case OracleKind::automatic:
      return "automatic";
    case OracleKind::proportional:
      return "proportional";
    case OracleKind::first_hit:
      return "first_hit";
    case OracleKind::merge:
      return "merge";
    case OracleKind::exchange:
      return "exchange";
    case OracleKind::paths:
      return "paths";
    case OracleKind::assignment:
      return "assignment";
  }
  return "";
}

}  // namespace dorm
