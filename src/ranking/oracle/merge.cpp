// SPDX-License-Identifier: Apache-2.0
// Few distinct gains: inside a class of equal gains documents stand in score order, so the answer is a merge of K
// sorted lists. A level-by-level dynamic program over the numbers taken from each list; at each state only the list
// heads that no other head dominates (two-sided test, docs/oracles.md) are taken.
#include <algorithm>
#include <array>
#include <limits>

#include "base/numeric.h"
#include "ranking/oracle/algorithms.h"
#include "ranking/oracle/limits.h"

namespace dorm::oracle {
namespace {

constexpr std::size_t kClassBits = 4;
constexpr std::size_t kMaxWidth = std::size_t{1} << (16 - kClassBits);
constexpr std::size_t kSlots = 4 * kMaxWidth;
static_assert(kMaxClasses <= std::size_t{1} << kClassBits);

class Merge {
 public:
  Merge(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work)
      : t_(*query.tables), l_(query.size()), classes_(query.gains.size()), work_(work), m_(work.merge) {
    for (std::size_t k = 0; k < classes_; ++k) gain_[k] = query.gains[k] - query.gains[0];
    split_into_classes(query, g);
    start();
  }

  bool solve(std::uint32_t* ranking) {
    std::size_t s = 0;
    for (; s < t_.cutoff || (s < l_ && width_ > 1); ++s) {
      if (!advance(s)) return false;
    }
    append_rest(s, ranking);
    trace_back(s, ranking);
    return true;
  }

 private:
  const PositionTables& t_;
  const std::size_t l_, classes_;
  OracleWorkspace::Buffers& work_;
  OracleWorkspace::Buffers::Merge& m_;
  std::array<double, kMaxClasses> gain_;
  std::array<std::uint32_t, kMaxClasses + 1> first_;  // where each class starts; a sentinel ends it
  const double* head_ = nullptr;                      // scores by class, -infinity at the sentinels
  const std::uint32_t* document_ = nullptr;
  std::size_t width_ = 1, next_width_ = 0;

  void split_into_classes(const PreparedQuery& query, Scores g) {
    std::uint32_t* order = reserve(work_.order, l_);
    sort_descending(g, {order, l_}, work_.sort);
    first_.fill(0);
    for (std::uint8_t k : query.gain_of) ++first_[k + 1u];
    for (std::size_t k = 0; k < classes_; ++k) first_[k + 1] += first_[k] + 1;
    double* head = reserve(work_.sorted_g, l_ + classes_);
    std::uint32_t* document = reserve(work_.list, l_ + classes_);
    std::array<std::uint32_t, kMaxClasses + 1> next = first_;
    for (std::size_t r = 0; r < l_; ++r) {
      const std::uint32_t place = next[query.gain_of[order[r]]]++;
      head[place] = g[order[r]];
      document[place] = order[r];
    }
    for (std::size_t k = 0; k < classes_; ++k) head[first_[k + 1] - 1] = -kInfinity;
    head_ = head;
    document_ = document;
  }

  void start() {
    for (auto* cursors : {&m_.cursors, &m_.next_cursors}) reserve(*cursors, kMaxWidth * classes_);
    for (auto* value : {&m_.value, &m_.next_value}) reserve(*value, kMaxWidth);
    for (auto* key : {&m_.key, &m_.next_key}) reserve(*key, kMaxWidth);
    reserve(m_.slot, kSlots);
    reserve(m_.stamp, kSlots);
    reserve(m_.level_start, l_ + 2);
    reserve(m_.trace, 8 * l_ + kMaxWidth);
    std::copy_n(first_.begin(), classes_, m_.cursors.begin());
    m_.value[0] = 0;
    m_.key[0] = 0;
    m_.level_start[0] = 0;
  }

  // One document for position s in every state of the frontier.
  bool advance(std::size_t s) {
    const bool inside = s < t_.cutoff;
    const double low = inside ? t_.lowest_rate[s] : 0, high = inside ? t_.highest_rate[s] : 0;
    const double c = t_.c[s], a = t_.a[s] - t_.a[l_ - 1];
    next_width_ = 0;
    if (++m_.generation == 0) {
      std::fill(m_.stamp.begin(), m_.stamp.end(), 0u);
      m_.generation = 1;
    }
    if (m_.level_start[s] + kMaxWidth > m_.trace.size()) m_.trace.resize(2 * m_.trace.size());
    for (std::size_t state = 0; state < width_; ++state) {
      const std::uint32_t* cursor = m_.cursors.data() + state * classes_;
      const std::uint32_t survivors = undominated(cursor, low, high);
      for (std::size_t k = 0; k < classes_; ++k) {
        if ((survivors >> k & 1) == 0) continue;
        const double value = m_.value[state] + (c * head_[cursor[k]] - a * gain_[k]);
        if (!insert(s, state, k, value)) return false;
      }
    }
    m_.level_start[s + 1] = m_.level_start[s] + next_width_;
    std::swap(m_.cursors, m_.next_cursors);
    std::swap(m_.value, m_.next_value);
    std::swap(m_.key, m_.next_key);
    width_ = next_width_;
    return m_.level_start[s + 1] <= 32 * l_ + 100000;
  }

  // Heads stand by ascending gain. A head falls to a smaller gain at the lowest rate, to a larger gain at the highest
  // rate; on equality the smaller gain wins.
  std::uint32_t undominated(const std::uint32_t* cursor, double low, double high) const {
    std::array<double, kMaxClasses> head;
    std::uint32_t survivors = 0;
    double best = -kInfinity;
    for (std::size_t k = 0; k < classes_; ++k) {
      head[k] = head_[cursor[k]];
      const double rated = head[k] - low * gain_[k];
      survivors |= static_cast<std::uint32_t>(rated > best) << k;
      best = rated > best ? rated : best;
    }
    best = -kInfinity;
    for (std::size_t k = classes_; k-- > 0;) {
      const double rated = head[k] - high * gain_[k];
      survivors &= ~(static_cast<std::uint32_t>(best > rated) << k);
      best = rated > best ? rated : best;
    }
    return survivors;
  }

  // The state that follows `state` by taking the head of class k: new, or an improvement of a known one.
  bool insert(std::size_t s, std::size_t state, std::size_t k, double value) {
    const std::uint64_t key = m_.key[state] + (0x9E3779B97F4A7C15u * (2 * k + 1) ^ (k << 40));
    const std::uint32_t* cursor = m_.cursors.data() + state * classes_;
    const auto step = static_cast<std::uint16_t>(state << kClassBits | k);
    std::uint16_t* trace = m_.trace.data() + m_.level_start[s];
    std::size_t slot = key * 0xD1342543DE82EF95u >> 50 & (kSlots - 1);
    for (; m_.stamp[slot] == m_.generation; slot = (slot + 1) & (kSlots - 1)) {
      const std::uint32_t known = m_.slot[slot];
      if (m_.next_key[known] != key || !follows(cursor, k, m_.next_cursors.data() + known * classes_)) continue;
      if (value > m_.next_value[known]) {
        m_.next_value[known] = value;
        trace[known] = step;
      }
      return true;
    }
    if (next_width_ == kMaxWidth) return false;
    m_.stamp[slot] = m_.generation;
    m_.slot[slot] = static_cast<std::uint32_t>(next_width_);
    m_.next_key[next_width_] = key;
    m_.next_value[next_width_] = value;
    std::uint32_t* next = m_.next_cursors.data() + next_width_ * classes_;
    std::copy_n(cursor, classes_, next);
    ++next[k];
    trace[next_width_++] = step;
    return true;
  }

  bool follows(const std::uint32_t* cursor, std::size_t k, const std::uint32_t* next) const {
    for (std::size_t other = 0; other < classes_; ++other) {
      if (cursor[other] + (other == k) != next[other]) return false;
    }
    return true;
  }

  // Past the cutoff positions differ by score alone: whatever the only state has not taken follows in score order, of
  // equal scores the smaller gain first.
  void append_rest(std::size_t s, std::uint32_t* ranking) const {
    std::array<std::uint32_t, kMaxClasses> next;
    std::copy_n(m_.cursors.begin(), classes_, next.begin());
    for (; s < l_; ++s) {
      std::size_t best = 0;
      for (std::size_t k = 1; k < classes_; ++k) best = head_[next[k]] > head_[next[best]] ? k : best;
      ranking[s] = document_[next[best]++];
    }
  }

  void trace_back(std::size_t length, std::uint32_t* ranking) const {
    std::array<std::uint32_t, kMaxClasses> cursor;
    std::copy_n(m_.cursors.begin(), classes_, cursor.begin());
    std::size_t state = 0;
    for (std::size_t s = length; s-- > 0;) {
      const std::uint16_t step = m_.trace[m_.level_start[s] + state];
      ranking[s] = document_[--cursor[step & (kMaxClasses - 1)]];
      state = step >> kClassBits;
    }
  }
};

}  // namespace

bool rank_merge(const PreparedQuery& query, Scores g, OracleWorkspace::Buffers& work) {
  return Merge(query, g, work).solve(work.ranking.data());
}

}  // namespace dorm::oracle
