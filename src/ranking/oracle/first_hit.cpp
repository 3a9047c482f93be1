// SPDX-License-Identifier: Apache-2.0
// Kind::first: V = a at the position of the first relevant document.
//
// Let F(p) be the best score of a ranking whose first p positions hold no relevant document: the p best others in
// order, then everyone else in order. Since a never increases, the answer is the largest F(p) - a_p. F never increases
// either, so a scan over p stops once F(p) - min a is no better than the best so far. From p to p + 1 one document
// passes the relevant ones before it; when these steps have cost more than the list is long, the rest is searched by
// halving: nothing strictly between q and r beats F(q) - a_{r-1}.
#include <algorithm>

#include "ranking/oracle/algorithms.h"

namespace dorm::oracle {
namespace {

class FirstHit {
 public:
  FirstHit(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work)
      : l_(query.size()),
        order_(reserve(work.order, query.size())),
        relevant_(reserve(work.list, query.size())),
        others_(reserve(work.list2, query.size())),
        g_(g),
        a_(query.tables->a.data()),
        c_(query.tables->c.data()) {
    sort_descending(g, {order_, l_}, work.sort);
    for (std::size_t r = 0; r < l_; ++r) {
      if (query.b[order_[r]] > 0)
        relevant_[num_relevant_++] = order_[r];
      else
        others_[num_others_++] = order_[r];
    }
  }

  void solve(std::uint32_t* ranking) {
    if (num_relevant_ == 0) {
      std::copy(order_, order_ + l_, ranking);
      return;
    }
    scan();
    visit(best_, [&](std::size_t j, std::uint32_t i) { ranking[j] = i; });
  }

 private:
  std::size_t l_;
  std::uint32_t *order_, *relevant_, *others_;
  Scores g_;
  const double *a_, *c_;
  std::size_t num_relevant_ = 0, num_others_ = 0, best_ = 0;
  double best_value_ = -1e300;

  bool before(std::uint32_t x, std::uint32_t y) const { return g_[x] > g_[y] || (g_[x] == g_[y] && x < y); }

  // Calls place(position, document) for the ranking with no relevant document before position p.
  template <class Place>
  void visit(std::size_t p, Place place) const {
    std::size_t j = 0;
    for (; j < p; ++j) place(j, others_[j]);
    std::size_t other = p, hit = 0;
    while (other < num_others_ && hit < num_relevant_) {
      const std::uint32_t x = others_[other], y = relevant_[hit];
      const bool take_other = before(x, y);
      place(j++, take_other ? x : y);
      other += take_other;
      hit += !take_other;
    }
    while (other < num_others_) place(j++, others_[other++]);
    while (hit < num_relevant_) place(j++, relevant_[hit++]);
  }

  double score(std::size_t p) const {
    double sum = 0;
    visit(p, [&](std::size_t j, std::uint32_t i) { sum += c_[j] * g_[i]; });
    return sum;
  }

  void consider(std::size_t p, double f) {
    if (f - a_[p] > best_value_) {
      best_value_ = f - a_[p];
      best_ = p;
    }
  }

  void scan() {
    double f = score(0);
    consider(0, f);
    const double least = a_[num_others_];
    std::size_t passed = 0, work = 0;  // relevant documents before others_[p] in score order
    for (std::size_t p = 0; p < num_others_ && f - least > best_value_; ++p) {
      if (work > 4 * l_) return halve(p, f);
      const std::uint32_t x = others_[p];
      while (passed < num_relevant_ && before(relevant_[passed], x)) ++passed;
      f += g_[x] * (c_[p] - c_[p + passed]);
      for (std::size_t t = 0; t < passed; ++t) f -= g_[relevant_[t]] * (c_[p + t] - c_[p + t + 1]);
      work += passed;
      consider(p + 1, f);
    }
  }

  void halve(std::size_t p, double f) {
    consider(num_others_, score(num_others_));
    search(p, num_others_, f);
  }

  // Looks at the positions strictly between low and high; f_low = F(low). Depth is logarithmic.
  void search(std::size_t low, std::size_t high, double f_low) {
    if (high - low < 2 || f_low - a_[high - 1] <= best_value_) return;
    const std::size_t middle = low + (high - low) / 2;
    const double f = score(middle);
    consider(middle, f);
    search(low, middle, f_low);
    search(middle, high, f);
  }
};

}  // namespace

void rank_first_hit(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  FirstHit(query, g, work).solve(work.ranking.data());
}

}  // namespace dorm::oracle
