// SPDX-License-Identifier: Apache-2.0
// For any problem: shortest augmenting paths over implicit costs. A sorted guess gives positions and prices; the
// documents that prefer another position at those prices are placed again by Dijkstra searches.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numeric.h"
#include "base/vector/lanes.h"
#include "ranking/oracle/algorithms.h"
#include "ranking/oracle/price_blocks.h"
#include "ranking/oracle/relax.h"
#include "ranking/oracle/ties.h"

namespace dorm::oracle {
namespace {

constexpr std::uint32_t kNobody = UINT32_MAX;

class Paths {
 public:
  Paths(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work)
      : l_(query.size()),
        g_(g.data()),
        b_(query.b.data()),
        a_(query.tables->a.data()),
        c_(query.tables->c.data()),
        work_(work),
        p_(work.paths),
        document_at_(work.ranking.data()),
        position_of_(reserve(work.paths.position_of, l_)),
        price_(reserve(work.paths.price, l_ + kLanes)),
        wish_(reserve(work.paths.wish, l_)) {}

  void solve() {
    guess();
    set_prices();
    const std::size_t unplaced = release_unhappy();
    for (std::size_t k = 0; k < unplaced; ++k) place(p_.unplaced[k]);
  }

 private:
  const std::size_t l_;
  const double *g_, *b_, *a_, *c_;
  OracleWorkspace::Buffers& work_;
  OracleWorkspace::Buffers::Paths& p_;
  std::uint32_t *document_at_, *position_of_;
  double *price_, *wish_;  // by position; by document: the best benefit minus price
  double tolerance_ = 0;

  double benefit(std::uint32_t i, std::size_t j) const { return c_[j] * g_[i] - a_[j] * b_[i]; }
  // What document i gains by standing at j rather than j + 1.
  double step(std::uint32_t i, std::size_t j) const {
    return (c_[j] - c_[j + 1]) * g_[i] - (a_[j] - a_[j + 1]) * b_[i];
  }

  // Sort by g - rho b with the mean exchange rate, then let neighbours swap while it pays.
  void guess() {
    const double spread = c_[0] - c_[l_ - 1];
    const double rho = spread > 0 ? (a_[0] - a_[l_ - 1]) / spread : 0;
    double* key = reserve(work_.key, l_);
    for (std::size_t i = 0; i < l_; ++i) key[i] = g_[i] - rho * b_[i];
    sort_descending({key, l_}, {document_at_, l_}, work_.sort);
    bool swapped = true;
    for (int sweep = 0; sweep < 50 && swapped; ++sweep) {
      swapped = false;
      for (std::size_t j = 0; j + 1 < l_; ++j) {
        if (step(document_at_[j], j) < step(document_at_[j + 1], j)) {
          std::swap(document_at_[j], document_at_[j + 1]);
          swapped = true;
        }
      }
    }
  }

  // Neighbours' prices differ by the mean of what their two documents would pay.
  void set_prices() {
    price_[l_ - 1] = 0;
    double largest = 0;
    for (std::size_t j = l_ - 1; j-- > 0;) {
      price_[j] = price_[j + 1] + 0.5 * (step(document_at_[j], j) + step(document_at_[j + 1], j));
      largest = std::max(largest, std::abs(price_[j]));
    }
    for (std::size_t j = 0; j < l_; ++j) {
      position_of_[document_at_[j]] = static_cast<std::uint32_t>(j);
      largest = std::max(largest, std::abs(benefit(document_at_[j], j)));
    }
    tolerance_ = 1e-15 * largest;
  }

  // Documents that prefer another position at these prices give up their own.
  std::size_t release_unhappy() {
    for (std::uint32_t i = 0; i < l_; ++i) wish_[i] = benefit(i, position_of_[i]) - price_[position_of_[i]];
    raise_wishes(make_price_blocks(l_, a_, c_, price_, work_), l_, g_, b_, wish_, work_.level);
    std::size_t count = 0;
    reserve(p_.unplaced, l_);
    for (std::uint32_t i = 0; i < l_; ++i) {
      const std::uint32_t j = position_of_[i];
      if (benefit(i, j) - price_[j] >= wish_[i] - tolerance_) continue;
      document_at_[j] = kNobody;
      p_.unplaced[count++] = i;
    }
    return count;
  }

  // Dijkstra on the reduced costs wish + price - benefit >= 0, from document `start` to a free position.
  void place(std::uint32_t start) {
    const std::size_t room = l_ + kLanes;
    double* blocked = reserve(p_.blocked, room);
    const PathSearch search{l_, a_, c_, price_, reserve(p_.distance, room), reserve(p_.parent, room), blocked};
    std::fill_n(search.distance, room, kInfinity);
    std::fill_n(blocked, l_, 0.0);
    std::fill_n(blocked + l_, kLanes, kInfinity);
    double* settled = reserve(p_.settled, l_);
    std::uint32_t* done = reserve(p_.done, l_);
    std::size_t count = 0;
    std::uint32_t i = start, sink = kNobody;
    double reached = 0;
    while (sink == kNobody) {
      const std::size_t j = relax(search, i, g_[i], b_[i], reached + wish_[i], work_.level);
      reached = std::max(reached, search.distance[j]);
      settled[count] = reached;
      done[count++] = static_cast<std::uint32_t>(j);
      search.distance[j] = -kInfinity;
      blocked[j] = kInfinity;
      if (document_at_[j] == kNobody)
        sink = static_cast<std::uint32_t>(j);
      else
        i = document_at_[j];
    }
    wish_[start] -= reached;
    for (std::size_t k = 0; k + 1 < count; ++k) {
      wish_[document_at_[done[k]]] -= reached - settled[k];
      price_[done[k]] += reached - settled[k];
    }
    shift_along(search.parent, start, sink);
  }

  void shift_along(const double* parent, std::uint32_t start, std::uint32_t sink) {
    for (std::uint32_t j = sink, owner = kNobody; owner != start;) {
      owner = static_cast<std::uint32_t>(parent[j]);
      const std::uint32_t next = position_of_[owner];
      document_at_[j] = owner;
      position_of_[owner] = j;
      j = next;
    }
  }
};

}  // namespace

void rank_paths(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  Paths(query, g, work).solve();
  sort_descending(g, {reserve(work.order, query.size()), query.size()}, work.sort);
  settle_ties(query, g, work);
}

}  // namespace dorm::oracle
