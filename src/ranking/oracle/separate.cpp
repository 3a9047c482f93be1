// SPDX-License-Identifier: Apache-2.0
// The dispatcher: checks the scores, runs the chosen algorithm, turns its ranking into coefficients.
#include <fmt/format.h>

#include <cmath>

#include "base/vector/lanes.h"
#include "dorm/error.h"
#include "ranking/oracle/algorithms.h"
#include "ranking/oracle/limits.h"

namespace dorm {
namespace {

using oracle::reserve;

void validate_scores(const PreparedQuery& query, std::span<const double> scores) {
  if (scores.size() != query.size()) {
    throw Error(ErrorCode::bad_input,
                fmt::format("{} scores for a query of {} documents", scores.size(), query.size()));
  }
  Lanes zero{};  // x - x is zero for finite x only
  std::size_t k = 0;
  for (; k + kLanes <= scores.size(); k += kLanes) {
    Lanes x;
    load_lanes(scores.data() + k, x);
    zero += x - x;
  }
  double rest = 0;
  for (; k < scores.size(); ++k) rest += scores[k] - scores[k];
  for (k = 0; k < kLanes; ++k) rest += zero[k];
  if (rest == 0) return;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i])) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("score of document {} is {}; expected a finite number", i, scores[i]));
    }
  }
}

void solve(const PreparedQuery& query, std::span<const double> g, OracleKind kind, OracleWorkspace::Buffers& work) {
  switch (kind) {
    case OracleKind::proportional:
      return oracle::rank_proportional(query, g, work);
    case OracleKind::first_hit:
      return oracle::rank_first_hit(query, g, work);
    case OracleKind::exchange:
      return oracle::rank_exchange(query, g, work);
    case OracleKind::assignment:
      return oracle::rank_assignment(query, g, work);
    case OracleKind::merge:
      if (oracle::rank_merge(query, g, work)) return;
      [[fallthrough]];
    default:
      return oracle::rank_paths(query, g, work);
  }
}

// Positions, coefficients, loss and value of the ranking found.
void describe(const PreparedQuery& query, std::span<const double> g, const std::uint32_t* ranking, Separation& out) {
  const std::size_t l = query.size();
  const double *a = query.tables->a.data(), *c = query.tables->c.data(), *b = query.b.data();
  double score = 0, measure = 0, first = 0;
  for (std::size_t j = l; j-- > 0;) {
    const std::uint32_t i = ranking[j];
    out.position_of[i] = static_cast<std::uint32_t>(j);
    out.coefficient[i] = c[j];
    score += c[j] * g[i];
    measure += a[j] * b[i];
    first = b[i] > 0 ? a[j] : first;
  }
  if (query.kind == Factors::Kind::first) measure = first;
  out.loss = query.ideal - measure;
  out.value = score - measure;
}

}  // namespace

OracleWorkspace::OracleWorkspace() : buffers_(std::make_unique<Buffers>()) {}
OracleWorkspace::~OracleWorkspace() = default;
OracleWorkspace::OracleWorkspace(OracleWorkspace&&) noexcept = default;
OracleWorkspace& OracleWorkspace::operator=(OracleWorkspace&&) noexcept = default;

void separate(const PreparedQuery& query, std::span<const double> scores, Separation& out, OracleWorkspace& workspace,
              OracleKind kind) {
  validate_scores(query, scores);
  if (!supports(query, kind)) {
    throw Error(ErrorCode::unsupported,
                fmt::format("oracle {} cannot solve this query of {} documents", name_of(kind), query.size()));
  }
  OracleWorkspace::Buffers& work = workspace.buffers();
  reserve(work.ranking, query.size());
  out.position_of.resize(query.size());
  out.coefficient.resize(query.size());
  if (!query.groups.empty()) return oracle::separate_grouped(query, scores, work, out);
  if (kind == OracleKind::automatic) kind = query.chosen;
  const std::size_t n = query.tables->decay_cutoff;
  if (kind == OracleKind::proportional && n > 0 && n <= oracle::kMaxSelection && 2 * n <= query.size()) {
    return oracle::separate_by_selection(query, scores, work, out);
  }
  solve(query, scores, kind, work);
  describe(query, scores, work.ranking.data(), out);
}

}  // namespace dorm
