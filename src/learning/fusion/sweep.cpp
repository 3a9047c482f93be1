// SPDX-License-Identifier: Apache-2.0
// The measure along a line of weights: a step function, whose steps lie where two documents meet.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numeric.h"
#include "base/parallel.h"
#include "base/vector/vector_ops.h"
#include "dorm/error.h"
#include "dorm/fusion/fuse.h"

namespace dorm {
namespace {

constexpr double kNarrow = 1e-9;   // intervals between steps that are passed over
constexpr double kBetter = 1e-12;  // a difference that is more than rounding
constexpr double kWorth = 1e-6;    // what a round over all runs must add for another one
constexpr std::size_t kBunches = 32;

struct Step {
  double t = 0, change = 0;
};

/// Another document passes the gaining document number `gaining`.
struct Meeting {
  double t = 0;
  std::uint32_t gaining = 0;
  int ranks = 0;
};

/// One query on the line.
class QueryOnLine {
 public:
  QueryOnLine(const JoinedRuns& runs, std::size_t q, const WeightLine& line, const FactoredMeasure& measure, Ties ties)
      : query_(runs.data.query(q)), data_(runs.data), ties_(ties) {
    score(line);
    std::vector<float> labels(query_.labels.begin(), query_.labels.end());
    labels.insert(labels.end(), runs.missed[q].begin(), runs.missed[q].end());
    factors_ = measure.factor(labels);
    for (std::uint32_t i = 0; i < query_.size(); ++i)
      if (factors_.b[i] > 0) gaining_.push_back(i);
    past_ = factors_.a.size();
    while (past_ > 0 && factors_.a[past_ - 1] == 0) --past_;
  }

  /// The value just above `low`; later steps are added to `steps`.
  double follow(double low, double high, std::vector<Step>& steps) const {
    std::vector<std::uint32_t> rank(gaining_.size(), 0);
    std::vector<Meeting> meetings;
    meet_all(low, high, rank, meetings);
    std::sort(meetings.begin(), meetings.end(), [](const Meeting& a, const Meeting& b) {
      return a.t != b.t ? a.t < b.t : a.gaining != b.gaining ? a.gaining < b.gaining : a.ranks < b.ranks;
    });
    const double first = value(rank);
    double before = first;
    for (std::size_t m = 0; m < meetings.size();) {
      const double t = meetings[m].t;
      bool changed = false;
      for (; m < meetings.size() && meetings[m].t == t; ++m) {
        std::uint32_t& own = rank[meetings[m].gaining];
        const double gain = factors_.a[own];
        own = static_cast<std::uint32_t>(static_cast<int>(own) + meetings[m].ranks);
        changed = changed || factors_.a[own] != gain;
      }
      if (!changed) continue;
      const double after = value(rank);
      steps.push_back({t, after - before});
      before = after;
    }
    return first;
  }

 private:
  void score(const WeightLine& line) {
    const DenseRows rows{query_.rows.dense_row(0), query_.size(), line.base.size(), query_.rows.stride()};
    base_.resize(query_.size());
    direction_.resize(query_.size());
    multiply(rows, line.base, base_);
    multiply(rows, line.direction, direction_);
  }

  // Of most pairs the order is the same at both ends, and so between them. A gaining document that enough others are
  // above all the way gains nothing.
  void meet_all(double low, double high, std::vector<std::uint32_t>& rank, std::vector<Meeting>& meetings) const {
    std::vector<double> at_low(query_.size()), at_high(query_.size());
    double largest = 0;
    for (std::size_t i = 0; i < query_.size(); ++i) {
      at_low[i] = base_[i] + low * direction_[i];
      at_high[i] = base_[i] + high * direction_[i];
      largest = std::max({largest, std::abs(at_low[i]), std::abs(at_high[i])});
    }
    const double sure = 1e-9 * largest;
    for (std::uint32_t k = 0; k < gaining_.size(); ++k) {
      const double own_low = at_low[gaining_[k]], own_high = at_high[gaining_[k]];
      std::uint32_t above = 0;
      for (std::size_t j = 0; j < at_low.size(); ++j)
        above += static_cast<std::uint32_t>(std::min(at_low[j] - own_low, at_high[j] - own_high) > sure);
      rank[k] = above;
      if (above >= past_) continue;
      for (std::uint32_t j = 0; j < at_low.size(); ++j) {
        const double by_low = at_low[j] - own_low, by_high = at_high[j] - own_high;
        const bool same = (by_low > sure && by_high > sure) || (by_low < -sure && by_high < -sure);
        if (!same && j != gaining_[k]) meet(k, j, low, high, rank[k], meetings);
      }
    }
  }

  // Whether document j stands above document i, the gaining one with number k, just above `low`, and where they meet.
  void meet(std::uint32_t k, std::uint32_t j, double low, double high, std::uint32_t& rank,
            std::vector<Meeting>& meetings) const {
    const double faster = direction_[j] - direction_[gaining_[k]];
    const double ahead = base_[j] - base_[gaining_[k]];
    if (faster == 0) {
      rank += ahead > 0 || (ahead == 0 && first_of_equal(j, gaining_[k]));
      return;
    }
    const double t = -ahead / faster;
    const bool above = t <= low ? faster > 0 : faster < 0;
    rank += above;
    if (t > low && t < high) meetings.push_back({t, k, above ? -1 : 1});
  }

  bool first_of_equal(std::uint32_t j, std::uint32_t i) const {
    if (ties_ != Ties::document_id) return j < i;
    return data_.document_id(query_.first_document + j) > data_.document_id(query_.first_document + i);
  }

  double value(std::span<const std::uint32_t> rank) const {
    double total = 0;
    for (std::size_t k = 0; k < gaining_.size(); ++k) {
      const double own = factors_.a[rank[k]] * factors_.b[gaining_[k]];
      total = factors_.kind == Factors::Kind::sum ? total + own : std::max(total, own);
    }
    return total;
  }

  Query query_;
  const Dataset& data_;
  Ties ties_;
  std::vector<double> base_, direction_;  // by document: scores are base + t direction
  Factors factors_;
  std::vector<std::uint32_t> gaining_;
  std::size_t past_ = 0;  // the position from which on nothing is gained
};

/// By t, those of one t by query. Bunches of queries are sorted and merged, the same ones on any number of threads.
std::vector<Step> in_order(std::vector<std::vector<Step>> by_query, std::size_t threads) {
  const auto before = [](const Step& a, const Step& b) { return a.t < b.t; };
  std::vector<std::vector<Step>> bunches(kBunches);
  parallel_for(kBunches, threads, [&](std::size_t b, std::size_t) {
    for (std::size_t q = b * by_query.size() / kBunches; q < (b + 1) * by_query.size() / kBunches; ++q) {
      bunches[b].insert(bunches[b].end(), by_query[q].begin(), by_query[q].end());
      by_query[q] = {};
    }
    std::stable_sort(bunches[b].begin(), bunches[b].end(), before);
  });
  for (std::size_t apart = 1; apart < kBunches; apart *= 2)
    parallel_for(kBunches / (2 * apart), threads, [&](std::size_t pair, std::size_t) {
      std::vector<Step>&left = bunches[2 * apart * pair], &right = bunches[2 * apart * pair + apart];
      std::vector<Step> merged(left.size() + right.size());
      std::merge(left.begin(), left.end(), right.begin(), right.end(), merged.begin(), before);
      left = std::move(merged);
      right = {};
    });
  return std::move(bunches.front());
}

/// From these weights of the runs to the target alone; those of other columns stay.
WeightLine line_to(const JoinedRuns& runs, std::span<const double> weights, std::size_t target) {
  WeightLine line{{weights.begin(), weights.end()}, std::vector<double>(weights.size(), 0)};
  for (std::size_t r = 0; r < runs.input.runs.size(); ++r) line.direction[r] = (r == target ? 1 : 0) - weights[r];
  return line;
}

std::vector<double> moved(std::vector<double> weights, std::size_t runs, std::size_t target, double t) {
  for (std::size_t r = 0; r < runs; ++r) weights[r] = std::max(0.0, (1 - t) * weights[r] + (r == target ? t : 0));
  return weights;
}

}  // namespace

LineMaximum maximise_on_line(const JoinedRuns& runs, std::span<const std::size_t> queries, const WeightLine& line,
                             double low, double high, const FuseOptions& options) {
  if (!(low < high) || queries.empty()) throw Error(ErrorCode::bad_option, "expected low < high, and some queries");
  const Convention convention = make_convention(options.convention);
  const auto measure = make_trainable(options.measure, convention);
  std::vector<std::vector<Step>> steps(queries.size());
  std::vector<double> first(queries.size());
  parallel_for(queries.size(), options.threads, [&](std::size_t k, std::size_t) {
    first[k] = QueryOnLine(runs, queries[k], line, *measure, convention.ties).follow(low, high, steps[k]);
  });
  CompensatedSum sum;
  for (const double value : first) sum.add(value);
  const std::vector<Step> all = in_order(std::move(steps), options.threads);
  LineMaximum best{low, low, -1};
  double begin = low;
  const auto close = [&](double end) {
    const double value = sum.value() / real(queries.size());
    if (end - begin >= kNarrow &&
        (value > best.value + kBetter || (value > best.value - kBetter && end - begin > best.high - best.low)))
      best = {begin, end, value};
  };
  for (const Step& step : all) {
    if (step.t > begin) close(step.t);
    sum.add(step.change);
    begin = step.t;
  }
  close(high);
  return best;
}

SweptWeights sweep_weights(const JoinedRuns& runs, std::span<const std::size_t> queries, std::vector<double> start,
                           const FuseOptions& options) {
  const std::size_t count = runs.input.runs.size();
  SweptWeights out{std::move(start), 0, count <= 2 && runs.input.num_columns() == count};
  if (count == 1) return out;
  if (count == 2) {
    out.weights[0] = 1, out.weights[1] = 0;
    const LineMaximum best = maximise_on_line(runs, queries, line_to(runs, out.weights, 1), 0, 1, options);
    out.weights = moved(std::move(out.weights), count, 1, best.t());
    out.value = best.value;
    return out;
  }
  double before = -1;
  for (std::size_t round = 0; out.value > before + kWorth && round < 10; ++round) {
    before = out.value;
    for (std::size_t r = 0; r < count; ++r) {
      const double own = out.weights[r];
      if (own >= 1) continue;  // the lines to the others move it
      const LineMaximum best =
          maximise_on_line(runs, queries, line_to(runs, out.weights, r), -own / (1 - own), 1, options);
      if (!(best.value > out.value + kBetter)) continue;
      out.value = best.value;
      out.weights = moved(std::move(out.weights), count, r, best.t());
    }
  }
  return out;
}

}  // namespace dorm
