// SPDX-License-Identifier: Apache-2.0
// Kind::first with limits on groups: V = a at the position of the first relevant document of the list.
//
// Let F(p) be the best score of a list whose first p positions hold no relevant document. As a never increases, the
// answer is the largest F(p) - a_p, with a = 0 past the list. A relevant and an irrelevant document of one group
// compete, so F(p) is an assignment. It is solved only where bounds leave it open:
//   from below: the p best irrelevant documents, then the best of the rest that still fit;
//   from above: with S_m the sum of the first m scores, f = sum_m (c_{m-1} - c_m) S_m; S_m is at most the
//   best sum of m irrelevant documents for m <= p, and of any m documents beyond.
#include <algorithm>
#include <cmath>

#include "ranking/oracle/algorithms.h"

namespace dorm::oracle {
namespace {

class GroupedFirstHit {
 public:
  GroupedFirstHit(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work)
      : query_(query), g_(g), work_(work), n_(query.shown), order_(reserve(work.order, query.size())) {
    sort_descending(g, {order_, query.size()}, work.sort, work.level);
    fill(reserve(work.list, n_), 0, false);
    others_ = fill(reserve(work.list2, n_), 0, true);
  }

  void solve() {
    for (std::size_t p = 0; p <= others_; ++p) try_list(p);
    const double slack = 1e-13 * std::abs(best_value_);
    for (std::size_t p = 0; p <= others_; ++p)
      if (upper_bound(p) > best_value_ + slack) solve_exactly(p);
  }

 private:
  const PreparedQuery& query_;
  Scores g_;
  OracleWorkspace::Buffers& work_;
  std::size_t n_;
  std::uint32_t* order_;
  std::size_t others_ = 0;  // irrelevant documents that fit into the list: p goes up to here
  double best_value_ = kForbidden;

  double a(std::size_t p) const { return p < n_ ? query_.tables->a[p] : 0; }
  double c(std::size_t j) const { return j < n_ ? query_.tables->c[j] : 0; }

  // Goes on with a list of `filled` documents: the best that fit, only irrelevant ones if so asked.
  std::size_t fill(std::uint32_t* list, std::size_t filled, bool irrelevant) {
    std::vector<std::uint32_t>& room = work_.grouped.room;
    room.assign(query_.groups.limit.begin(), query_.groups.limit.end());
    std::vector<std::uint32_t>& taken = work_.list3;
    reserve(taken, query_.size());
    std::fill(taken.begin(), taken.end(), 0u);
    for (std::size_t j = 0; j < filled; ++j) {
      --room[query_.groups.group_of[list[j]]];
      taken[list[j]] = 1;
    }
    for (std::size_t r = 0; r < query_.size() && filled < n_; ++r) {
      const std::uint32_t i = order_[r];
      if (taken[i] != 0 || room[query_.groups.group_of[i]] == 0) continue;
      if (irrelevant && query_.b[i] > 0) continue;
      --room[query_.groups.group_of[i]];
      list[filled++] = i;
    }
    return filled;
  }

  // The list counts with where its first relevant document really stands.
  void offer(const std::uint32_t* list) {
    double total = 0;
    std::size_t hit = n_;
    for (std::size_t j = n_; j-- > 0;) {
      total += c(j) * g_[list[j]];
      if (query_.b[list[j]] > 0) hit = j;
    }
    total -= a(hit);
    if (!(total > best_value_)) return;
    best_value_ = total;
    std::copy(list, list + n_, work_.ranking.begin());
  }

  void try_list(std::size_t p) {
    std::uint32_t* list = reserve(work_.grouped.member, n_);
    std::copy(work_.list2.begin(), work_.list2.begin() + static_cast<std::ptrdiff_t>(p), list);
    fill(list, p, false);
    offer(list);
  }

  double upper_bound(std::size_t p) const {
    double bound = -a(p), irrelevant = 0, any = 0, best_others = 0;
    for (std::size_t m = 1; m <= n_; ++m) {
      any += g_[work_.list[m - 1]];
      if (m <= p) {
        irrelevant += g_[work_.list2[m - 1]];
        bound += (c(m - 1) - c(m)) * irrelevant;
      } else {
        best_others += g_[work_.list[m - p - 1]];
        bound += (c(m - 1) - c(m)) * std::min(any, irrelevant + best_others);
      }
    }
    return bound;
  }

  void solve_exactly(std::size_t p) {
    const std::size_t l = query_.size();
    double* value = reserve(work_.grouped.value, n_ * l);
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < l; ++i) value[j * l + i] = j < p && query_.b[i] > 0 ? kForbidden : c(j) * g_[i];
    const auto column_of =
        work_.grouped.assignment.solve({{value, n_ * l}, n_, l, query_.groups.group_of, query_.groups.limit});
    offer(column_of.data());
  }
};

}  // namespace

void rank_grouped_first_hit(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  GroupedFirstHit(query, g, work).solve();
}

}  // namespace dorm::oracle
