// SPDX-License-Identifier: Apache-2.0
#include "dorm/ranking/list_problem.h"

#include <algorithm>

#include "dorm/oracle.h"

namespace dorm {
namespace {

constexpr double kRounding = 1e-12;  // of a loss, against the ideal

// Whether some ranking is better than another: gains differ where position weights do. Where the first hit counts, it
// comes at the latest behind all documents that are none.
bool something_to_learn(const Factors& factors) {
  const auto [smallest, largest] = std::minmax_element(factors.b.begin(), factors.b.end());
  if (*largest <= *smallest) return false;
  const auto misses = static_cast<std::size_t>(std::count(factors.b.begin(), factors.b.end(), 0.0));
  const double worst =
      factors.kind == Factors::Kind::first && misses < factors.a.size() ? factors.a[misses] : factors.a.back();
  return factors.a.front() > worst;
}

// The plane of a separation that has been found, against the reference z0.
void describe_plane(const Separation& found, std::span<const double> reference, std::span<const double> scores,
                    ScorePlane& out) {
  out.delta.resize(scores.size());
  double value = found.loss;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out.delta[i] = reference[i] - found.coefficient[i];
    value -= out.delta[i] * scores[i];
  }
  out.loss = found.loss;
  out.value = value;
}

}  // namespace

std::optional<ListProblem> make_list_problem(const Factors& factors, const Decay& decay, OracleTables& tables,
                                             GroupLimits groups) {
  if (groups.empty()) {
    if (!something_to_learn(factors)) return std::nullopt;
    return ListProblem(prepare(factors, decay, tables));
  }
  PreparedQuery query = prepare(factors, decay, tables, std::move(groups));
  if (largest_loss(query) <= kRounding * query.ideal) return std::nullopt;
  return ListProblem(std::move(query));
}

bool ListProblem::set_reference(Bound bound, Labels labels, std::span<const double> scores, ListWorkspace& workspace) {
  make_reference(bound, query_, labels, scores, workspace.reference);
  if (workspace.reference.coefficient == reference_) return false;
  reference_ = workspace.reference.coefficient;
  return true;
}

void ListProblem::linearize(std::span<const double> scores, ScorePlane& out, ListWorkspace& workspace,
                            OracleKind kind) const {
  separate(query_, scores, workspace.separation, workspace.oracle, kind);
  describe_plane(workspace.separation, reference_, scores, out);
}

void ListProblem::linearize_against(Bound bound, std::span<const double> scores, ScorePlane& out,
                                    ListWorkspace& workspace) const {
  separate(query_, scores, workspace.separation, workspace.oracle);
  make_reference(bound, query_, {}, scores, workspace.reference);
  describe_plane(workspace.separation, workspace.reference.coefficient, scores, out);
}

}  // namespace dorm
